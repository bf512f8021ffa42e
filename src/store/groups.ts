import type { Address, Bytes32, Hex, Uint64 } from "../ledger/index.ts";
import type { Mode, Policy } from "../protocol/config.ts";
import {
  type GroupAddress,
  type NodeName,
  parseGroupAddress,
  parseNodeName,
} from "../protocol/ids.ts";
import {
  count,
  flag,
  listOf,
  maybe,
  object,
  oneOf,
  type Shape,
  text,
} from "../protocol/shape.ts";
import { Columns } from "./columns.ts";
import type { Database, Row } from "./database.ts";
import { address, bytes32, hex, uint64 } from "./shapes.ts";

export const groupsSchema = `
CREATE TABLE groups (
  number INTEGER PRIMARY KEY,
  address TEXT NOT NULL UNIQUE,
  id TEXT NOT NULL UNIQUE,
  config TEXT NOT NULL
);
`;

/** A member whose endorsements count: the address with which it endorses, and its node, if this node knows which one it is. */
export interface StoredEndorser {
  readonly name: NodeName | undefined;
  readonly endorser: Address;
}

/** Who endorsed in one epoch, and who took part. */
export interface StoredCommittee {
  /** Grows with every change. */
  readonly epoch: Uint64;
  /** The block in which the ledger got this committee. */
  readonly since: number;
  /** All nodes that take part. */
  readonly members: readonly NodeName[];
  /** In the order in which the ledger has them. */
  readonly committee: readonly StoredEndorser[];
  readonly threshold: number;
}

/** A group that this node takes part in. */
export interface StoredGroup extends StoredCommittee {
  /** The same at all members. */
  readonly id: Bytes32;
  readonly address: GroupAddress;
  readonly name: string;
  readonly domain: string;
  /** Committees before this one, oldest first: the one that the group began with, and those that a reorganisation may bring back. */
  readonly earlier: readonly StoredCommittee[];
  readonly mode: Mode;
  readonly policy: Policy;
  readonly configuration: Readonly<Record<string, string>>;
  /** The block in which it was created: what happened before does not concern it. */
  readonly createdBlock: number;
  /** The last block of its past that is indexed; undefined when it is indexed as far as everything else. */
  readonly historyThrough: number | undefined;
  /** What its address was made from. */
  readonly genesis: {
    readonly factory: Address;
    readonly creator: Address;
    readonly salt: Bytes32;
    readonly externalCalls: boolean;
    readonly transactionHash: Hex | undefined;
  };
}

const unbounded = text(Infinity);

const configuration: Shape<Readonly<Record<string, string>>> = (value) => {
  if (typeof value !== "object" || value === null) return undefined;
  const entries: [string, string][] = [];
  for (const [name, entry] of Object.entries(value)) {
    if (typeof entry !== "string") return undefined;
    entries.push([name, entry]);
  }
  return Object.fromEntries(entries);
};

const committeeFields = {
  epoch: uint64,
  since: count,
  members: listOf(parseNodeName, Infinity),
  committee: listOf(
    object({ name: maybe(parseNodeName), endorser: address }),
    Infinity,
  ),
  threshold: count,
};

const config: Shape<StoredGroup> = object({
  ...committeeFields,
  earlier: listOf(object(committeeFields), Infinity),
  id: bytes32,
  address: parseGroupAddress,
  name: unbounded,
  domain: unbounded,
  mode: oneOf("local", "remote", "elected"),
  policy: oneOf("sticky", "rotating"),
  configuration,
  createdBlock: count,
  historyThrough: maybe(count),
  genesis: object({
    factory: address,
    creator: address,
    salt: bytes32,
    externalCalls: flag,
    transactionHash: maybe(hex),
  }),
});

/** The groups that this node takes part in. */
export class Groups {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Adds a group, or changes the one with this address. */
  save(group: StoredGroup): void {
    this.#database.run(
      `INSERT INTO groups (address, id, config) VALUES (?, ?, ?)
       ON CONFLICT (address) DO UPDATE SET id = excluded.id, config = excluded.config`,
      group.address,
      group.id,
      JSON.stringify(group, (_, value: unknown) =>
        typeof value === "bigint" ? value.toString() : value,
      ),
    );
  }

  /** In the order in which they were added. */
  list(): readonly StoredGroup[] {
    return this.#database
      .all("SELECT address, config FROM groups ORDER BY number")
      .map(readGroup);
  }

  /** Some of them, in the order of their addresses, after one of those. */
  page(options: {
    readonly after: GroupAddress | undefined;
    readonly limit: number;
  }): readonly StoredGroup[] {
    return this.#database
      .all(
        "SELECT address, config FROM groups WHERE address > ? ORDER BY address LIMIT ?",
        options.after ?? "",
        options.limit,
      )
      .map(readGroup);
  }

  count(): number {
    const row = this.#database.get("SELECT count(*) AS count FROM groups");
    return new Columns(row ?? {}, { table: "groups", key: "all" }).count(
      "count",
    );
  }

  get(group: GroupAddress): StoredGroup | undefined {
    const row = this.#database.get(
      "SELECT address, config FROM groups WHERE address = ?",
      group,
    );
    return row === undefined ? undefined : readGroup(row);
  }
}

function readGroup(row: Row): StoredGroup {
  return new Columns(row, {
    table: "groups",
    key: String(row["address"]),
  }).json("config", config);
}
