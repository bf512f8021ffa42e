import { blocksSchema } from "./blocks.ts";
import { bootsSchema } from "./boots.ts";
import { bundlesSchema } from "./bundles.ts";
import type { Migrations } from "./database.ts";
import { groupsSchema } from "./groups.ts";
import { infosSchema } from "./infos.ts";
import { missingGroupsSchema } from "./missing-groups.ts";
import { peersSchema } from "./peers.ts";
import { recordsSchema } from "./records.ts";
import { statesSchema } from "./states.ts";
import { submissionsSql } from "./submissions.ts";
import { userTables } from "./user-tables.ts";

/** All tables, each as its own file writes it. Once this is released, a change is a further migration. */
const tables: readonly string[] = [
  bootsSchema,
  recordsSchema,
  bundlesSchema,
  blocksSchema,
  statesSchema,
  infosSchema,
  groupsSchema,
  missingGroupsSchema,
  peersSchema,
  submissionsSql,
  ...userTables,
];

export const migrations: Migrations = [tables.join("\n")];
