import { z } from "zod/v4";

import { receiptView } from "../../records.ts";
import { method, type Method } from "../method.ts";
import { json, uuid, word } from "../schemas/basics.ts";
import { query } from "../schemas/query.ts";
import { fullReceipt, receipt, stateReceipt } from "../schemas/transactions.ts";

export const receiptMethods: readonly Method[] = [
  method({
    name: "ptx_getTransactionReceipt",
    summary: "How a transaction ended; null as long as it has not",
    params: { id: uuid },
    result: receipt.nullable(),
    run: ({ id }, { api }) => {
      const found = api.records.receipt(id);
      return found === undefined ? null : receiptView(found);
    },
  }),
  method({
    name: "ptx_getTransactionReceiptFull",
    summary: "How a transaction ended, with what it did",
    params: { id: uuid },
    result: fullReceipt.nullable(),
    run: ({ id }, { api }) => {
      const found = api.records.receipt(id);
      return found === undefined
        ? null
        : api.records.fullReceipt(found, { domainReceipts: true });
    },
  }),
  method({
    name: "ptx_queryTransactionReceipts",
    summary: "Receipts, latest first",
    params: { query },
    result: z.array(receipt).readonly(),
    run: async (params, { api }) =>
      (await api.records.findReceipts(params.query)).map(receiptView),
  }),
  method({
    name: "ptx_getDomainReceipt",
    summary: "What a transaction did, in the words of its domain",
    params: { domain: word, id: uuid },
    result: json,
    run: ({ domain, id }, { api }) => api.records.domainReceipt(domain, id),
  }),
  method({
    name: "ptx_getStateReceipt",
    summary: "The states of a transaction",
    params: { id: uuid },
    result: stateReceipt,
    run: ({ id }, { api }) => api.records.states(id),
  }),
];
