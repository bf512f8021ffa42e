import { expect } from "chai";

import { parseAddress } from "../../src/ledger/index.ts";
import { parseIntentId } from "../../src/protocol/ids.ts";
import type { NodeFact } from "../../src/node/ports.ts";
import { ReplicaProgress } from "../../src/supervisor/progress.ts";
import { FakeTimers } from "../helpers/fake-timers.ts";
import { groupAt } from "../helpers/stores.ts";

const payer = parseAddress(
  "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
  "payer",
);

/** Answers of a chain, by the method; an error for one that is not there. */
type Chain = Record<string, unknown>;

function aProgress(
  chain: Chain,
  indexedHeight: () => number | undefined = () => undefined,
): { progress: ReplicaProgress; timers: FakeTimers } {
  const timers = new FakeTimers();
  const progress = new ReplicaProgress(
    { payer, waitMs: 500 },
    {
      timers,
      indexedHeight,
      client: {
        request: async (method) => {
          if (!(method in chain)) throw new Error(`No ${method}.`);
          return await Promise.resolve(chain[method]);
        },
      },
    },
  );
  return { progress, timers };
}

function intentId(n: number): NonNullable<ReturnType<typeof parseIntentId>> {
  const id = parseIntentId(`0x${n.toString(16).padStart(64, "0")}`);
  if (id === undefined) throw new Error(`${n} gives no id.`);
  return id;
}

const dispatched = (n: number): NodeFact => ({
  type: "IntentDispatched",
  group: groupAt(1),
  id: intentId(n),
});

const settled = (n: number): NodeFact => ({
  type: "Settled",
  settlement: {
    group: groupAt(1),
    intentId: intentId(n),
    outcome: { type: "Reverted", reason: "no" },
  },
});

describe("The progress of a replica", () => {
  it("is what the chain says, at a passive one", async () => {
    const { progress } = aProgress({
      eth_blockNumber: "0x10",
      eth_getBalance: "0x1",
    });
    expect(await progress.read()).to.deep.equal({
      height: 16,
      hasChainTrouble: false,
      hasPayerTrouble: false,
      oldestDispatchMs: null,
    });
  });

  it("has no height if the chain refuses, or answers nonsense", async () => {
    for (const chain of [
      {},
      { eth_blockNumber: "many" },
      { eth_blockNumber: 7 },
    ]) {
      const { height, hasChainTrouble } =
        await aProgress(chain).progress.read();
      expect(height).to.equal(null);
      expect(hasChainTrouble).to.equal(true);
    }
  });

  it("does not wait for a chain that hangs", async () => {
    const { progress, timers } = aProgress({
      eth_blockNumber: new Promise(() => undefined),
      eth_getBalance: "0x1",
    });
    const read = progress.read();
    timers.advance(500);
    expect((await read).hasChainTrouble).to.equal(true);
  });

  it("finds an empty account, and asks for it seldom", async () => {
    const chain: Chain = { eth_blockNumber: "0x1", eth_getBalance: "0x0" };
    const { progress, timers } = aProgress(chain);
    expect((await progress.read()).hasPayerTrouble).to.equal(true);
    chain["eth_getBalance"] = "0x5";
    expect((await progress.read()).hasPayerTrouble).to.equal(true);
    timers.advance(10_000);
    expect((await progress.read()).hasPayerTrouble).to.equal(false);
  });

  it("is what the node has indexed and said, at an active one", async () => {
    const { progress } = aProgress({ eth_blockNumber: "0x10" }, () => 12);
    expect((await progress.read()).height).to.equal(12);
    progress.see({ type: "ChainTrouble", reason: "away" });
    progress.see({ type: "PayerTrouble", payer, reason: "empty" });
    const { hasChainTrouble, hasPayerTrouble } = await progress.read();
    expect({ hasChainTrouble, hasPayerTrouble }).to.deep.equal({
      hasChainTrouble: true,
      hasPayerTrouble: true,
    });
    progress.see({ type: "ChainTrouble", reason: undefined });
    progress.see({ type: "PayerTrouble", payer, reason: undefined });
    expect((await progress.read()).hasPayerTrouble).to.equal(false);
    expect((await progress.read()).hasChainTrouble).to.equal(false);
  });

  it("has trouble also if only its own question to the chain fails", async () => {
    const { progress } = aProgress({}, () => 12);
    expect((await progress.read()).hasChainTrouble).to.equal(true);
  });

  it("knows the oldest intent that is on its way", async () => {
    const chain: Chain = { eth_blockNumber: "0x1" };
    const { progress, timers } = aProgress(chain, () => 1);
    const oldest = async (): Promise<number | null> =>
      (await progress.read()).oldestDispatchMs;
    expect(await oldest()).to.equal(null);
    progress.see(dispatched(1));
    timers.advance(1_000);
    progress.see(dispatched(2));
    progress.see(dispatched(1));
    timers.advance(1_000);
    chain["eth_blockNumber"] = "0x2";
    expect(await oldest()).to.equal(2_000);
    progress.see(settled(1));
    expect(await oldest()).to.equal(1_000);
    progress.see({ type: "Started", height: 1 });
    expect(await oldest()).to.equal(null);
  });

  it("does not call an intent late because the chain stands still", async () => {
    const chain: Chain = { eth_blockNumber: "0x1" };
    const { progress, timers } = aProgress(chain, () => 1);
    const oldest = async (): Promise<number | null> =>
      (await progress.read()).oldestDispatchMs;
    await oldest();
    progress.see(dispatched(1));
    timers.advance(1_000_000);
    expect(await oldest()).to.equal(0);
    chain["eth_blockNumber"] = "0x2";
    // The pause counts as a block that is late.
    expect(await oldest()).to.equal(30_000);
    timers.advance(5_000);
    expect(await oldest()).to.equal(30_000);
    chain["eth_blockNumber"] = "0x3";
    expect(await oldest()).to.equal(35_000);
  });
});
