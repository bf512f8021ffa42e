import { randomBytes } from "node:crypto";

import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import type { DatabaseUserConfig } from "../../../src/plugin/database-config.ts";
import { openStore } from "../../../src/store/store.ts";
import {
  quick,
  ReplicaNode,
  type ReplicaSettings,
} from "../../helpers/replica-node.ts";
import { anIntentRecord, groupAt } from "../../helpers/stores.ts";
import { anEnvironment } from "../../plugin/helpers/environment.ts";

/** A project whose nodes are in a database. */
export async function aDatabaseProject(
  database: DatabaseUserConfig,
): Promise<HardhatRuntimeEnvironment> {
  return await anEnvironment({
    sequencer: { database: { ...quick, ...database } },
  });
}

type Fact = Readonly<Record<string, unknown>> & { readonly type: string };

/** What a task did: its lines, which are facts with `--json`. */
export interface TaskRun {
  readonly exitCode: number;
  readonly lines: readonly string[];
  readonly facts: readonly Fact[];
}

/** The compiler believes that nobody else has set it. */
function exitCode(): number {
  return Number(process.exitCode ?? 0);
}

/** Runs a task in a project; without `--json` if that is said. */
export async function runTask(
  hre: HardhatRuntimeEnvironment,
  id: readonly string[],
  options: Readonly<Record<string, string | boolean>>,
): Promise<TaskRun> {
  const { log } = console;
  const before = process.exitCode;
  const printed: string[] = [];
  console.log = (text: string): void => {
    printed.push(text);
  };
  process.exitCode = undefined;
  try {
    await hre.tasks.getTask([...id]).run({ json: true, ...options });
    const lines = printed.flatMap((text) => text.split("\n"));
    return {
      exitCode: exitCode(),
      lines,
      facts:
        options["json"] === false
          ? []
          : lines.map((line) => JSON.parse(line) as Fact),
    };
  } finally {
    console.log = log;
    process.exitCode = before;
  }
}

/** An active replica that has written so many intents. It is stopped by the caller. */
export async function aWriter(
  settings: ReplicaSettings,
  intents: number,
): Promise<ReplicaNode> {
  const node = new ReplicaNode(settings);
  await node.replica.start();
  await node.untilRole("active");
  for (let n = 0; n < intents; n++) await node.save(n);
  return node;
}

/** The store of a node that runs without a database, with so many intents, closed. */
export function aLoneStore(file: string, intents: number): void {
  const store = openStore({ file }, { randomBytes });
  for (let n = 0; n < intents; n++)
    store.write(() => {
      store.records.save(groupAt(1), anIntentRecord(n));
    });
  store.close();
}
