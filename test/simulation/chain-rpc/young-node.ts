import { expect } from "chai";

import { MemoryIndex } from "../../helpers/memory-index.ts";
import { SimulatedChain } from "../../helpers/simulated-chain.ts";

describe("simulation: a node that knows only the last blocks", function () {
  this.timeout(60_000);

  it("follows a reorganisation that replaces all of them", async () => {
    const chain = new SimulatedChain(1);
    const { ledger } = chain;
    for (let i = 0; i < 20; i++) chain.mine();
    const index = new MemoryIndex();
    // As after a lost disk: a group is much older than all that the node knows.
    index.lastCreation = 1;
    const indexer = index.open(chain.client(), {}, { timers: chain.timers });
    indexer.start();
    await chain.until(() => index.height === ledger.head.number);
    chain.mine();
    await chain.until(() => index.height === ledger.head.number);
    expect(index.blocks.map(({ number }) => number)).to.deep.equal([20, 21]);

    ledger.reorganise({ depth: 4, blocks: 5, timestampMs: 2_000_000_000_000 });
    await chain.until(
      () => index.blocks.at(-1)?.hash === ledger.head.hash,
      100,
    );
    for (const { number, hash } of index.blocks)
      expect(ledger.tree.blockAt(ledger.head, number)?.hash).to.equal(hash);
    // Everything that an ordinary reorganisation can reach is read again.
    expect(index.reverts).to.deep.equal([0]);
    expect(index.troubles.at(-1)).to.equal(undefined);

    let isStopped = false;
    const stopping = indexer.stop().then(() => {
      isStopped = true;
    });
    await chain.until(() => isStopped);
    await stopping;
  });
});
