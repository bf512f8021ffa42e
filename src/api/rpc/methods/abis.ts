import { z } from "zod/v4";

import { parseFormat } from "../../abi/format.ts";
import { method, type Method } from "../method.ts";
import {
  abi,
  abiEntry,
  format,
  hex,
  hex32,
  json,
  list,
} from "../schemas/basics.ts";
import { query } from "../schemas/query.ts";

const storedAbi = z
  .strictObject({ hash: hex32, abi: z.array(abiEntry).readonly() })
  .readonly()
  .meta({ id: "StoredAbi" });

const decoded = z
  .strictObject({
    data: json,
    definition: abiEntry,
    signature: z.string(),
    summary: z.string().optional(),
  })
  .readonly()
  .meta({ id: "Decoded" });

export const abiMethods: readonly Method[] = [
  method({
    name: "ptx_storeABI",
    summary: "Keeps an ABI, for decoding and for references; gives its hash",
    params: { abi },
    result: hex32,
    run: async (params, { api }) => await api.abis.store(params.abi),
  }),
  method({
    name: "ptx_getStoredABI",
    summary: "An ABI by its hash",
    params: { hash: hex32 },
    result: storedAbi.nullable(),
    run: ({ hash }, { api }) => api.abis.get(hash) ?? null,
  }),
  method({
    name: "ptx_queryStoredABIs",
    summary: "ABIs, newest first",
    params: { query },
    result: z.array(storedAbi).readonly(),
    run: async (params, { api }) => await api.abis.find(params.query),
  }),
  method({
    name: "ptx_decodeCall",
    summary: "What a call says, according to the stored ABIs",
    params: { data: hex, format },
    result: decoded,
    run: (params, { api }) =>
      api.abis.decodeCall(params.data, parseFormat(params.format)),
  }),
  method({
    name: "ptx_decodeError",
    summary: "What a revert says, according to the stored ABIs",
    params: { data: hex, format },
    result: decoded,
    run: (params, { api }) =>
      api.abis.decodeError(params.data, parseFormat(params.format)),
  }),
  method({
    name: "ptx_decodeEvent",
    summary: "What an event says, according to the stored ABIs",
    params: { topics: list(hex32, { max: 4 }), data: hex, format },
    result: decoded,
    run: (params, { api }) =>
      api.abis.decodeEvent(
        params.topics,
        params.data,
        parseFormat(params.format),
      ),
  }),
];
