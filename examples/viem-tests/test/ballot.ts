import assert from "node:assert/strict";
import { after, describe, it } from "node:test";

import { artifacts, network } from "hardhat";
import {
  deployPrivate,
  privateAddressOf,
  PrivateRevert,
} from "hardhat-sequencer/private-contracts";
import type { NetworkConnection } from "hardhat/types/network";
import { isHash } from "viem";

const connection = await network.create();
const { networkHelpers, viem } = connection;

/** Three organisations, each with a node, and a ballot in their group. */
async function aBallot({ sequencer }: NetworkConnection) {
  const cluster = await sequencer.start();
  const group = await cluster.createGroup({ domain: "private-contracts" });
  const artifact = await artifacts.readArtifact("Ballot");
  const ballot = await deployPrivate(group, "alice", artifact);
  await cluster.synced();
  return { cluster, group, ballot };
}

describe("a private ballot", () => {
  after(async () => {
    await connection.close();
  });

  it("counts votes", async () => {
    const { cluster, group, ballot } =
      await networkHelpers.loadFixture(aBallot);
    const { events } = await ballot.send("bob", "vote", [true]);
    const [event] = events;
    assert.equal(event?.name, "Voted");
    assert.equal(event.args.voter, await privateAddressOf(group, "bob"));
    assert.equal(event.args.isFor, true);
    await cluster.synced();
    for (const node of group.members)
      assert.equal(await ballot.call(node, "votesFor"), 1n);
  });

  it("begins anew for every test that loads the fixture", async () => {
    const { ballot } = await networkHelpers.loadFixture(aBallot);
    assert.equal(await ballot.call("carol", "votesFor"), 0n);
    await ballot.send("bob", "vote", [false]);
  });

  it("lets nobody vote twice, and the contract says so", async () => {
    const { group, ballot } = await networkHelpers.loadFixture(aBallot);
    await ballot.send("bob", "vote", [true]);
    const bob = await privateAddressOf(group, "bob");
    await assert.rejects(ballot.send("bob", "vote", [true]), ({ cause }) => {
      assert(cause instanceof PrivateRevert);
      assert.deepEqual(cause.error, { name: "BallotVotedBefore", args: [bob] });
      return true;
    });
  });

  it("shows the chain a transaction of the group, and no vote", async () => {
    const { group, ballot } = await networkHelpers.loadFixture(aBallot);
    const { transactionHash: hash } = await ballot.send("bob", "vote", [true]);
    assert(isHash(hash));
    const chain = await viem.getPublicClient();
    const receipt = await chain.getTransactionReceipt({ hash });
    assert.equal(receipt.status, "success");
    assert.equal(receipt.to, group.address);
    const code = await chain.getCode({ address: receipt.to });
    assert.notEqual(code, undefined);
  });
});
