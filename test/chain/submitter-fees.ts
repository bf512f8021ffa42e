import { expect } from "chai";
import { Transaction } from "ethers";
import hre from "hardhat";

import { parseHex } from "../../src/ledger/index.ts";
import type { Digest } from "../../src/protocol/ids.ts";
import { openChainClient } from "../../src/chain/client/open.ts";
import type { SubmitterOptions } from "../../src/chain/submitter/ports.ts";
import { type ChainClient, ChainError } from "../../src/chain/ports.ts";
import { impatientTimers } from "../helpers/impatient-timers.ts";
import { aPayer, SubmitterRig } from "../helpers/submitter-rig.ts";

const GWEI = 1_000_000_000n;
const quantity = (value: bigint): string => `0x${value.toString(16)}`;

describe("runtime: fees and refusals", function () {
  this.timeout(20_000);

  const payer = aPayer(5);
  const to = aPayer(9).address;
  const data = parseHex("0x");
  let chain: ChainClient;
  let rig: SubmitterRig;
  /** What the chain says to the next transactions; undefined: it takes them. */
  let refusal: string | undefined;
  /** Everything that was sent. */
  let sent: string[];

  beforeEach(async () => {
    chain = openChainClient((await hre.network.create()).provider);
    await chain.request("evm_setAutomine", [false]);
    rig = new SubmitterRig([payer]);
    refusal = undefined;
    sent = [];
  });
  afterEach(async () => {
    await rig.stop();
  });

  const start = (options: Partial<SubmitterOptions> = {}): void => {
    const client: ChainClient = {
      ...chain,
      request: async (method, params) => {
        if (method === "eth_sendRawTransaction") {
          sent.push(String(params[0]));
          rig.index.tell();
          if (refusal !== undefined) throw new ChainError("refused", refusal);
        }
        return await chain.request(method, params);
      },
    };
    rig.start(client, [], { resendMs: 60_000, ...options }, impatientTimers);
  };
  const send = (): Digest => rig.submitPublic({ payer }, { to, data });
  const mine = async (): Promise<void> => {
    await chain.request("evm_mine", []);
    const head = Number(await chain.request("eth_blockNumber", []));
    await rig.index.until(() => rig.index.height >= head);
  };
  const offers = (): readonly bigint[] =>
    [...new Set(sent)].map(
      (raw) => Transaction.from(raw).maxPriorityFeePerGas ?? 0n,
    );

  it("are raised once for each block, and never above a multiple of what is usual", async () => {
    refusal = "replacement transaction underpriced";
    start();
    send();
    await rig.index.until(() => sent.length > 0);
    for (let block = 1; block <= 4; block++) {
      await mine();
      await rig.index.until(() => offers().length > block);
      expect(offers()).to.have.lengthOf(block + 1);
    }
    while (rig.troubles.length === 0) await mine();
    expect(rig.troubles[0]?.message).to.match(/feeRaiseMax/);
    for (const tip of offers()) expect(tip <= 4n * GWEI).to.equal(true);
    refusal = undefined;
  });

  it("are raised at once if what is usual has risen", async () => {
    start();
    const first = send();
    await rig.untilAll([first], "submitted");
    await chain.request("hardhat_setNextBlockBaseFeePerGas", [
      quantity(50n * GWEI),
    ]);
    await chain.request("evm_setAutomine", [true]);
    refusal = "max fee per gas less than block base fee";
    const second = send();
    await rig.index.until(() => sent.length > 1);
    refusal = undefined;
    await chain.request("evm_mine", []);
    expect((await rig.endOf(second)).failure).to.equal(undefined);
  });

  it("tell when the caps hold something back, and when they do no more", async () => {
    const caps = { maxFee: 3n * GWEI, tip: GWEI };
    start({ caps, resubmitBlocks: 1 });
    const setBaseFee = async (fee: bigint): Promise<void> => {
      const method = "hardhat_setNextBlockBaseFeePerGas";
      await chain.request(method, [quantity(fee)]);
    };
    const call = send();
    await rig.untilAll([call], "submitted");
    while (rig.troubles.length === 0) {
      await setBaseFee(5n * GWEI);
      await mine();
    }
    expect(rig.troubles[0]?.message).to.match(
      /at most 3 gwei with a tip of 1 gwei.*maxFeeGwei/,
    );
    expect(rig.submitter.explain(call)).to.match(/maxFeeGwei/);
    await setBaseFee(GWEI);
    await mine();
    expect((await rig.endOf(call)).failure).to.equal(undefined);
    expect(rig.submitter.explain(call)).to.equal(undefined);
  });

  it("do not doom a transaction that was refused for a moment", async () => {
    refusal = "transaction type not supported at the moment";
    start();
    const call = send();
    await rig.index.until(() => sent.length > 0);
    await mine();
    await rig.index.until(() => sent.length > 1);
    refusal = undefined;
    await chain.request("evm_setAutomine", [true]);
    await mine();
    expect((await rig.endOf(call)).failure).to.equal(undefined);
    expect(new Set(sent).size).to.equal(1);
  });

  it("doom a transaction that is refused at several heights", async () => {
    refusal = "transaction type not supported";
    start();
    const call = send();
    const isEmptied = (): boolean =>
      sent.some((raw) => Transaction.from(raw).to?.toLowerCase() !== to);
    await rig.index.until(() => sent.length > 0);
    await mine();
    await rig.index.until(() => sent.length > 1);
    expect(isEmptied()).to.equal(false);
    await mine();
    await rig.index.until(isEmptied);
    refusal = undefined;
    await chain.request("evm_setAutomine", [true]);
    await mine();
    expect((await rig.endOf(call)).failure).to.have.property("type", "dropped");
  });
});
