import { expect } from "chai";

import { bumpFees, suggestFees } from "../../src/chain/submitter/fees.ts";
import { planNonces } from "../../src/chain/submitter/nonces.ts";
import { verdictOf } from "../../src/chain/submitter/verdict.ts";
import { ChainError } from "../../src/chain/ports.ts";

describe("runtime: parts of the submitter", () => {
  const caps = { maxFee: 1_000n, tip: 100n };

  it("offers twice the base fee and a tip, within the caps", () => {
    expect(suggestFees({ baseFee: 100n, tip: 5n }, caps)).to.deep.equal({
      maxFee: 205n,
      tip: 5n,
    });
    expect(suggestFees({ baseFee: 900n, tip: 500n }, caps)).to.deep.equal({
      maxFee: 1_000n,
      tip: 100n,
    });
    expect(suggestFees({ baseFee: 0n, tip: 0n }, caps)).to.deep.equal({
      maxFee: 0n,
      tip: 0n,
    });
  });

  it("replaces for an eighth more, or for what is usual, and never above the caps", () => {
    const old = { maxFee: 80n, tip: 8n };
    const low = { maxFee: 10n, tip: 1n };
    expect(bumpFees(old, low, caps)).to.deep.equal({ maxFee: 91n, tip: 10n });
    const high = { maxFee: 300n, tip: 50n };
    expect(bumpFees(old, high, caps)).to.deep.equal(high);
    expect(bumpFees({ maxFee: 950n, tip: 8n }, low, caps)).to.equal(undefined);
    expect(
      bumpFees({ maxFee: 0n, tip: 0n }, { maxFee: 0n, tip: 0n }, caps),
    ).to.deep.equal({ maxFee: 1n, tip: 1n });
  });

  it("finds holes below nonces and gaps between them", () => {
    const adriftFrom = undefined;
    const whole = { hole: [], gaps: [], adriftFrom };
    expect(planNonces([], 3)).to.deep.equal(whole);
    expect(planNonces([3, 4], 3)).to.deep.equal(whole);
    const plan = { hole: [3, 4], gaps: [6], adriftFrom };
    expect(planNonces([7, 5], 3)).to.deep.equal(plan);
  });

  it("does not plan to fill up holes that have no end", () => {
    const adriftFrom = 10 ** 10;
    const none = { hole: [], gaps: [] };
    expect(planNonces([adriftFrom], 3)).to.deep.equal({ ...none, adriftFrom });
    expect(planNonces([adriftFrom, 5, 3], 3)).to.deep.equal({
      hole: [],
      gaps: [4],
      adriftFrom,
    });
  });

  for (const [message, verdict] of [
    ["already known", "taken"],
    ["AlreadyKnown", "taken"],
    ["Known transaction: 0x12", "taken"],
    ["transaction already imported", "taken"],
    ["nonce too low: next nonce 5, tx nonce 4", "used"],
    ["Nonce too low. Expected nonce to be 5 but got 3.", "used"],
    ["OldNonce", "used"],
    [
      "Nonce too high. Expected nonce to be 1 but got 3. Note that transactions can't be queued when automining.",
      "gap",
    ],
    ["replacement transaction underpriced", "underpriced"],
    [
      "Replacement transaction underpriced. A gasPrice/maxFeePerGas of at least 5 is necessary to replace the existing transaction with nonce 2.",
      "underpriced",
    ],
    ["transaction underpriced: gas tip cap 0, minimum 1", "underpriced"],
    [
      "max fee per gas less than block base fee: address 0x1, maxFeePerGas: 1, baseFee: 7",
      "underpriced",
    ],
    [
      "Transaction maxFeePerGas (1) is too low for the next block, which has a baseFeePerGas of 7",
      "underpriced",
    ],
    ["insufficient funds for gas * price + value", "funds"],
    [
      "Sender doesn't have enough funds to send tx. The max upfront cost is: 5",
      "funds",
    ],
    ["exceeds block gas limit", "rejected"],
    ["intrinsic gas too low: gas 21001, minimum needed 22000", "rejected"],
    ["Transaction requires at least 27944 gas but got 21001", "rejected"],
    ["transaction gas limit too high (cap: 16777216)", "rejected"],
    ["oversized data: transaction size 140000, limit 131072", "rejected"],
    ["invalid chain id for signer: have 1 want 2", "unknown"],
    [
      "VM Exception while processing transaction: reverted with custom error",
      "taken",
    ],
    ["txpool is full", "unknown"],
    ["internal error", "unknown"],
  ] as const)
    it(`takes "${message.slice(0, 40)}" for ${verdict}`, () => {
      expect(verdictOf(new ChainError("refused", message))).to.equal(verdict);
      expect(verdictOf(new ChainError("unreachable", message))).to.equal(
        "unknown",
      );
    });
});
