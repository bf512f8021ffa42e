import { expect } from "chai";

import type {
  ClusterGroup,
  RunningCluster,
} from "../../../src/plugin/connection/types.ts";
import { whispers } from "../../helpers/whispers.ts";
import { aConnection, closeConnections, soon } from "../helpers/connection.ts";
import { expectError } from "../helpers/errors.ts";

/** Deploys a contract that adds one to its first slot whenever it is called. */
const counterCode = "0x6960005460010160005500600052600a6016f3";

describe("connection.sequencer: members that do not endorse", function () {
  this.timeout(60_000);
  afterEach(closeConnections);

  async function aGroup(
    configuration: Readonly<Record<string, string>> = {},
  ): Promise<{ cluster: RunningCluster; group: ClusterGroup }> {
    const connection = await aConnection();
    const cluster = await connection.sequencer.start({
      nodes: ["alice", "bob", "carol"],
      threshold: 3,
      blockMs: 100,
      settings: soon,
      domains: [whispers],
    });
    const group = await cluster.createGroup({
      domain: "whispers",
      configuration,
    });
    return { cluster, group };
  }

  const textsAt = (group: ClusterGroup, node: string) =>
    group.states(node).map(({ data }) => (data as { text: string }).text);

  it("send intents, and see what is theirs", async function () {
    const { cluster, group } = await aGroup();
    expect(group.threshold).to.equal(1);
    const intents = [
      await group.send("bob", "whisper", { to: "carol", text: "one" }),
      await group.send("carol", "whisper", { to: "bob", text: "two" }),
      await group.send("bob", "whisper", { to: "alice", text: "three" }),
    ];
    for (const intent of intents) await intent.confirmed();
    await cluster.synced();
    expect(textsAt(group, "alice")).to.have.members(["one", "two", "three"]);
    expect(textsAt(group, "bob")).to.deep.equal(["two"]);
    expect(textsAt(group, "carol")).to.deep.equal(["one"]);
  });

  it("have what their own intents create, before anybody tells them", async function () {
    const { group } = await aGroup();
    const intent = await group.send("bob", "whisper", {
      to: "bob",
      text: "a memo",
    });
    await intent.confirmed();
    // In the same commit as the receipt: nothing had to be asked for.
    expect(intent.effect()?.confirmed.map(({ data }) => data)).to.deep.equal([
      { to: "bob", text: "a memo" },
    ]);
  });

  it("know after a restart what is not theirs", async function () {
    const { cluster, group } = await aGroup();
    const first = await group.send("alice", "whisper", {
      to: "bob",
      text: "one",
    });
    await first.confirmed();
    await cluster.synced();
    await cluster.node("carol").restart();
    await cluster.node("alice").crash();
    // Nobody is there to ask, and nobody has to be asked.
    expect(textsAt(group, "carol")).to.deep.equal([]);
    const [, , carol] = cluster.status();
    expect(carol?.isUp === true && carol.groups[0]?.missingStates).to.equal(0);
  });

  it("keep what their own intents tell besides", async function () {
    const { cluster, group } = await aGroup();
    const intent = await group.send("bob", "whisper", {
      to: "carol",
      text: "hush",
    });
    await intent.confirmed();
    await cluster.synced();
    expect(intent.effect()?.infos.map(({ data }) => data)).to.deep.equal([
      { said: "hush" },
    ]);
    await cluster.node("bob").restart();
    expect(intent.effect()?.infos.map(({ data }) => data)).to.deep.equal([
      { said: "hush" },
    ]);
  });

  it("call public contracts where the group allows it, and nowhere else", async function () {
    const connection = await aConnection();
    const cluster = await connection.sequencer.start({
      nodes: ["alice", "bob"],
      blockMs: 100,
      settings: { ...soon, retriesMax: 0 },
      domains: [whispers],
    });
    const { provider } = connection.ethers;
    const signer = await provider.getSigner(0);
    const { contractAddress } =
      (await (await signer.sendTransaction({ data: counterCode })).wait()) ??
      {};
    const to = contractAddress?.toLowerCase() ?? "";
    const text = "0x01";
    const count = async () => BigInt(await provider.getStorage(to, 0));

    const open = await cluster.createGroup({
      domain: "whispers",
      configuration: { calls: "true" },
    });
    const intents = [
      await open.send("bob", "whisper", { to, text }),
      await open.send("bob", "whisper", { to: "alice", text: "between" }),
      await open.send("alice", "whisper", { to, text }),
    ];
    for (const intent of intents) await intent.confirmed();
    expect(await count()).to.equal(2n);

    const closed = await cluster.createGroup({ domain: "whispers" });
    const refused = await closed.send("bob", "whisper", { to, text });
    const receipt = await refused.receipt();
    expect(receipt.type === "reverted" && receipt.reason).to.contain(
      "does not allow",
    );
    await expectError("INTENT_REVERTED", refused.confirmed.bind(refused));
    expect(await count()).to.equal(2n);
  });
});
