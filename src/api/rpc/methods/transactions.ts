import { z } from "zod/v4";

import { parseFormat } from "../../abi/format.ts";
import { UserError } from "../../errors.ts";
import type { TransactionInput } from "../../input.ts";
import { transactionView } from "../../records.ts";
import { type Context, method, type Method } from "../method.ts";
import { json, list, uuid, word } from "../schemas/basics.ts";
import { query } from "../schemas/query.ts";
import {
  callInput,
  fullTransaction,
  preparedTransaction,
  transaction,
  transactionInput,
} from "../schemas/transactions.ts";

/** Transactions in one request: as many as in a batch. */
const inputs = list(transactionInput, { min: 1, max: 100 });

export const transactionMethods: readonly Method[] = [
  method({
    name: "ptx_sendTransaction",
    summary: "Takes a transaction; gives its id once it is durable",
    params: { transaction: transactionInput },
    result: uuid,
    run: async ({ transaction: input }, context) =>
      one(await send([input], context, false)),
  }),
  method({
    name: "ptx_sendTransactions",
    summary: "Takes several transactions, all or none; gives their ids",
    params: { transactions: inputs },
    result: z.array(uuid).readonly(),
    run: async (params, context) =>
      await send(params.transactions, context, false),
  }),
  method({
    name: "ptx_prepareTransaction",
    summary: "Takes a transaction that is endorsed but not submitted",
    params: { transaction: transactionInput },
    result: uuid,
    run: async ({ transaction: input }, context) =>
      one(await send([input], context, true)),
  }),
  method({
    name: "ptx_prepareTransactions",
    summary: "Takes several transactions that are endorsed but not submitted",
    params: { transactions: inputs },
    result: z.array(uuid).readonly(),
    run: async (params, context) =>
      await send(params.transactions, context, true),
  }),
  method({
    name: "ptx_getPreparedTransaction",
    summary: "A prepared transaction, once it is endorsed",
    params: { id: uuid },
    result: preparedTransaction.nullable(),
    run: ({ id }, { api }) => api.preparations.find(id) ?? null,
  }),
  method({
    name: "ptx_call",
    summary: "Asks without a transaction; gives the outputs by name",
    params: { call: callInput },
    result: json,
    run: async ({ call }, { api }) =>
      await api.calls.call(call, parseFormat(call.dataFormat)),
  }),
  method({
    name: "ptx_getTransaction",
    summary: "A transaction",
    params: { id: uuid },
    result: transaction.nullable(),
    run: ({ id }, { api }) => {
      const found = api.records.transaction(id);
      return found === undefined ? null : transactionView(found);
    },
  }),
  method({
    name: "ptx_getTransactionFull",
    summary: "A transaction with what became of it",
    params: { id: uuid },
    result: fullTransaction.nullable(),
    run: ({ id }, { api }) => {
      const found = api.records.transaction(id);
      return found === undefined ? null : api.records.full(found);
    },
  }),
  method({
    name: "ptx_getTransactionByIdempotencyKey",
    summary: "The transaction that was sent with a key",
    params: { idempotencyKey: word },
    result: transaction.nullable(),
    run: ({ idempotencyKey }, { api }) => {
      const found = api.records.byIdempotencyKey(idempotencyKey);
      return found === undefined ? null : transactionView(found);
    },
  }),
  method({
    name: "ptx_queryTransactions",
    summary: "Transactions, newest first",
    params: { query },
    result: z.array(transaction).readonly(),
    run: async ({ query: wanted }, { api }) =>
      (await api.records.find(wanted, { isPending: false })).map(
        transactionView,
      ),
  }),
  method({
    name: "ptx_queryTransactionsFull",
    summary: "Transactions with what became of them, newest first",
    params: { query },
    result: z.array(fullTransaction).readonly(),
    run: async (params, { api }) =>
      await api.records.findFull(params.query, { isPending: false }),
  }),
  method({
    name: "ptx_queryPendingTransactions",
    summary: "Transactions without a receipt, newest first",
    params: { query, full: z.boolean().nullable() },
    result: z.array(z.union([transaction, fullTransaction])).readonly(),
    run: async ({ query: wanted, full }, { api }) =>
      full === true
        ? await api.records.findFull(wanted, { isPending: true })
        : (await api.records.find(wanted, { isPending: true })).map(
            transactionView,
          ),
  }),
];

async function send(
  transactions: readonly TransactionInput[],
  { api }: Context,
  isPrepareOnly: boolean,
): Promise<readonly string[]> {
  if (isPrepareOnly && transactions.some(({ type }) => type !== "private"))
    throw new UserError("PD012225", "Only private transactions are prepared");
  return await api.submissions.send(transactions, { isPrepareOnly });
}

function one(ids: readonly string[]): string {
  const [id] = ids;
  if (id === undefined) throw new Error("A transaction has no id.");
  return id;
}
