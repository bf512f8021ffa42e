import { expect } from "chai";

import type { SentIntent } from "../../../src/plugin/connection/types.ts";
import {
  aScene,
  balanceOf,
  closeConnections,
  confirmed,
  mint,
  payOnes,
  receiptsOf,
} from "../helpers/connection.ts";
import { expectError } from "../helpers/errors.ts";

/** The deepest block in which one of them is. */
async function firstBlockOf(intents: readonly SentIntent[]): Promise<number> {
  const receipts = await receiptsOf(intents);
  return Math.min(
    ...receipts.map((receipt) =>
      receipt.type === "confirmed" ? receipt.block : Infinity,
    ),
  );
}

describe("connection.sequencer: reorganisation", function () {
  this.timeout(60_000);
  afterEach(closeConnections);

  it("confirms again what a reorganisation took back", async function () {
    const { cluster, group, connection } = await aScene();
    const { provider } = connection.ethers;
    await mint(group, "pot", 30);
    const intents = await payOnes(group, {
      from: "pot",
      to: "shop",
      count: 20,
    });
    const first = await firstBlockOf(intents);
    await cluster.synced();
    const old = await receiptsOf(intents);
    const oldHash = (await provider.getBlock(first))?.hash;

    const { ancestor, from, to } = await cluster.reorganise({
      fromBlock: first,
    });
    expect(ancestor).to.be.below(first);
    expect(to).to.be.above(from);
    expect((await provider.getBlock(first))?.hash).to.not.equal(oldHash);

    await cluster.synced();
    await confirmed(intents);
    const again = await receiptsOf(intents);
    expect(again.map(({ id }) => id)).to.deep.equal(old.map(({ id }) => id));
    await cluster.synced();
    for (const node of group.members) {
      expect(await balanceOf(group, node, "pot")).to.equal(10n);
      expect(await balanceOf(group, node, "shop")).to.equal(20n);
    }
    for (const receipt of again) {
      if (receipt.type === "reverted") continue;
      const { transactionHash, block } = receipt;
      const mined = await provider.getTransactionReceipt(transactionHash);
      expect(mined?.blockNumber).to.equal(block);
    }
  });

  it("takes states back that nodes had seen", async function () {
    const { cluster, group, connection } = await aScene({ nodes: 3 });
    await mint(group, "pot", 5);
    const intent = await group.send("bob", "burn", { from: "pot", amount: 5n });
    const { block, transactionHash } = await intent.confirmed();
    await cluster.synced();
    const transaction =
      await connection.ethers.provider.getTransaction(transactionHash);
    const witness = cluster.nodes.find(
      ({ name, address }) => name !== "bob" && address !== transaction?.from,
    );
    const others = cluster.nodes.filter((node) => node !== witness);
    if (witness === undefined) throw new Error("Nobody is left.");
    expect(await balanceOf(group, witness.name, "pot")).to.equal(0n);

    // Whoever could bring it back at once is down.
    for (const node of others) await node.crash();
    await cluster.reorganise({ fromBlock: block });
    await cluster.synced();
    expect(await balanceOf(group, witness.name, "pot")).to.equal(5n);
    for (const node of others) await node.restart();
    await cluster.synced();
    await intent.confirmed();
    await cluster.synced();
    for (const node of group.members)
      expect(await balanceOf(group, node, "pot")).to.equal(0n);
  });

  it("goes on after several reorganisations", async function () {
    const { cluster, group } = await aScene({ nodes: 3 });
    await mint(group, "pot", 30);
    const all: SentIntent[] = [];
    for (let round = 0; round < 3; round++) {
      const sent = await payOnes(group, { from: "pot", to: "shop", count: 5 });
      all.push(...sent);
      const receipts = await Promise.all(
        sent.map(async (intent) => await intent.confirmed()),
      );
      // What was minted stays: who pays out of an empty pot is refused, and rightly.
      const fromBlock = Math.min(...receipts.map(({ block }) => block));
      await cluster.reorganise({ fromBlock });
    }
    await cluster.synced();
    await confirmed(all);
    await cluster.synced();
    expect(await balanceOf(group, "bob", "shop")).to.equal(15n);
  });

  it("does not go back behind the creation of a group", async function () {
    const { cluster, group } = await aScene({ nodes: 1 });
    await expectError("REORGANISATION_TOO_DEEP", async () => {
      await cluster.reorganise(1_000);
    });
    for (const depth of [0, -1, 1.5, NaN, { fromBlock: -1 }])
      await expectError("OPTIONS_INVALID", async () => {
        await cluster.reorganise(depth);
      });
    await expectError("REORGANISATION_TOO_HIGH", async () => {
      await cluster.reorganise({ fromBlock: 1_000 });
    });
    await mint(group, "pot", 1);
  });
});
