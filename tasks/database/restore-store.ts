import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";

import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import { SequencerError } from "../../src/plugin/errors.ts";
import { readRange } from "../../src/replica/turns.ts";
import {
  databaseOf,
  type NodeDatabase,
  withSession,
} from "../shared/database.ts";
import { requireNodeName } from "../shared/node-home.ts";
import type { NodeOptions } from "./check-database.ts";
import type { RestoreFact } from "./facts.ts";
import { rebuildStore } from "./rebuild-store.ts";

/** What the user asks for, as typed. */
export interface RestoreOptions extends NodeOptions {
  readonly file?: string | undefined;
}

type Tell = (fact: RestoreFact) => void;

/** Writes the store of a node, as of the end of its log, to a file of its own. */
export async function restoreStore(
  hre: HardhatRuntimeEnvironment,
  options: RestoreOptions,
  tell: Tell,
): Promise<void> {
  const node = requireNodeName(options.name);
  const file = requireNewFile(options.file);
  const database = await databaseOf(hre, node);
  const turn = await withSession(database, async (client) => {
    const { head } = await readRange(client, database);
    return await reserving(
      file,
      async () =>
        await writeStore(database, { file, head: head.sequence, tell }),
    );
  });
  tell({ type: "store-restored", file, turn, bytes: statSync(file).size });
}

/** Makes it next to its place, and moves it there when it is whole. Gives its last turn. */
async function writeStore(
  database: NodeDatabase,
  {
    file,
    head,
    tell,
  }: { readonly file: string; readonly head: number; readonly tell: Tell },
): Promise<number> {
  const directory = mkdtempSync(`${file}.`);
  const draft = join(directory, "node.db");
  try {
    const { sequence } = await rebuildStore(
      database,
      { file: draft, head, tell },
      async (rebuilt) => await Promise.resolve(rebuilt.head),
    );
    const descriptor = openSync(draft, "r+");
    fsyncSync(descriptor);
    closeSync(descriptor);
    renameSync(draft, file);
    return sequence;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Nobody else can write the file meanwhile. If there is no store in the end, the file is gone. */
async function reserving<Result>(
  file: string,
  write: () => Promise<Result>,
): Promise<Result> {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    throw notWritten(file, reasonOf(error));
  }
  try {
    return await write();
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}

function requireNewFile(text = ""): string {
  if (text.trim() === "" || text.includes("\0"))
    throw notWritten(JSON.stringify(text), "that is not a path");
  const file = resolve(text);
  if (existsSync(file)) throw notWritten(file, reasonOf({ code: "EEXIST" }));
  if (!existsSync(dirname(file)))
    throw notWritten(file, "its folder is not there");
  return file;
}

function reasonOf(error: unknown): string {
  const isThere = Reflect.get(Object(error), "code") === "EEXIST";
  if (isThere) return "it is there already, and is not overwritten";
  return error instanceof Error ? error.message : String(error);
}

function notWritten(file: string, reason: string): SequencerError {
  return new SequencerError("FILE_NOT_WRITTEN", {
    option: "--file",
    file,
    reason,
  });
}
