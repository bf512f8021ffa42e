import { expect } from "chai";
import { network } from "hardhat";
import type { ClusterGroup, RunningCluster } from "hardhat-sequencer";

import { register } from "../domains/register.ts";

/** A domain of your own, on real nodes. */
describe("a register", function () {
  let connection: Awaited<ReturnType<typeof network.create>>;
  let cluster: RunningCluster;
  let group: ClusterGroup;

  before(async function () {
    connection = await network.create();
    cluster = await connection.sequencer.start({ domains: [register] });
    group = await cluster.createGroup({ domain: "register" });
  });

  after(async function () {
    await connection.close();
  });

  it("has one value, whoever sets it at the same time", async function () {
    const first = await group.send("alice", "set", {
      key: "price",
      value: "-",
    });
    await first.confirmed();
    const writes = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        const node = group.members[i % group.members.length] ?? "";
        return await group.send(node, "set", { key: "price", value: `${i}` });
      }),
    );
    await Promise.all(writes.map((write) => write.confirmed()));
    await cluster.synced();

    const answers = await Promise.all(
      group.members.map((node) => group.query(node, "get", { key: "price" })),
    );
    for (const answer of answers) expect(answer).to.deep.equal(answers[0]);
    expect(answers[0]?.["entries"]).to.equal(1n);
  });

  it("refuses what makes no sense", async function () {
    const error: unknown = await group
      .send("alice", "set", { key: "", value: "x" })
      .catch((reason: unknown) => reason);
    expect(String(error)).to.include("A key must not be empty.");
  });
});
