import { z } from "zod/v4";

import { parseFormat } from "../../abi/format.ts";
import { method, type Method } from "../method.ts";
import { abi, address, format, hex32, json } from "../schemas/basics.ts";

const eventFields = {
  blockNumber: z.int().nonnegative(),
  transactionIndex: z.int().nonnegative(),
  logIndex: z.int().nonnegative(),
  transactionHash: hex32,
  signature: hex32,
};

const event = z.strictObject(eventFields).readonly().meta({ id: "Event" });

const decodedEvent = z
  .strictObject({
    ...eventFields,
    soliditySignature: z.string(),
    address,
    data: json,
  })
  .readonly()
  .meta({ id: "DecodedEvent" });

export const baseLedgerMethods: readonly Method[] = [
  method({
    name: "bidx_getConfirmedBlockHeight",
    summary: "The last block that this node has seen, as 0x and digits",
    params: {},
    result: z.string().regex(/^0x[\da-f]+$/),
    run: (_, { api }) => `0x${api.baseLedger.height().toString(16)}`,
  }),
  method({
    name: "bidx_getTransactionEventsByHash",
    summary: "The events of a transaction of the base ledger",
    params: { hash: hex32 },
    result: z.array(event).readonly(),
    run: async ({ hash }, { api }) => await api.baseLedger.events(hash),
  }),
  method({
    name: "bidx_decodeTransactionEvents",
    summary: "What the events of a transaction of the base ledger say",
    params: { hash: hex32, abi, format },
    result: z.array(decodedEvent).readonly(),
    run: async (params, { api }) =>
      await api.baseLedger.decodedEvents(
        params.hash,
        params.abi,
        parseFormat(params.format),
      ),
  }),
];
