// Measures the nodes of one tree for the process that started this one. Its arguments are the folder of the tree, and options
// of Node for the processes of nodes. All that speaks to nodes is of that tree, so that any revision will do that has spenders
// in processes of their own.
import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";

import type * as Chains from "../chains.ts";
import type * as AllSpenders from "../spenders/spenders.ts";
import { listenForUsage } from "./listen.ts";
import type { TreeAnswer, TreeRequest, TreeRequests } from "./tree-requests.ts";
import { type Measured, type Usage, usageBetween } from "./usage.ts";

/** Where the machine is busy with other things, nobody takes a slow node for a dead one, which would cost all of them work. */
const patient = {
  heartbeatGrace: 100,
  requestMs: 20_000,
  requestMsMax: 20_000,
  stateMs: 20_000,
  suspicionMs: 60_000,
  validForBlocks: 5_000,
};
/** A block every so many milliseconds. */
const MINING_MS = 100;
const NODES = 4;

const [folder = ".", more = ""] = process.argv.slice(2);
const socketPath = path.join(tmpdir(), `bench-${randomUUID()}.sock`);
process.env["BENCH_METER"] = socketPath;
const preload = pathToFileURL(
  path.join(import.meta.dirname, "report-usage.ts"),
);
const nodeOptions = `--import=${preload.href} ${more}`;
const listener = await listenForUsage(socketPath);
process.once("exit", () => {
  rmSync(socketPath, { force: true });
});

interface Running {
  readonly chain: Chains.BenchChain;
  readonly spenders: AllSpenders.Spenders;
}

/** What `open` has started. */
let opened: Running | undefined;

function running(): Running {
  if (opened === undefined) throw new Error("Nothing was opened.");
  return opened;
}

async function load<Module>(file: string): Promise<Module> {
  const url = pathToFileURL(path.join(folder, "scripts/bench", file));
  return (await import(url.href)) as Module;
}

async function open(bundleMax: number): Promise<void> {
  const { openBenchChain } = await load<typeof Chains>("chains.ts");
  const { openSpenders } = await load<typeof AllSpenders>(
    "spenders/spenders.ts",
  );
  const chain = await openBenchChain("anvil", MINING_MS);
  // From here on, processes that begin are those of nodes.
  process.env["NODE_OPTIONS"] = nodeOptions;
  const spenders = await openSpenders(chain, { ...patient, bundleMax });
  opened = { chain, spenders };
}

async function spend(intents: number): Promise<Measured> {
  const { chain, spenders } = running();
  await spenders.fill(intents);
  const failuresBefore = spenders.failures().length;
  const from = (await chain.height()) + 1;
  const measured = await measure(async () => {
    await spenders.spend(intents);
  });
  await spenders.check();
  const failures = spenders.failures().slice(failuresBefore);
  const counts = await countSubmitted([from, await chain.height()]);
  return {
    ...measured,
    failures,
    nodes: measured.nodes.map((node) => ({
      ...node,
      transactions: counts.get(node.payer) ?? 0,
    })),
  };
}

/** Transactions to the group, by the address that paid. */
async function countSubmitted([from, to]: readonly [number, number]): Promise<
  ReadonlyMap<string, number>
> {
  const { chain, spenders } = running();
  const counts = new Map<string, number>();
  for (let number = from; number <= to; number++) {
    const block = (await chain.client.request("eth_getBlockByNumber", [
      `0x${number.toString(16)}`,
      true,
    ])) as {
      readonly transactions: readonly {
        readonly from: string;
        readonly to: string | null;
      }[];
    };
    for (const { from: payer, to: target } of block.transactions)
      if (target?.toLowerCase() === spenders.group)
        counts.set(
          payer.toLowerCase(),
          (counts.get(payer.toLowerCase()) ?? 0) + 1,
        );
  }
  return counts;
}

async function measure(run: () => Promise<void>): Promise<Measured> {
  const before = await readAll();
  const start = performance.now();
  await run();
  const after = await readAll();
  const seconds = (performance.now() - start) / 1_000;
  const nodes = [...after].map(([payer, usage]) => {
    const first = before.get(payer);
    if (first === undefined) throw new Error(`${payer} came late.`);
    return { payer, transactions: 0, ...usageBetween(first, usage) };
  });
  return { seconds, failures: [], nodes };
}

async function readAll(): Promise<ReadonlyMap<string, Usage>> {
  await listener.named(NODES);
  return await listener.read();
}

const handlers: {
  readonly [Name in keyof TreeRequests]: (
    asks: TreeRequests[Name]["asks"],
  ) => Promise<TreeRequests[Name]["answers"]>;
} = {
  open: async ({ bundleMax }) => {
    await open(bundleMax);
    return undefined;
  },
  spend,
  rest: async (ms) =>
    await measure(async () => {
      await setTimeout(ms);
    }),
  close: async () => {
    await opened?.spenders.stop();
    await opened?.chain.stop();
    return undefined;
  },
};

async function handle({ name, asks }: TreeRequest): Promise<TreeAnswer> {
  try {
    const handler = handlers[name] as (asks: unknown) => Promise<unknown>;
    return { answers: await handler(asks) };
  } catch (error) {
    const text = error instanceof Error ? error.stack : String(error);
    return { error: text ?? "unknown" };
  }
}

process.on("message", (request) => {
  handle(request as TreeRequest).then(
    (answer) => process.send?.(answer),
    // Handlers never fail; only an answer that cannot be sent does.
    () => process.exit(1),
  );
});
process.once("disconnect", () => process.exit(0));
process.once("SIGTERM", () => process.exit(1));
