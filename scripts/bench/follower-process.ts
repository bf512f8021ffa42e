/**
 * A passive replica of a node in a process of its own. Says "following" once it is; then, for each line that it reads, how far behind
 * it was since the line before, in milliseconds: a list of samples.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { machineTimers } from "../../src/async/timers.ts";
import { replicaDefaults } from "../../src/replica/options.ts";
import { Replica } from "../../src/replica/replica.ts";
import { migrations } from "../../src/store/schema.ts";
import { openMachineDisk } from "../../src/store/disk.ts";

const SAMPLE_MS = 10;

const [url, schema, name] = process.argv.slice(2);
if (url === undefined || schema === undefined || name === undefined)
  throw new Error("Arguments: URL, schema and the name of the node.");

const fail = (error: unknown): never => {
  console.error(error);
  process.exit(1);
};
const directory = mkdtempSync(join(tmpdir(), "follower-"));
const replica = new Replica(
  {
    ...replicaDefaults,
    ...{ url, schema, name: "follower", file: join(directory, "node.db") },
    node: {
      name,
      chainId: 31_337n,
      factory: "none",
      publicKey: "none",
      account: "none",
      walletPrint: "none",
      storeFormat: migrations.length,
    },
    about: { version: "bench" },
  },
  {
    timers: machineTimers,
    openDisk: openMachineDisk,
    activate: () => fail(new Error("The node has lost its lease.")),
    onRole: () => undefined,
    onFact: (fact) => {
      if (fact.type === "Trouble" && fact.error !== undefined)
        console.error(fact.error);
    },
    onAppend: () => undefined,
    exit: fail,
  },
);
await replica.start();

let samples: number[] = [];
const sampling = setInterval(() => {
  const { lagMs } = replica.sample();
  if (lagMs !== undefined) samples.push(lagMs);
}, SAMPLE_MS);
console.log("following");

for await (const _ of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(samples));
  samples = [];
}
clearInterval(sampling);
await replica.stop();
rmSync(directory, { recursive: true });
process.exit();
