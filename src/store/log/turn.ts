import { createHash } from "node:crypto";

import type { Value } from "../database.ts";
import { ByteReader, ByteWriter } from "./bytes.ts";

/** A statement that changed the store. */
export interface TurnStatement {
  readonly sql: string;
  /** Undefined for a script of several statements, which has none. */
  readonly values: readonly Value[] | undefined;
  /** Rows that it changed: a replay that changes another number of rows has gone wrong. */
  readonly changes: number;
}

/** All statements of one write, in order. Running the turns of a log in order rebuilds the store. */
export type Turn = readonly TurnStatement[];

/** The text of a statement is written once and for all under its id; turns only name it. */
export type StatementId = string;

/** A turn in bytes. */
export interface EncodedTurn {
  readonly body: Buffer;
  /** The statements that it names. */
  readonly statements: ReadonlyMap<StatementId, string>;
}

/** Grows when older versions can no longer read turns. */
export const TURN_FORMAT = 1;
const ID_BYTES = 8;

const tags = {
  null: 0,
  integer: 1,
  double: 2,
  text: 3,
  blob: 4,
  count: 5,
} as const;

const ids = new Map<string, StatementId>();

/** Texts of which ids are remembered: those of this software, and not all that a migration may make up. */
const IDS_MAX = 1_000;

/** The first bytes of the hash of a statement's text. */
export function statementIdOf(sql: string): StatementId {
  const known = ids.get(sql);
  if (known !== undefined) return known;
  const id = createHash("sha256").update(sql).digest("hex");
  const short = id.slice(0, 2 * ID_BYTES);
  if (ids.size < IDS_MAX) ids.set(sql, short);
  return short;
}

export function encodeTurn(turn: Turn): EncodedTurn {
  const places = new Map<string, number>();
  for (const { sql } of turn)
    if (!places.has(sql)) places.set(sql, places.size);
  const statements = new Map<StatementId, string>();
  const bytes = new ByteWriter();
  bytes.byte(TURN_FORMAT);
  bytes.count(places.size);
  for (const sql of places.keys()) {
    const id = statementIdOf(sql);
    statements.set(id, sql);
    bytes.raw(Buffer.from(id, "hex"));
  }
  bytes.count(turn.length);
  for (const { sql, values, changes } of turn) {
    const place = places.get(sql) ?? 0;
    bytes.count(2 * place + (values === undefined ? 0 : 1));
    if (values === undefined) continue;
    bytes.count(changes);
    bytes.count(values.length);
    for (const value of values) writeValue(bytes, value);
  }
  return { body: bytes.take(), statements };
}

/** Throws a `RangeError` if the bytes are not a turn, or name a statement that is unknown. */
export function decodeTurn(
  body: Uint8Array,
  sqlOf: (id: StatementId) => string | undefined,
): Turn {
  const bytes = new ByteReader(body);
  const format = bytes.byte();
  if (format !== TURN_FORMAT)
    throw new RangeError(
      `The turn has format ${format}, and this version knows ${TURN_FORMAT}. Update hardhat-sequencer.`,
    );
  const texts = list(bytes, () => {
    const id = Buffer.from(bytes.raw(ID_BYTES)).toString("hex");
    const sql = sqlOf(id);
    if (sql === undefined) throw new RangeError(`Unknown statement ${id}.`);
    return sql;
  });
  const turn = list(bytes, (): TurnStatement => {
    const head = bytes.count();
    const sql = texts[Math.floor(head / 2)];
    if (sql === undefined)
      throw new RangeError("The turn names a statement that it does not list.");
    if (head % 2 === 0) return { sql, values: undefined, changes: 0 };
    const changes = bytes.count();
    return { sql, changes, values: list(bytes, () => readValue(bytes)) };
  });
  if (!bytes.isAtEnd) throw new RangeError("The turn has bytes at its end.");
  return turn;
}

/** Every item takes at least one byte, so that a wrong length ends with the bytes. */
function list<Item>(bytes: ByteReader, read: () => Item): Item[] {
  const items: Item[] = [];
  for (let left = bytes.count(); left > 0; left--) items.push(read());
  return items;
}

function writeValue(bytes: ByteWriter, value: Value): void {
  if (value === null) {
    bytes.byte(tags.null);
  } else if (typeof value === "string") {
    bytes.byte(tags.text);
    bytes.text(value);
  } else if (typeof value === "bigint") {
    bytes.byte(tags.integer);
    bytes.int64(value);
  } else if (typeof value === "number") {
    writeNumber(bytes, value);
  } else {
    bytes.byte(tags.blob);
    bytes.blob(value);
  }
}

function writeNumber(bytes: ByteWriter, value: number): void {
  if (Number.isSafeInteger(value) && value >= 0 && !Object.is(value, -0)) {
    bytes.byte(tags.count);
    bytes.count(value);
  } else {
    bytes.byte(tags.double);
    bytes.double(value);
  }
}

function readValue(bytes: ByteReader): Value {
  const tag = bytes.byte();
  switch (tag) {
    case tags.null:
      return null;
    case tags.integer:
      return bytes.int64();
    case tags.double:
      return bytes.double();
    case tags.count:
      return bytes.count();
    case tags.text:
      return bytes.text();
    case tags.blob:
      return bytes.blob();
    default:
      throw new RangeError(`Unknown type of value ${tag}.`);
  }
}
