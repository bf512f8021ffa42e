import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";

import { expect } from "chai";

import {
  buildGroupConfig,
  buildTransition,
  encodeExecute,
  intentIdAt,
  ledgerDomain,
  ledgerErrorOf,
  packEndorsements,
  parseAddress,
  parseBytes32,
  parseCommitment,
  parseLane,
  parseStateId,
  privacyGroupInterface,
  type StateId,
  transitionDigest,
} from "../../src/ledger/index.ts";
import type { IntentId } from "../../src/protocol/ids.ts";
import { createEndorser } from "../../src/keys/secp256k1.ts";
import { keyOf } from "../helpers/cluster.ts";
import { CoinCluster, VALID_FOR_BLOCKS } from "../helpers/coin-cluster.ts";

const carol = "till@carol";
const dave = "till@dave";
const GAS = "0xf00000";

describe("A coin that is spent twice", function () {
  this.timeout(60_000);
  let coins: CoinCluster;

  /** Carol has one coin. */
  beforeEach(async () => {
    coins = await CoinCluster.start();
    const args = { to: carol, amount: "10" };
    await coins.do("mint@alice", "issue(string,uint256)", args);
  });

  afterEach(async () => {
    await coins.stop();
  });

  /** Has calls of the group's contract mined in one block, in this order. Tells which succeeded. */
  async function mineTogether(
    ...calls: readonly string[]
  ): Promise<readonly boolean[]> {
    const { client, account: from, group } = coins;
    await client.request("evm_setAutomine", [false]);
    const hashes: unknown[] = [];
    for (const data of calls)
      hashes.push(
        await client.request("eth_sendTransaction", [
          { from, to: group.address, data, gas: GAS },
        ]),
      );
    await client.request("evm_mine", []);
    await client.request("evm_setAutomine", [true]);
    const receipts = await Promise.all(
      hashes.map(
        async (hash) =>
          (await client.request("eth_getTransactionReceipt", [hash])) as {
            readonly status: string;
          },
      ),
    );
    await coins.seen();
    return receipts.map(({ status }) => status === "0x1");
  }

  /** Why the contract does not take a call. */
  async function refusalOf(data: string): Promise<string | undefined> {
    const { client, account: from, group } = coins;
    const call = { from, to: group.address, data, gas: GAS };
    try {
      await client.request("eth_call", [call, "latest"]);
    } catch (error) {
      return ledgerErrorOf(error)?.type;
    }
    return undefined;
  }

  async function expectPaidOnce(): Promise<void> {
    for (const at of ["alice", "bob", "dave"])
      expect(await coins.balanceOf(dave, at)).to.equal(10);
    for (const at of ["alice", "bob", "carol"])
      expect(await coins.balanceOf(carol, at)).to.equal(0);
  }

  it("is taken once when its owner has two payments endorsed and submits both", async () => {
    const first = await coins.prepare(carol, dave, 10);
    const second = await coins.prepare(carol, dave, 10);
    expect(inputsOf(second)).to.deep.equal(inputsOf(first));
    expect(await mineTogether(first, second)).to.deep.equal([true, false]);
    expect(await refusalOf(second)).to.equal("PrivacyGroupStateNotAvailable");
    await expectPaidOnce();
  });

  it("is taken once when all witnesses conspire", async () => {
    const payment = await coins.prepare(carol, dave, 10);
    const theft = await conspire(coins, inputsOf(payment));
    expect(await refusalOf(theft)).to.equal(undefined);
    expect(await mineTogether(payment, theft)).to.deep.equal([true, false]);
    expect(await refusalOf(theft)).to.equal("PrivacyGroupStateNotAvailable");
    await expectPaidOnce();
  });

  it("is taken once when its owner is restored from a copy, and witnesses have not seen the first payment", async () => {
    const { cluster, group, client, facts, dataDir } = coins;
    const member = cluster.member("carol");
    const disk = join(dataDir, "carol");
    const copy = join(dataDir, "copy");
    const pay = async (): Promise<IntentId> =>
      await member.send({
        group: group.address,
        function: "pay(string,uint256)",
        args: { to: dave, amount: "10" },
        from: "till",
      });
    const dispatched = (): number =>
      facts.filter(
        ({ node, fact }) => node === "carol" && fact.type === "Dispatched",
      ).length;
    const failures = (): readonly string[] =>
      facts.flatMap(({ fact }) =>
        fact.type === "SubmissionFailed" ? [fact.reason] : [],
      );
    await member.stop();
    cpSync(disk, copy, { recursive: true });
    member.start();
    const witnesses = ["alice", "bob"].map((name) => cluster.member(name).node);
    for (const node of witnesses) await node.holdBlocks();
    // So that the copy does not give the same id to another intent, which the ledger would refuse anyway.
    member.node.newIntentId(group.address);
    const first = await pay();
    const { type } = await member.receipt(group.address, first);
    expect(type).to.equal("Confirmed");

    await member.stop();
    rmSync(disk, { recursive: true });
    cpSync(copy, disk, { recursive: true });
    member.start();
    await member.node.holdBlocks();
    const second = await pay();
    expect(second).to.not.equal(first);
    // It is endorsed by all, and on its way to the ledger.
    await coins.until(() => dispatched() === 2);
    for (const node of [...witnesses, member.node]) node.releaseBlocks();
    await coins.until(() => failures().length > 0);
    expect(failures().map((reason) => reason.split(":")[0])).to.deep.equal([
      "PrivacyGroupStateNotAvailable",
    ]);

    // What was dispatched once may still happen, until its bundle is not valid any more.
    for (let i = 0; i < VALID_FOR_BLOCKS; i += 1)
      await client.request("evm_mine", []);
    const receipt = await member.receipt(group.address, second);
    expect(receipt).to.include({
      type: "Reverted",
      reason: `"${carol}" has 0, and 10 is asked for.`,
    });
    await coins.seen();
    await expectPaidOnce();
  });
});

/** What a call spends. */
function inputsOf(call: string): readonly StateId[] {
  const [transition] = privacyGroupInterface.decodeFunctionData(
    "execute",
    call,
  ) as unknown as [{ readonly inputs: readonly string[] }];
  return transition.inputs.map((id) => parseStateId(id));
}

/** A call that spends the same, signed by all witnesses. The rules are nothing to them. */
async function conspire(
  { client, group }: CoinCluster,
  inputs: readonly StateId[],
): Promise<string> {
  const chainId = BigInt(String(await client.request("eth_chainId", [])));
  const word = (byte: string): string => `0x${byte.repeat(32)}`;
  const transition = buildTransition({
    epoch: 0n,
    intents: [intentIdAt(parseLane(word("77").slice(0, 50)), 0n)],
    inputs,
    outputs: [parseCommitment(word("88"))],
    details: parseBytes32(word("99")),
  });
  const address = parseAddress(group.address);
  const domain = ledgerDomain({ chainId, group: address });
  const digest = transitionDigest(domain, transition);
  const conspirators = group.endorsers.map((name) =>
    createEndorser(keyOf(name)),
  );
  const config = buildGroupConfig({
    members: conspirators.map((one) => one.address),
    threshold: 2,
    externalCalls: false,
  });
  const endorsements = await Promise.all(
    conspirators.map(async (one) => ({
      member: one.address,
      signature: await one.sign(digest),
    })),
  );
  return encodeExecute(transition, packEndorsements(config, endorsements));
}
