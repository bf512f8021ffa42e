import { expect } from "chai";
import hre from "hardhat";

import { type Hex, parseHex } from "../../src/ledger/index.ts";
import { openChainClient } from "../../src/chain/client/open.ts";
import { type ChainClient, ChainError } from "../../src/chain/ports.ts";
import { impatientTimers } from "../helpers/impatient-timers.ts";
import { aPayer, SubmitterRig } from "../helpers/submitter-rig.ts";

const GWEI = 1_000_000_000n;
/** Looks without a receipt that once were enough to call a transaction dropped, and some more. */
const MANY_LOOKS = 30;

describe("runtime: users' transactions that the chain does not show", function () {
  this.timeout(20_000);

  const payer = aPayer(5);
  const { address } = payer;
  const to = aPayer(9).address;
  const data = parseHex("0x");
  let chain: ChainClient;
  let rig: SubmitterRig;
  /** Answers instead of the chain; undefined leaves it to the chain. */
  let answer: (method: string, params: readonly unknown[]) => unknown;
  const asked = new Map<string, number>();

  beforeEach(async () => {
    chain = openChainClient((await hre.network.create()).provider);
    rig = new SubmitterRig([payer]);
    answer = () => undefined;
    asked.clear();
  });
  afterEach(async () => {
    await rig.stop();
  });

  const start = (options: { readonly settleBlocks?: number } = {}): void => {
    const client: ChainClient = {
      ...chain,
      request: async (method, params) => {
        asked.set(method, (asked.get(method) ?? 0) + 1);
        rig.index.tell();
        const instead = answer(method, params);
        return instead === undefined
          ? await chain.request(method, params)
          : instead;
      },
    };
    rig.start(client, [], options, impatientTimers);
  };
  const isReceipt = (method: string): boolean =>
    method === "eth_getTransactionReceipt";
  const manyLooks = async (): Promise<void> => {
    const looks = (): number => asked.get("eth_getTransactionReceipt") ?? 0;
    await rig.index.until(() => looks() > MANY_LOOKS || rig.ends.length > 0);
  };
  const mine = async (blocks = 1): Promise<void> => {
    await chain.request("hardhat_mine", [`0x${blocks.toString(16)}`]);
    const head = Number(await chain.request("eth_blockNumber", []));
    await rig.index.until(() => rig.index.height >= head);
  };
  const countOf = async (): Promise<number> =>
    Number(await chain.request("eth_getTransactionCount", [address, "latest"]));
  const useNonce = async (nonce: number): Promise<Hex> => {
    const foreign = await payer.signTransaction({
      chainId: 31337n,
      nonce,
      to: address,
      data,
      value: 0n,
      gasLimit: 21_000n,
      maxFeePerGas: 10n * GWEI,
      maxPriorityFeePerGas: GWEI,
    });
    return parseHex(await chain.request("eth_sendRawTransaction", [foreign]));
  };

  it("are not dropped as long as their receipts are missing", async () => {
    answer = (method) => (isReceipt(method) ? null : undefined);
    start();
    const call = rig.submitPublic({ payer }, { to, data });
    await manyLooks();
    expect(await countOf()).to.equal(1);
    expect(rig.ends).to.deep.equal([]);
    expect(rig.submitter.explain(call)).to.match(/nonce 0 .* is used/i);
    answer = () => undefined;
    expect((await rig.endOf(call)).failure).to.equal(undefined);
  });

  for (const counts of ["right", "gone", "wrong"])
    it(`are dropped when somebody else's transaction is found at their nonce (old counts are ${counts})`, async () => {
      let oldBelow = 0;
      answer = (method, params) => {
        if (method === "eth_sendRawTransaction")
          throw new ChainError("unreachable", "It is away.");
        const isOld =
          method === "eth_getTransactionCount" && Number(params[1]) < oldBelow;
        if (!isOld || counts === "right") return undefined;
        if (counts === "wrong") return "0x0";
        throw new ChainError("refused", "missing trie node");
      };
      start();
      const call = rig.submitPublic({ payer }, { to, data });
      await rig.untilAll([call], "nonce");
      for (let i = 0; i < 20; i++) await mine();
      const hash = await useNonce(0);
      const block = Number(await chain.request("eth_blockNumber", []));
      oldBelow = block + 30;
      for (let i = 0; i < 40; i++) await chain.request("evm_mine", []);
      const { failure, place } = await rig.endOf(call);
      expect(failure?.type).to.equal("dropped");
      expect(place).to.include({ block, transactionHash: hash });
    });

  it("wait when no transaction at all used their nonces", async () => {
    answer = (method) => {
      if (method === "eth_sendRawTransaction")
        throw new ChainError("unreachable", "It is away.");
      return undefined;
    };
    start();
    const call = rig.submitPublic({ payer }, { to, data });
    await rig.untilAll([call], "nonce");
    await chain.request("hardhat_setNonce", [address, "0x1"]);
    await mine();
    await manyLooks();
    expect(rig.ends).to.deep.equal([]);
    expect(rig.submitter.explain(call)).to.match(/does not show/);
  });

  it("are watched again when blocks far below the head are taken back", async () => {
    start({ settleBlocks: 3 });
    const call = rig.submitPublic({ payer }, { to, data });
    const before = await rig.endOf(call);
    while (rig.open > 0) await mine();
    rig.ends.length = 0;
    await rig.stop();
    // A reorganisation that did not happen: the same blocks come again.
    rig.index.blocks.length = 0;
    start({ settleBlocks: 3 });
    rig.database.write(() => {
      rig.submitter.reopenAbove(0);
    });
    rig.submitter.onRevert(0);
    const after = await rig.endOf(call);
    expect(after).to.deep.equal(before);
    expect(await countOf()).to.equal(1);
  });

  it("lose their nonce to somebody else only as long as that block stays", async () => {
    let isAway = true;
    answer = (method) => {
      if (isAway && method === "eth_sendRawTransaction")
        throw new ChainError("unreachable", "It is away.");
      return undefined;
    };
    start();
    const call = rig.submitPublic({ payer }, { to, data });
    await rig.untilAll([call], "nonce");
    const snapshot = await chain.request("evm_snapshot", []);
    await useNonce(0);
    expect((await rig.endOf(call)).failure?.type).to.equal("dropped");
    isAway = false;
    await chain.request("evm_revert", [snapshot]);
    await rig.index.until(() => rig.ends.length > 1);
    expect((await rig.endOf(call)).failure).to.equal(undefined);
    expect(await countOf()).to.equal(1);
  });
});
