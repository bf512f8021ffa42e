import { existsSync } from "node:fs";
import { join } from "node:path";

import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import { SequencerError } from "../../src/plugin/errors.ts";
import { temporaryDirectory } from "../../src/plugin/temporary-directory.ts";
import { importStore } from "../../src/replica/import.ts";
import { prepareSchema } from "../../src/replica/prepare.ts";
import { type Disk, openMachineDisk } from "../../src/store/disk.ts";
import { kindOf } from "../../src/store/log/kind.ts";
import { migrations } from "../../src/store/schema.ts";
import { StoreError, translate } from "../../src/store/store-error.ts";
import { dataDirErrorOf } from "../shared/data-dir-error.ts";
import {
  databaseOf,
  type NodeDatabase,
  requestMs,
  withDatabaseErrors,
} from "../shared/database.ts";
import { parseNodeHome } from "../shared/node-home.ts";
import type { NodeOptions } from "./check-database.ts";
import type { ImportFact } from "./facts.ts";

/** What the user asks for, as typed. */
export interface ImportOptions extends NodeOptions {
  readonly dataDir?: string | undefined;
}

/** Makes the store of a node, which nobody has, the beginning of its log in the database. */
export async function importNodeStore(
  hre: HardhatRuntimeEnvironment,
  options: ImportOptions,
): Promise<ImportFact> {
  const { name: node, directory } = parseNodeHome(options);
  const file = join(directory, "node.db");
  if (!existsSync(file)) throw new SequencerError("STORE_MISSING", { file });
  const database = await databaseOf(hre, node);
  let disk: Disk | undefined;
  try {
    disk = openMachineDisk(file);
    requireLoneStore(disk, file);
    return await intoDatabase(database, { file, disk });
  } catch (error) {
    throw dataDirErrorOf(translate(file, error), directory);
  } finally {
    disk?.close();
  }
}

async function intoDatabase(
  database: NodeDatabase,
  { file, disk }: { readonly file: string; readonly disk: Disk },
): Promise<ImportFact> {
  const temporary = temporaryDirectory();
  try {
    const { bytes, wasThere } = await withDatabaseErrors(database, async () => {
      await prepareSchema({ ...database, buckets: 1, requestMs });
      const draft = join(temporary.path, "node.db");
      return await importStore(
        { ...database, name: "import", draft, requestMs },
        { disk },
      );
    });
    disk.flushNow();
    const { node } = database;
    return { type: "store-imported", node, file, bytes, wasThere };
  } finally {
    temporary.remove();
  }
}

/** Takes the lock of the store, and looks whether it can be imported. */
function requireLoneStore({ database, sql }: Disk, file: string): void {
  database.exec(sql.begin);
  database.exec(sql.rollback);
  const kind = kindOf(database);
  if (kind === "logged")
    throw new SequencerError("STORE_BELONGS_TO_LOG", { file });
  if (kind === "empty") throw new SequencerError("STORE_MISSING", { file });
  const version = Number(
    database.prepare("PRAGMA user_version").get()?.["user_version"],
  );
  if (version > migrations.length)
    throw new StoreError(
      "NEWER",
      `${file} was written by a newer version (schema ${version}, this one knows ${migrations.length}). Update hardhat-sequencer.`,
    );
}
