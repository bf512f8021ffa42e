import { jsonOf, numberOf, optionalTextOf, textOf } from "./row.ts";
import type { Database, Row } from "./database.ts";
import { type Clause, type Query, toCondition } from "./query.ts";
import { hexField, textField, timeField } from "./query-fields.ts";
import { search, type Turn } from "./search.ts";

export const userGroupsTable = `
CREATE TABLE user_groups (
  id TEXT PRIMARY KEY,
  domain TEXT NOT NULL,
  created TEXT NOT NULL,
  name TEXT NOT NULL,
  members TEXT NOT NULL,
  threshold INTEGER NOT NULL,
  properties TEXT NOT NULL,
  configuration TEXT NOT NULL,
  genesis_salt TEXT NOT NULL,
  genesis_schema TEXT NOT NULL,
  genesis_transaction TEXT,
  contract_address TEXT UNIQUE,
  is_open INTEGER NOT NULL
) STRICT;
CREATE INDEX user_groups_open ON user_groups (is_open) WHERE is_open = 1;
`;

/** A group, as users see it. */
export interface UserGroup {
  readonly id: string;
  readonly domain: string;
  readonly created: string;
  readonly name: string;
  /** As in `alice@node1`. */
  readonly members: readonly string[];
  readonly threshold: number;
  readonly properties: Readonly<Record<string, string>>;
  readonly configuration: Readonly<Record<string, string>>;
  readonly genesisSalt: string;
  readonly genesisSchema: string;
  /** The transaction that creates it; undefined if another node created it. */
  readonly genesisTransaction: string | undefined;
  readonly contractAddress: string | undefined;
  /** This node was asked to create it, and has not done so yet. */
  readonly isOpen: boolean;
}

const fields = {
  id: hexField("id"),
  name: textField("name"),
  created: timeField("created"),
  domain: textField("domain"),
  contractAddress: hexField("contract_address"),
  genesisSalt: hexField("genesis_salt"),
  genesisSchema: hexField("genesis_schema"),
};

/** The groups that users of this node asked for, or that this node takes part in. */
export class UserGroups {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Only inside a commit. */
  insert(group: UserGroup): void {
    this.#database.run(
      `INSERT INTO user_groups (id, domain, created, name, members, threshold, properties, configuration, genesis_salt,
        genesis_schema, genesis_transaction, contract_address, is_open)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      group.id,
      group.domain,
      group.created,
      group.name,
      JSON.stringify(group.members),
      group.threshold,
      JSON.stringify(group.properties),
      JSON.stringify(group.configuration),
      group.genesisSalt,
      group.genesisSchema,
      group.genesisTransaction ?? null,
      group.contractAddress ?? null,
      group.isOpen ? 1 : 0,
    );
  }

  /** Only inside a commit. Without an address the group was not created, and never will be. */
  close(id: string, contractAddress: string | undefined): void {
    this.#database.run(
      "UPDATE user_groups SET contract_address = ?, is_open = 0 WHERE id = ?",
      contractAddress ?? null,
      id,
    );
  }

  byId(id: string): UserGroup | undefined {
    const row = this.#database.get(
      "SELECT * FROM user_groups WHERE id = ?",
      id,
    );
    return row && parse(row);
  }

  byAddress(address: string): UserGroup | undefined {
    const row = this.#database.get(
      "SELECT * FROM user_groups WHERE contract_address = ?",
      address,
    );
    return row && parse(row);
  }

  /** Those that this node still has to create. */
  open(): readonly UserGroup[] {
    return this.#database
      .all("SELECT * FROM user_groups WHERE is_open = 1 ORDER BY rowid")
      .map(parse);
  }

  /** Newest first unless the query says otherwise. What could not be created is no group, and not found. */
  async find(
    query: Query,
    member: string | undefined,
    turn: Turn,
  ): Promise<readonly UserGroup[]> {
    const isGroup = "(contract_address IS NOT NULL OR is_open = 1)";
    const where: Clause =
      member === undefined
        ? { sql: isGroup, values: [] }
        : {
            sql: `${isGroup} AND EXISTS (SELECT 1 FROM json_each(members) WHERE json_each.value = ?)`,
            values: [member],
          };
    const condition = toCondition(query, { fields, where });
    const source = { table: "user_groups", key: "rowid", parse };
    return await search(this.#database, source, condition, turn);
  }
}

function parse(row: Row): UserGroup {
  return {
    id: textOf(row, "id"),
    domain: textOf(row, "domain"),
    created: textOf(row, "created"),
    name: textOf(row, "name"),
    members: jsonOf(row, "members") as readonly string[],
    threshold: numberOf(row, "threshold"),
    properties: jsonOf(row, "properties") as UserGroup["properties"],
    configuration: jsonOf(row, "configuration") as UserGroup["configuration"],
    genesisSalt: textOf(row, "genesis_salt"),
    genesisSchema: textOf(row, "genesis_schema"),
    genesisTransaction: optionalTextOf(row, "genesis_transaction"),
    contractAddress: optionalTextOf(row, "contract_address"),
    isOpen: numberOf(row, "is_open") === 1,
  };
}
