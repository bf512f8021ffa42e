import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { z } from "zod";

import { SequencerError } from "../../src/plugin/errors.ts";
import { temporaryDirectory } from "../../src/plugin/temporary-directory.ts";
import { dataDirErrorOf } from "./data-dir-error.ts";
import { makeDirectory } from "./make-directory.ts";

const text = z.string();

/** What belongs to the nodes in a directory. Everything else is in their databases. */
const savedType = z
  .object({
    version: z.literal(1),
    chainId: z.number(),
    /** The hash of the chain's first block: chains for tests share their ids. */
    genesis: text,
    factory: text,
    nodes: z.array(z.object({ name: text, address: text }).strict()).min(1),
    group: z
      .object({
        address: text,
        threshold: z.number(),
        policy: z.enum(["sticky", "rotating"]),
      })
      .strict()
      .optional(),
  })
  .strict();

/** What a directory remembers of the run that made it. */
export type SavedRun = z.infer<typeof savedType>;

const fileName = "run.json";

/** Where nodes keep what they must not forget. */
export interface DataDir {
  readonly path: string;
  readonly isTemporary: boolean;
  /** What an earlier run left; undefined if this is the first. */
  readonly saved: SavedRun | undefined;
  readonly save: (run: SavedRun) => void;
  /** Removes it if it was temporary. */
  readonly close: () => void;
}

/** Opens a directory, or makes one that does not outlive the run. */
export function openDataDir(path: string | undefined): DataDir {
  if (path === undefined) {
    const { path: made, remove } = temporaryDirectory();
    return dataDir(made, { saved: undefined, remove });
  }
  try {
    makeDirectory(path);
    return dataDir(path, { saved: read(path) });
  } catch (error) {
    if (error instanceof SequencerError || !(error instanceof Error))
      throw error;
    const known = dataDirErrorOf(error, path);
    if (known instanceof SequencerError) throw known;
    throw new SequencerError("DATA_DIR_INVALID", {
      directory: path,
      reason: error.message,
    });
  }
}

function dataDir(
  path: string,
  {
    saved,
    remove,
  }: { readonly saved: SavedRun | undefined; readonly remove?: () => void },
): DataDir {
  return {
    path,
    isTemporary: remove !== undefined,
    saved,
    save: (run) => {
      const file = join(path, fileName);
      const draft = `${file}.draft`;
      const json = JSON.stringify(run, null, 2);
      try {
        writeFileSync(draft, `${json}\n`, { mode: 0o600, flush: true });
        renameSync(draft, file);
      } catch (error) {
        throw dataDirErrorOf(error, path);
      }
    },
    close: () => remove?.(),
  };
}

function read(path: string): SavedRun | undefined {
  const file = join(path, fileName);
  let json: string;
  try {
    json = readFileSync(file, "utf8");
  } catch (error) {
    if (Reflect.get(Object(error), "code") === "ENOENT") return undefined;
    throw error;
  }
  const read = savedType.safeParse(parseJson(json));
  if (!read.success)
    throw new SequencerError("DATA_DIR_INVALID", {
      directory: path,
      reason: `${fileName} in it is not from this version`,
    });
  return read.data;
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}
