import { createInterface } from "node:readline";

import type { PostgresServer } from "./postgres.ts";
import { Writer } from "./replica.ts";

/**
 * A process that wants the lease. For every line that it reads it says one: "take", "certain" (whether it may answer as the holder),
 * or anything else, which it appends.
 */
const [url, schema, name] = process.argv.slice(2);
if (url === undefined || schema === undefined || name === undefined)
  throw new Error("Arguments: URL, schema and name.");
const writer = new Writer({ url } as PostgresServer, { schema, name });

for await (const line of createInterface({ input: process.stdin })) {
  const answer =
    line === "take"
      ? (await writer.take())?.epoch
      : line === "certain"
        ? writer.lease.isCertain
        : await writer.append(line);
  console.log(JSON.stringify(answer ?? null));
}
