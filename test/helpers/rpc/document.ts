import { readFileSync } from "node:fs";
import path from "node:path";

import { findMismatch, type Schemas } from "./json-schema.ts";

interface OpenRpcDocument {
  readonly methods: readonly {
    readonly name: string;
    readonly params: readonly { readonly schema: unknown }[];
    readonly result: { readonly schema: unknown };
  }[];
  readonly components: { readonly schemas: Schemas };
}

const file = path.resolve(import.meta.dirname, "../../../docs/openrpc.json");

/** The document, as readers have it. */
export const openRpcDocument = JSON.parse(
  readFileSync(file, "utf8"),
) as OpenRpcDocument;

/** Throws if a result is not what the document says. */
export function requireDocumented(method: string, result: unknown): void {
  const declared = openRpcDocument.methods.find(({ name }) => name === method);
  // Tests have methods of their own.
  if (declared === undefined && method.startsWith("test_")) return;
  if (declared === undefined) throw new Error(`${method} is not documented.`);
  const problem = findMismatch(
    result,
    declared.result.schema,
    openRpcDocument.components.schemas,
  );
  if (problem !== undefined)
    throw new Error(`What ${method} gives is not as documented: ${problem}`);
}
