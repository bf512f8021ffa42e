import type { ChainClient } from "../../src/chain/ports.ts";
import type { RunSummary } from "../../src/view/facts.ts";

/** More blocks than this are not searched: the summary is not worth it. */
const blocksMax = 20_000;
/** Questions at a time. */
const atOnce = 32;

/** Counts the transactions of a group since a block. The chain is asked, not the nodes. */
export async function countOnChain(
  client: ChainClient,
  {
    group,
    fromBlock,
    intents,
  }: {
    readonly group: string;
    readonly fromBlock: number;
    readonly intents: number;
  },
): Promise<RunSummary["ledger"]> {
  const ask = async (method: string, ...params: unknown[]): Promise<unknown> =>
    await client.request(method, params);
  const head = Number(await ask("eth_blockNumber"));
  if (head - fromBlock >= blocksMax) return null;
  const numbers = Array.from(
    { length: Math.max(0, head - fromBlock + 1) },
    (_, i) => fromBlock + i,
  );
  const blocks = await inTurns(
    numbers,
    async (number) =>
      await ask("eth_getBlockByNumber", `0x${number.toString(16)}`, true),
  );
  const hashes = blocks.flatMap((block) =>
    listOf(fieldOf(block, "transactions"))
      .filter(
        (transaction) =>
          String(fieldOf(transaction, "to")).toLowerCase() === group,
      )
      .map((transaction) => fieldOf(transaction, "hash")),
  );
  const receipts = await inTurns(
    hashes,
    async (hash) => await ask("eth_getTransactionReceipt", hash),
  );
  const gasUsed = receipts.reduce<bigint>(
    (sum, receipt) => sum + BigInt(String(fieldOf(receipt, "gasUsed"))),
    0n,
  );
  return {
    transactions: receipts.length,
    reverted: receipts.filter(
      (receipt) => Number(fieldOf(receipt, "status")) === 0,
    ).length,
    gasUsed: gasUsed.toString(),
    gasPerIntent: intents > 0 ? Math.round(Number(gasUsed) / intents) : null,
  };
}

async function inTurns<Question, Answer>(
  questions: readonly Question[],
  ask: (question: Question) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let i = 0; i < questions.length; i += atOnce)
    answers.push(
      ...(await Promise.all(questions.slice(i, i + atOnce).map(ask))),
    );
  return answers;
}

function fieldOf(value: unknown, name: string): unknown {
  return Reflect.get(Object(value), name);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
