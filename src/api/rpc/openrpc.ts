import { z } from "zod/v4";

import type { Method } from "./method.ts";

/** Describes methods in the OpenRPC format (https://spec.open-rpc.org). */
export function openRpc(
  methods: readonly Method[],
  description = "What a node does for its users. Parameters are given by position, all of them; null stands for one that is left out.",
): Record<string, unknown> {
  const schemas = new Map<string, unknown>();
  const described = methods.map((method) => ({
    name: method.name,
    summary: method.summary,
    ...(method.isSocketOnly && { description: "Only over WebSocket." }),
    paramStructure: "by-position",
    params: method.params.map(({ name, schema }) => ({
      name,
      required: true,
      schema: describe(schema, "input", schemas),
    })),
    result: {
      name: "result",
      schema: describe(method.result, "output", schemas),
    },
  }));
  return {
    openrpc: "1.3.2",
    info: {
      title: "hardhat-sequencer",
      version: "1",
      description,
    },
    methods: described,
    components: { schemas: Object.fromEntries([...schemas].sort(byName)) },
  };
}

/** Schemas with a name are kept aside, once for the whole document. */
function describe(
  schema: z.ZodType,
  io: "input" | "output",
  schemas: Map<string, unknown>,
): unknown {
  // Only inside of something is a schema referred to by its name.
  const written = JSON.stringify(
    z.toJSONSchema(z.object({ it: schema }), { io, unrepresentable: "any" }),
    // The name is in the key already.
    (key, value: unknown) =>
      key === "id" && typeof value === "string" ? undefined : value,
  ).replaceAll('"#/$defs/', '"#/components/schemas/');
  const { $defs = {}, properties } = JSON.parse(written) as Written;
  for (const [name, definition] of Object.entries($defs)) {
    const known = schemas.get(name) ?? definition;
    if (JSON.stringify(known) !== JSON.stringify(definition))
      throw new Error(`There are two schemas with the name ${name}.`);
    schemas.set(name, definition);
  }
  return properties.it;
}

interface Written {
  readonly $defs?: Readonly<Record<string, unknown>>;
  readonly properties: { readonly it: unknown };
}

function byName(
  [a]: readonly [string, unknown],
  [b]: readonly [string, unknown],
): number {
  return a < b ? -1 : 1;
}
