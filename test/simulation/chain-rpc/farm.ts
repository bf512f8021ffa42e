import { expect } from "chai";

import { Chain } from "../../../src/chain/chain.ts";
import { clientLimits } from "../../../src/chain/client/limits.ts";
import { usualFees } from "../../../src/chain/submitter/fees.ts";
import type { Header } from "../../../src/chain/values.ts";
import { ChainError } from "../../../src/chain/ports.ts";
import { SimulatedLedger } from "../../../src/simulation/chain-rpc/ledger.ts";
import { chainClientOf } from "../../../src/simulation/chain-rpc/rpc/client.ts";
import type { ChainTransaction } from "../../../src/simulation/chain-rpc/transaction.ts";
import { Random } from "../../../src/simulation/random.ts";
import { aTestAccount } from "../../helpers/ports/chain-under-test.ts";
import { SimulatedChain } from "../../helpers/simulated-chain.ts";
import { parseHex } from "../../../src/ledger/index.ts";

/** Lets time pass until a request has its answer. */
async function answered<Answer>(
  chain: SimulatedChain,
  request: Promise<Answer>,
): Promise<Answer> {
  let isDone = false;
  const done = request.finally(() => {
    isDone = true;
  });
  done.catch(() => undefined);
  await chain.until(() => isDone);
  return await done;
}

async function errorOf(request: Promise<unknown>): Promise<ChainError> {
  const error: unknown = await request.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ChainError) return error;
  throw new Error("It was not refused.", { cause: error });
}

describe("simulation: the farm in front of the simulated chain", () => {
  let chain: SimulatedChain;
  const user = aTestAccount(1);
  const transfer = async (nonce: number): Promise<ChainTransaction> =>
    chain.ledger.send(await user.sign({ to: user.address, nonce }));
  beforeEach(() => {
    chain = new SimulatedChain(1);
  });

  it("answers only when time passes", async () => {
    const client = chain.client({ latencyMs: [10, 10] });
    let answer: unknown;
    void client.request("eth_blockNumber", []).then((found) => {
      answer = found;
    });
    await chain.pass(9);
    expect(answer).to.equal(undefined);
    await chain.pass(1);
    expect(answer).to.equal("0x0");
  });

  it("has backends that are late by no more than allowed, each with a whole view", async () => {
    const asked = new Chain(chain.client({ backends: 3, lagMax: 4 }));
    const seen = new Set<number>();
    for (let i = 0; i < 60; i++) {
      await transfer(i);
      const height = chain.mine();
      const head = await answered(chain, asked.header("latest"));
      if (head === undefined) throw new Error("There is no head.");
      seen.add(height - head.number);
      expect(chain.ledger.tree.byHash(head.hash)?.number).to.equal(head.number);
    }
    expect(Math.max(...seen)).to.be.within(1, 4);
    expect(Math.min(...seen)).to.equal(0);
  });

  it("has backends that stay on the old branch for a while", async () => {
    const client = chain.client({ backends: 2, lagMax: 4 });
    const asked = new Chain(client);
    for (let i = 0; i < 6; i++) chain.mine();
    client.endpoint.isLate = false;
    const before = await answered(chain, asked.header(5));
    await answered(chain, asked.header(5));
    client.endpoint.isLate = true;
    chain.reorganise(3, new Random(1));
    const answers: (Header | undefined)[] = [];
    for (let i = 0; i < 40; i++)
      answers.push(await answered(chain, asked.header(5)));
    const hashes = answers.map((header) => header?.hash);
    expect(hashes).to.include(before?.hash);
    const after = chain.ledger.tree.blockAt(chain.ledger.head, 5)?.hash;
    expect(hashes.at(-1)).to.equal(after);
    // Old blocks are still known by their hashes, and those that came after them.
    const old = await answered(chain, asked.headerOf(before?.hash ?? ""));
    expect(old).to.deep.equal(before);
  });

  it("counts transactions as of each branch", async () => {
    const { ledger } = chain;
    const old = ledger.head;
    await transfer(0);
    chain.mine();
    const left = ledger.head;
    ledger.reorganise({
      depth: 1,
      blocks: 2,
      timestampMs: 1_800_000_000_000,
      isLost: () => true,
    });
    const count = (at: typeof old): number =>
      ledger.accountAt(user.address, at).nonce;
    expect([count(old), count(left), count(ledger.head)]).to.deep.equal([
      0, 1, 0,
    ]);
    const { hash } = await transfer(0);
    chain.mine();
    expect(count(ledger.head)).to.equal(1);
    expect(ledger.placeOf(hash, left)?.block).to.equal(left);
    expect(ledger.placeOf(hash, ledger.head)?.block).to.equal(ledger.head);
    expect(ledger.placeOf(hash, old)).to.equal(undefined);
  });

  it("lets transactions wait again after a reorganisation, or loses them", async () => {
    const { ledger } = chain;
    const [kept, lost] = [await transfer(0), await transfer(1)];
    chain.mine();
    ledger.takeBack({ depth: 1, isLost: ({ hash }) => hash === lost.hash });
    expect(ledger.mempool.transactions).to.deep.equal([kept]);
    chain.mine();
    expect(ledger.placeOf(kept.hash, ledger.head)?.block.number).to.equal(1);
    expect(ledger.placeOf(lost.hash, ledger.head)).to.equal(undefined);
  });

  it("takes a transaction, forgets it, and takes it again", async () => {
    const client = chain.client({ faults: { dropTransactions: 1 } });
    const raw = await user.sign({ to: user.address, nonce: 0 });
    const send = async (): Promise<unknown> =>
      await answered(chain, client.request("eth_sendRawTransaction", [raw]));
    const hash = await send();
    expect(chain.ledger.mempool.size).to.equal(0);
    client.endpoint.hasFaults = false;
    expect(await send()).to.equal(hash);
    expect(chain.ledger.mempool.size).to.equal(1);
  });

  it("takes from a late backend what the chain has no use for, and forgets it", async () => {
    const client = chain.client({ lagMax: 1_000 });
    for (let i = 0; i < 10; i++) chain.mine();
    await transfer(0);
    chain.mine();
    const raw = await user.sign({
      to: user.address,
      nonce: 0,
      data: parseHex("0x01"),
    });
    await answered(chain, client.request("eth_sendRawTransaction", [raw]));
    expect(chain.ledger.mempool.size).to.equal(0);
    client.endpoint.isLate = false;
    const error = await errorOf(
      answered(chain, client.request("eth_sendRawTransaction", [raw])),
    );
    expect(error.message).to.match(/^nonce too low: next nonce 1/);
  });

  it("hangs until the client gives up, and pauses when there are too many requests", async () => {
    const client = chain.client({ faults: { hang: 1 } });
    const hanging = client.request("eth_blockNumber", []);
    hanging.catch(() => undefined);
    let isOver = false;
    void hanging.catch(() => (isOver = true));
    await chain.pass(clientLimits.requestMs - 1);
    expect(isOver).to.equal(false);
    await chain.pass(1);
    const error = await errorOf(hanging);
    expect(error.kind).to.equal("unreachable");
    client.endpoint.faults = {
      ...client.endpoint.faults,
      hang: 0,
      rateLimit: 1,
    };
    const limited = client.request("eth_blockNumber", []);
    await chain.pass(100);
    client.endpoint.hasFaults = false;
    expect(await answered(chain, limited)).to.equal("0x0");
  });

  it("says nothing while it hangs, and tells of heads afterwards", async () => {
    const client = chain.client({ tellsHeads: true });
    let heads = 0;
    const end = client.onHead(() => heads++);
    client.endpoint.isHanging = true;
    chain.mine();
    await chain.pass(100);
    client.endpoint.isHanging = false;
    chain.mine();
    await chain.pass(100);
    expect(heads).to.equal(1);
    end();
    chain.mine();
    await chain.pass(100);
    expect(heads).to.equal(1);
    await client.close();
    expect((await errorOf(client.request("eth_chainId", []))).kind).to.equal(
      "unreachable",
    );
  });

  it("mines the best offers first, each sender's in order, and as many as fit", async () => {
    const { ledger } = chain;
    const GWEI = 1_000_000_000n;
    const [poor, rich] = [aTestAccount(2), aTestAccount(3)];
    const send = async (
      from: typeof poor,
      nonce: number,
      tip: bigint,
      gasLimit = 21_000n,
    ): Promise<string> =>
      ledger.send(
        await from.sign({
          to: from.address,
          nonce,
          gasLimit,
          maxPriorityFeePerGas: tip,
        }),
      ).hash;
    const hashes = [
      await send(poor, 0, GWEI),
      await send(rich, 1, 9n * GWEI),
      await send(rich, 0, 3n * GWEI),
      await send(poor, 1, 5n * GWEI, 16_000_000n),
    ];
    const large = aTestAccount(4);
    for (let i = 0; i < 3; i++) await send(large, i, 4n * GWEI, 16_000_000n);
    const order = [hashes[2], hashes[1], hashes[0], hashes[3]];
    const block = ledger.mine({ timestampMs: 0 });
    const mined = block.transactions.map(({ transaction }) => transaction.hash);
    expect(mined.filter((hash) => order.includes(hash))).to.deep.equal(order);
    expect(block.transactions.length).to.be.within(5, 7);
  });

  it("can be a chain without a base fee, which takes legacy transactions only", async () => {
    const ledger = new SimulatedLedger({ baseFee: undefined });
    const random = new Random(1);
    const client = chainClientOf({ ledger, timers: chain.timers, random });
    ledger.mine({ timestampMs: 0 });
    const options = { tip: 1n, caps: { maxFee: 10n ** 12n, tip: 10n ** 12n } };
    const fees = await answered(chain, usualFees(new Chain(client), options));
    expect(fees.isLegacy).to.equal(true);
    const to = user.address;
    const modern = await user.sign({ to, nonce: 0 });
    expect(() => ledger.send(modern)).to.throw("not supported");
    const { hash } = ledger.send(
      await user.sign({ to, nonce: 0, gasPrice: fees.maxFee }),
    );
    ledger.mine({ timestampMs: 0 });
    const receipt = await answered(chain, new Chain(client).receiptOf(hash));
    expect(receipt?.isSuccess).to.equal(true);
  });
});
