import type pg from "pg";

import type { ChainedTurn, Head } from "../store/log/chain.ts";
import type { RecordedTurn } from "../store/log/recorder.ts";
import { type StatementId, statementIdOf } from "../store/log/turn.ts";
import { StoreError } from "../store/store-error.ts";
import type { Lease } from "./lease.ts";
import type { Append } from "./options.ts";
import { turnPageSql } from "./turn-page.ts";

const HASH_BYTES = 32;
/** Bytes in one request at most, unless one turn has more. */
const APPEND_BYTES = 8_388_608;
/** Statements whose texts are known to be in the database: more than this software has. */
const KNOWN_MAX = 10_000;
/** How often the same turns are sent, each time in a session that works: the database may refuse them for good. */
const ATTEMPTS_MAX = 5;

type Done = (error: Error | null) => void;

interface Waiting {
  /** Durable up to this turn is what it waits for. */
  readonly sequence: number;
  readonly done: Done;
}

/**
 * Appends turns to the log in PostgreSQL, in order, one request at a time; what gathers meanwhile goes together. The statement that
 * appends says also that the lease is still this process's, and that the log ends where it believes.
 */
export class PostgresLog {
  readonly #lease: Lease;
  readonly #onDurable: (head: Head, append: Append) => void;
  readonly #now: () => number;
  readonly #table: { readonly schema: string; readonly bucket: number };
  readonly #epoch: number;
  /** The last turn that is known to be in the database. */
  #durable: Head;
  /** The last turn that was handed in. */
  #last: Head;
  readonly #turns: RecordedTurn[] = [];
  #waiting: Waiting[] = [];
  readonly #known = new Set<StatementId>();
  #isBusy = false;
  #failure: Error | undefined;

  constructor(
    options: {
      readonly schema: string;
      readonly bucket: number;
      readonly epoch: number;
      readonly head: Head;
    },
    ports: {
      readonly lease: Lease;
      /** Turns up to this one are durable, and nobody has heard of it yet. */
      readonly onDurable?: (head: Head, append: Append) => void;
      /** Milliseconds that never go back. */
      readonly now?: () => number;
    },
  ) {
    this.#table = options;
    this.#epoch = options.epoch;
    this.#durable = options.head;
    this.#last = options.head;
    this.#lease = ports.lease;
    this.#onDurable = ports.onDurable ?? (() => undefined);
    this.#now = ports.now ?? (() => performance.now());
  }

  /** The last turn that is durable. */
  get head(): Head {
    return this.#durable;
  }

  /** Takes the next turn. It is durable after a flush. */
  record(turn: RecordedTurn): void {
    const { sequence, hash, previous } = turn;
    if (sequence !== this.#last.sequence + 1 || previous !== this.#last.hash)
      this.#fail(
        new Error(
          `Turn ${sequence} of the store does not follow turn ${this.#last.sequence} of its log. Rebuild the store from the log.`,
        ),
      );
    this.#last = { sequence, hash };
    this.#turns.push(turn);
  }

  /** Calls back when all that was recorded is durable; with an error if that can no longer happen. */
  flush(done: Done): void {
    if (this.#failure !== undefined) {
      done(this.#failure);
      return;
    }
    if (this.#durable.sequence >= this.#last.sequence) {
      done(null);
      return;
    }
    this.#waiting.push({ sequence: this.#last.sequence, done });
    if (!this.#isBusy) void this.#appendAll();
  }

  async #appendAll(): Promise<void> {
    this.#isBusy = true;
    while (this.#turns.length > 0 && this.#failure === undefined) {
      const turns = this.#take();
      try {
        await this.#append(turns);
      } catch (error) {
        this.#fail(error);
        break;
      }
      this.#tell();
    }
    this.#isBusy = false;
  }

  #take(): readonly RecordedTurn[] {
    let bytes = 0;
    let count = 0;
    for (const { body } of this.#turns) {
      if (count > 0 && bytes + body.length > APPEND_BYTES) break;
      bytes += body.length;
      count += 1;
    }
    return this.#turns.splice(0, count);
  }

  /** An answer may be lost: then the head says whether the turns are in the log. */
  async #append(turns: readonly RecordedTurn[]): Promise<void> {
    const last = turns.at(-1);
    if (last === undefined) return;
    const beganAt = this.#now();
    for (let attempt = 1; ; attempt++) {
      let failure: unknown;
      try {
        const { rowCount } = await this.#lease.ask(this.#query(turns));
        if (rowCount !== turns.length)
          throw this.#lease.fenced("another epoch has begun");
        break;
      } catch (error) {
        if (this.#lease.taken === undefined) throw error;
        failure = error;
      }
      const head = await this.#lease.regain(failure);
      if (head === undefined) throw this.#lease.fenced("it is lost");
      if (head.sequence === last.sequence && head.hash === last.hash) break;
      if (head.hash !== this.#durable.hash)
        throw this.#lease.fenced("the log has other turns");
      if (attempt === ATTEMPTS_MAX)
        throw this.#lease.fenced("the database does not take turns", failure);
    }
    this.#durable = { sequence: last.sequence, hash: last.hash };
    for (const { statements } of turns)
      for (const id of statements.keys())
        if (this.#known.size < KNOWN_MAX) this.#known.add(id);
    const bytes = turns.reduce((sum, { body }) => sum + body.length, 0);
    const ms = this.#now() - beganAt;
    this.#onDurable(this.#durable, { turns: turns.length, bytes, ms });
  }

  #query(turns: readonly RecordedTurn[]): pg.QueryConfig {
    const { schema, bucket } = this.#table;
    const lengths = turns.map(({ body }) => body.length);
    const hashes = turns.map(({ hash }) => Buffer.from(hash, "hex"));
    const unknown = new Map(
      turns.flatMap(({ statements }) =>
        [...statements].filter(([id]) => !this.#known.has(id)),
      ),
    );
    const { sequence, hash } = this.#durable;
    return {
      name: "append",
      // The bodies go as one value in binary; a list of them would go as text.
      text: `WITH held AS (
          UPDATE ${schema}.bucket SET head_sequence = $3::bigint + cardinality($6::int[]), head_hash = $5
          WHERE bucket = $1 AND epoch = $2 AND head_sequence = $3 AND head_hash = $4 AND state = 'open'
          RETURNING 1
        ), named AS (
          INSERT INTO ${schema}.statement SELECT id, sql FROM held, unnest($9::text[], $10::text[]) AS new (id, sql)
          ON CONFLICT DO NOTHING
        )
        INSERT INTO ${schema}.turn (bucket, sequence, epoch, hash, body)
        SELECT $1, $3::bigint + place, $2, substring($7::bytea FROM ${HASH_BYTES} * (place::int - 1) + 1 FOR ${HASH_BYTES}),
          substring($8::bytea FROM (sum(length) OVER (ORDER BY place) - length)::int + 1 FOR length)
        FROM held, unnest($6::int[]) WITH ORDINALITY AS parts (length, place)`,
      values: [
        bucket,
        this.#epoch,
        sequence,
        Buffer.from(hash, "hex"),
        hashes.at(-1),
        lengths,
        Buffer.concat(hashes),
        Buffer.concat(turns.map(({ body }) => body)),
        [...unknown.keys()],
        [...unknown.values()],
      ],
    };
  }

  #tell(): void {
    const { sequence } = this.#durable;
    const ready = this.#waiting.filter((one) => one.sequence <= sequence);
    this.#waiting = this.#waiting.filter((one) => one.sequence > sequence);
    for (const { done } of ready) done(null);
  }

  #fail(error: unknown): void {
    this.#failure ??= error instanceof Error ? error : new Error(String(error));
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { done } of waiting) done(this.#failure);
  }
}

/** Runs a request of its own: a session, or something that has one. */
export interface Queries {
  readonly query: <Row extends pg.QueryResultRow>(
    query: pg.QueryConfig,
  ) => Promise<pg.QueryResult<Row>>;
}

/** Reads turns of a log, in order, and the texts of statements that they name. */
export class PostgresLogReader {
  readonly #client: Queries;
  readonly #table: { readonly schema: string; readonly bucket: number };
  readonly #statements = new Map<StatementId, string>();

  constructor(
    options: { readonly schema: string; readonly bucket: number },
    ports: { readonly client: Queries },
  ) {
    this.#table = options;
    this.#client = ports.client;
  }

  readonly sqlOf = (id: StatementId): string | undefined =>
    this.#statements.get(id);

  /** The turns after one, up to some number or size of them. All statements that they name are known afterwards. */
  async after(sequence: number, turnsMax: number): Promise<ChainedTurn[]> {
    const { schema, bucket } = this.#table;
    const { rows } = await this.#client.query<{
      readonly sequence: string;
      readonly hash: Buffer;
      readonly body: Buffer;
    }>({
      name: "turns",
      text: turnPageSql(schema),
      values: [bucket, sequence + 1, turnsMax],
    });
    // A statement is written together with the first turn that names it: those that are read now are enough.
    if (rows.length > 0) await this.#readStatements();
    return rows.map((row) => ({
      sequence: Number(row.sequence),
      hash: row.hash.toString("hex"),
      body: row.body,
    }));
  }

  async #readStatements(): Promise<void> {
    const { schema } = this.#table;
    const { rows } = await this.#client.query<{
      readonly id: string;
      readonly sql: string;
    }>({
      name: "statements",
      text: `SELECT id, sql FROM ${schema}.statement WHERE id <> ALL ($1)`,
      values: [[...this.#statements.keys()]],
    });
    for (const { id, sql } of rows) {
      // Turns name statements by their hash, so that a text that was altered is found out like a turn that was.
      if (statementIdOf(sql) !== id)
        throw new StoreError(
          "DIVERGED",
          `The statement ${id} in the schema ${schema} is not the one that its turns name. Restore the table ${schema}.statement.`,
        );
      this.#statements.set(id, sql);
    }
  }
}
