import { expect } from "chai";
import hre from "hardhat";

import {
  type Address,
  type Hex,
  parseAddress,
  parseHex,
} from "../../src/ledger/index.ts";
import type { Digest } from "../../src/protocol/ids.ts";
import { createWallet } from "../../src/keys/wallet.ts";
import { openChainClient } from "../../src/chain/client/open.ts";
import type { PublicEnd } from "../../src/chain/submitter/public-end.ts";
import { type ChainClient, ChainError } from "../../src/chain/ports.ts";
import { openTestLedger, type TestGroup } from "../helpers/runtime-ledger.ts";
import { aPayer, SubmitterRig } from "../helpers/submitter-rig.ts";
import { aTill } from "../helpers/till.ts";

const GWEI = 1_000_000_000n;
const quantity = (value: bigint): string => `0x${value.toString(16)}`;

describe("runtime: users' transactions", function () {
  this.timeout(20_000);

  let client: ChainClient;
  let group: TestGroup;
  let rig: SubmitterRig;
  let till: Address;
  const payer = aPayer(5);
  const { bytecode, coder } = aTill();
  const deployment = (first: number): Hex =>
    parseHex(bytecode + coder.encodeDeploy([first]).slice(2));
  const add = (amount: number): { to: Address; data: Hex } => ({
    to: till,
    data: parseHex(coder.encodeFunctionData("add", [amount, ""])),
  });
  const take = (amount: number): { to: Address; data: Hex } => ({
    to: till,
    data: parseHex(coder.encodeFunctionData("take", [amount])),
  });

  beforeEach(async () => {
    client = openChainClient((await hre.network.create()).provider);
    const ledger = await openTestLedger(client);
    group = await ledger.createGroup();
    rig = new SubmitterRig([payer]);
    rig.faucet = async (address, needed) => {
      const balance = quantity(needed + 10n ** 20n);
      await client.request("hardhat_setBalance", [address, balance]);
      return true;
    };
    rig.start(client, [group]);
    const end = await rig.endOf(
      rig.submitPublic({ payer }, { data: deployment(5) }),
    );
    till = parseAddress(end.contractAddress);
  });
  afterEach(async () => {
    await rig.stop();
  });

  const total = async (): Promise<number> => {
    const data = coder.encodeFunctionData("total");
    const answer = await client.request("eth_call", [
      { to: till, data },
      "latest",
    ]);
    return Number(answer);
  };
  const countOf = async (address: Address): Promise<number> =>
    Number(
      await client.request("eth_getTransactionCount", [address, "latest"]),
    );
  const mine = async (): Promise<void> => {
    await client.request("evm_mine", []);
    const head = Number(await client.request("eth_blockNumber", []));
    await rig.index.until(() => rig.index.height >= head);
  };
  const mineByHand = async (): Promise<void> => {
    await client.request("evm_setAutomine", [false]);
  };
  const without = (method: string): ChainClient => ({
    ...client,
    request: async (asked, params) => {
      if (asked === method) throw new ChainError("unreachable", "It is away.");
      return await client.request(asked, params);
    },
  });
  const endsOf = (digest: Digest): readonly PublicEnd[] =>
    rig.ends.filter((end) => end.digest === digest);

  it("create contracts, call them, and pass money on", async () => {
    expect(await total()).to.equal(5);
    const call = rig.submitPublic({ payer }, { ...add(3), value: 7n });
    const end = await rig.endOf(call);
    expect(end).to.include({ failure: undefined, contractAddress: undefined });
    expect(end.transaction).to.include({
      from: payer.address,
      to: till,
      nonce: 1,
    });
    const receipt = await client.request("eth_getTransactionReceipt", [
      end.place?.transactionHash,
    ]);
    expect(receipt).to.include({ status: "0x1" });
    expect(await total()).to.equal(8);
    expect(
      Number(await client.request("eth_getBalance", [till, "latest"])),
    ).to.equal(7);
  });

  it("are signed by the user's own key, who gets money first", async () => {
    const ann = rig.wallet.keyOf("ann").address;
    const calls = [1, 2, 3].map((amount) =>
      rig.submitPublic({ userName: "ann" }, add(amount)),
    );
    for (const call of calls) {
      const { transaction, failure } = await rig.endOf(call);
      expect(transaction.from).to.equal(ann);
      expect(failure).to.equal(undefined);
    }
    expect(await total()).to.equal(11);
    expect(await countOf(ann)).to.equal(3);
  });

  it("wait for money where nobody gives it away", async () => {
    const { faucet } = rig;
    rig.faucet = async () => await Promise.resolve(false);
    const call = rig.submitPublic({ userName: "ann" }, add(1));
    await rig.index.until(() => rig.troubles.length > 0);
    expect(rig.troubles[0]?.message).to.match(/funds/);
    expect(rig.submitter.explain(call)).to.match(/cannot get anything mined/);
    await faucet(rig.wallet.keyOf("ann").address, 0n);
    expect((await rig.endOf(call)).failure).to.equal(undefined);
    expect(rig.submitter.explain(call)).to.equal(undefined);
  });

  it("tell what a contract said when they revert", async () => {
    const call = rig.submitPublic({ payer }, take(6));
    const { failure, place } = await rig.endOf(call);
    const data = coder.encodeErrorResult("TooMuch", [5, 6]);
    expect(failure).to.deep.equal({ type: "reverted", data });
    expect(place?.block).to.equal(rig.index.height);
    const broken = rig.submitPublic({ payer }, { data: deployment(666) });
    const end = await rig.endOf(broken);
    expect(end.failure).to.have.property("type", "reverted");
    expect(end.contractAddress).to.equal(undefined);
  });

  it("end as dropped when no node takes them, and leave no gap", async () => {
    const call = rig.submitPublic({ payer }, { ...add(1), gasLimit: 21_001n });
    const next = rig.submitPublic({ payer }, add(2));
    const { failure, transaction, place } = await rig.endOf(call);
    expect(failure?.type).to.equal("dropped");
    expect(failure)
      .to.have.property("reason")
      .that.match(/gas.*An empty/);
    expect(transaction.nonce).to.equal(1);
    expect(place?.transactionHash).to.equal(transaction.transactionHash);
    expect((await rig.endOf(next)).failure).to.equal(undefined);
    expect(await total()).to.equal(7);
    expect(await countOf(payer.address)).to.equal(3);
  });

  it("happen once when the node is restarted before it has sent them", async () => {
    await rig.stop();
    rig.start(without("eth_sendRawTransaction"), [group]);
    const call = rig.submitPublic({ userName: "ann" }, add(1));
    await rig.untilAll([call], "nonce");
    await rig.stop();
    rig.start(client, [group]);
    expect((await rig.endOf(call)).transaction.nonce).to.equal(0);
    expect(await total()).to.equal(6);
  });

  it("are told again after a restart, and forgotten when they are settled", async () => {
    const call = rig.submitPublic({ userName: "ann" }, add(1));
    const first = await rig.endOf(call);
    await rig.stop();
    rig.ends.length = 0;
    rig.start(client, [group], { settleBlocks: 3 });
    expect(await rig.endOf(call)).to.deep.equal(first);
    expect(rig.submitter.sent(call)).to.include({ nonce: 0 });
    while (rig.open > 0) await mine();
    expect(rig.submitter.sent(call)).to.equal(undefined);
    const again = rig.submitPublic({ userName: "ann" }, add(1));
    expect((await rig.endOf(again)).transaction.nonce).to.equal(1);
  });

  it("happen once more, with the same nonce, when the chain took them back", async () => {
    const snapshot = await client.request("evm_snapshot", []);
    const call = rig.submitPublic({ userName: "ann" }, add(1));
    const before = await rig.endOf(call);
    await mine();
    await client.request("evm_revert", [snapshot]);
    // The money that was given is gone too.
    await rig.index.until(() => endsOf(call).length > 1);
    expect(rig.index.reverts).to.not.deep.equal([]);
    const after = await rig.endOf(call);
    expect(after.transaction.nonce).to.equal(before.transaction.nonce);
    expect(await total()).to.equal(6);
    expect(await countOf(rig.wallet.keyOf("ann").address)).to.equal(1);
  });

  it("keep their nonces when the chain forgot those before them", async () => {
    await rig.stop();
    rig.start(client, [group], { settleBlocks: 2 });
    const snapshot = await client.request("evm_snapshot", []);
    for (let i = 0; i < 5; i++)
      await rig.endOf(rig.submitPublic({ payer }, add(0)));
    while (rig.open > 0) await mine();
    await mineByHand();
    const call = rig.submitPublic({ payer }, add(1));
    await rig.untilAll([call], "submitted");
    const { nonce } = rig.submitter.sent(call) ?? {};
    expect(nonce).to.equal(6);
    await client.request("evm_revert", [snapshot]);
    await client.request("evm_setAutomine", [true]);
    expect((await rig.endOf(call)).transaction.nonce).to.equal(nonce);
    expect(await total()).to.equal(6);
    expect(await countOf(payer.address)).to.equal(7);
  });

  it("are given up when somebody else used their nonces", async () => {
    await rig.stop();
    const impatient = {
      now: () => performance.now(),
      after: (ms: number, run: () => void) => {
        const timer = setTimeout(run, ms / 50);
        return () => {
          clearTimeout(timer);
        };
      },
    };
    rig.start(without("eth_sendRawTransaction"), [group], {}, impatient);
    const call = rig.submitPublic({ payer }, add(1));
    await rig.untilAll([call], "nonce");
    const foreign = await payer.signTransaction({
      chainId: 31337n,
      nonce: 1,
      to: payer.address,
      data: parseHex("0x"),
      value: 0n,
      gasLimit: 21_000n,
      maxFeePerGas: 10n * GWEI,
      maxPriorityFeePerGas: GWEI,
    });
    const hash = await client.request("eth_sendRawTransaction", [foreign]);
    const { failure, place, transaction } = await rig.endOf(call);
    expect(failure)
      .to.have.property("reason")
      .that.match(/has its nonce, 1/);
    expect(failure).to.have.property("reason").that.include(hash);
    expect(place?.transactionHash).to.equal(hash);
    expect(transaction.transactionHash).to.not.equal(hash);
    await rig.stop();
    rig.start(client, [group]);
    const next = rig.submitPublic({ payer }, add(2));
    expect((await rig.endOf(next)).failure).to.equal(undefined);
    expect(await total()).to.equal(7);
  });

  it("offer what the user wants, and never more", async () => {
    await mineByHand();
    await rig.stop();
    rig.start(client, [group], { resubmitBlocks: 1 });
    const wanted = { maxFee: 3n * GWEI, tip: GWEI };
    const call = rig.submitPublic({ payer }, { ...add(1), wanted });
    await rig.untilAll([call], "submitted");
    for (let i = 0; i < 4; i++) {
      await client.request("hardhat_setNextBlockBaseFeePerGas", [
        quantity(5n * GWEI),
      ]);
      await mine();
    }
    expect(endsOf(call)).to.deep.equal([]);
    expect(rig.submitter.explain(call)).to.match(/waits for a block/);
    await client.request("hardhat_setNextBlockBaseFeePerGas", [quantity(GWEI)]);
    await mine();
    const { place } = await rig.endOf(call);
    const mined = await client.request("eth_getTransactionByHash", [
      place?.transactionHash,
    ]);
    expect(mined).to.include({
      maxFeePerGas: quantity(wanted.maxFee),
      maxPriorityFeePerGas: quantity(wanted.tip),
    });
  });

  it("end also when they do what a group was to do", async () => {
    const { data, transition } = group.endorse();
    const call = rig.submitPublic({ payer }, { to: group.to, data });
    expect((await rig.endOf(call)).failure).to.equal(undefined);
    expect(rig.index.transitionsOf(group.address)).to.have.lengthOf(1);
    expect(transition.intents).to.have.lengthOf(1);
  });

  it("end as dropped when the key that should sign them is gone", async () => {
    await rig.stop();
    rig.start(without("eth_maxPriorityFeePerGas"), [group]);
    const call = rig.submitPublic({ userName: "ann" }, add(1));
    await rig.index.until(() => rig.troubles.length > 0);
    await rig.stop();
    rig.wallet = createWallet();
    rig.start(client, [group]);
    const { failure } = await rig.endOf(call);
    expect(failure)
      .to.have.property("reason")
      .that.match(/not have the key/);
    expect(rig.open).to.equal(1);
  });
});
