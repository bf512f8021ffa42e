import { expect } from "chai";

import { Mining } from "../../../src/plugin/connection/mining.ts";

/** A chain that only remembers what it was told. */
class FakeChain {
  readonly told: string[] = [];
  isAutomatic = true;

  readonly ask = async (
    method: string,
    ...params: unknown[]
  ): Promise<unknown> => {
    if (method === "hardhat_getAutomine")
      return await Promise.resolve(this.isAutomatic);
    if (method === "evm_setAutomine") this.isAutomatic = params[0] === true;
    this.told.push([method.replace("evm_", ""), ...params].join(" "));
    return await Promise.resolve(true);
  };
}

const mempool = { order: "priority" } as const;

describe("connection.sequencer: mining", function () {
  it("mines in intervals, and leaves the chain as it was", async function () {
    const chain = new FakeChain();
    const configured = { auto: true, interval: 0, mempool };
    const mining = new Mining({ configured, blockMs: 250 }, chain);
    await mining.start();
    await mining.restore();
    expect(chain.told).to.deep.equal([
      "setIntervalMining 250",
      "setIntervalMining 0",
    ]);
  });

  it("keeps an interval that the configuration has", async function () {
    const chain = new FakeChain();
    const configured = { auto: true, interval: 5_000, mempool };
    const mining = new Mining({ configured, blockMs: 250 }, chain);
    await mining.start();
    expect(chain.told).to.deep.equal(["setIntervalMining 5000"]);
  });

  it("mines nothing by itself if nobody wants it", async function () {
    const chain = new FakeChain();
    const configured = { auto: true, interval: 0, mempool };
    const mining = new Mining({ configured, blockMs: 0 }, chain);
    await mining.start();
    expect(chain.told).to.deep.equal(["setIntervalMining 0"]);
  });

  it("goes on after a pause as before it, and mines what waited", async function () {
    const chain = new FakeChain();
    const configured = { auto: true, interval: 0, mempool };
    const mining = new Mining({ configured, blockMs: 250 }, chain);
    await mining.pause();
    await mining.pause();
    expect(chain.told).to.deep.equal([
      "setAutomine false",
      "setIntervalMining 0",
    ]);
    chain.told.length = 0;
    await mining.resume();
    await mining.resume();
    expect(chain.told).to.deep.equal([
      "setAutomine true",
      "setIntervalMining 250",
      "mine",
    ]);
  });

  it("does not switch on what the user had switched off", async function () {
    const chain = new FakeChain();
    chain.isAutomatic = false;
    const configured = { auto: true, interval: 0, mempool };
    const mining = new Mining({ configured, blockMs: 250 }, chain);
    await mining.pause();
    await mining.restore();
    expect(chain.isAutomatic).to.equal(false);
    expect(chain.told.at(-1)).to.equal("setIntervalMining 0");
  });

  it("stays paused after what runs in a pause", async function () {
    const chain = new FakeChain();
    const configured = { auto: true, interval: 0, mempool };
    const mining = new Mining({ configured, blockMs: 250 }, chain);
    await mining.pause();
    await mining.whilePaused(async () => await chain.ask("evm_mine"));
    expect(chain.isAutomatic).to.equal(false);
    await mining.resume();
    expect(chain.isAutomatic).to.equal(true);
    await mining.whilePaused(async () => {
      expect(chain.isAutomatic).to.equal(false);
      await Promise.resolve();
    });
    expect(chain.isAutomatic).to.equal(true);
  });
});
