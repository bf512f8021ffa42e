import {
  decodeLogs,
  type LedgerLog,
  privacyGroupInterface,
} from "../../../../src/ledger/index.ts";
import type { Chain } from "../chain/chain.ts";
import type { Ledger, Transition } from "./evidence.ts";

interface Log extends LedgerLog {
  readonly blockNumber: string;
}

interface Block {
  readonly transactions: readonly {
    readonly hash: string;
    readonly to: string | null;
  }[];
}

/** Reads what the chain has of a group, when nothing is mined any more. `intents` are those that nodes accepted. */
export async function collectLedger(
  chain: Chain,
  {
    group,
    intents,
  }: { readonly group: string; readonly intents: readonly string[] },
): Promise<Ledger> {
  const head = await chain.height();
  const transitions = await collectTransitions(chain, group);
  const isTrue = async (
    method: "isUnspent" | "isFulfilled",
    ids: Iterable<string>,
  ): Promise<Readonly<Record<string, boolean>>> => {
    const entries: [string, boolean][] = [];
    for (const id of new Set(ids)) {
      const data = privacyGroupInterface.encodeFunctionData(method, [id]);
      const call = { to: group, data };
      const answer = await chain.request<string>("eth_call", call, "latest");
      entries.push([id, BigInt(answer) === 1n]);
    }
    return Object.fromEntries(entries);
  };
  return {
    head,
    transitions,
    isUnspent: await isTrue(
      "isUnspent",
      transitions.flatMap(({ outputs }) => outputs),
    ),
    isFulfilled: await isTrue("isFulfilled", [
      ...intents,
      ...transitions.flatMap((one) => one.intents),
    ]),
    ...(await transactionsOf(chain, { group, head })),
  };
}

/** All transitions of a group, in the order of the chain. */
export async function collectTransitions(
  chain: Chain,
  group: string,
): Promise<readonly Transition[]> {
  const logs = await chain.request<readonly Log[]>("eth_getLogs", {
    address: group,
    fromBlock: "0x0",
    toBlock: "latest",
  });
  return decodeLogs(logs).flatMap((fact): Transition[] =>
    fact.type === "Transitioned"
      ? [
          {
            block: Number(fact.log.blockNumber),
            transactionHash: fact.log.transactionHash,
            transitionHash: fact.transitionHash,
            intents: fact.intents,
            inputs: fact.inputs,
            outputs: fact.outputs,
          },
        ]
      : [],
  );
}

/** Transactions that were mined, whether they did something or not. */
async function transactionsOf(
  chain: Chain,
  { group, head }: { readonly group: string; readonly head: number },
): Promise<Pick<Ledger, "transactions" | "reverted">> {
  const reverted: { block: number; hash: string }[] = [];
  let transactions = 0;
  for (let block = 0; block <= head; block += 1) {
    const number = `0x${block.toString(16)}`;
    const method = "eth_getBlockByNumber";
    const found = await chain.request<Block>(method, number, true);
    for (const { hash, to } of found.transactions) {
      if (to?.toLowerCase() !== group) continue;
      transactions += 1;
      const { status } = await chain.request<{ readonly status: string }>(
        "eth_getTransactionReceipt",
        hash,
      );
      if (Number(status) === 0) reverted.push({ block, hash });
    }
  }
  return { transactions, reverted };
}
