import type { StatementSync } from "node:sqlite";

import type { Disk } from "../disk.ts";
import { StoreError } from "../store-error.ts";
import { appliedSql, readApplied, writeAppliedSql } from "./applied.ts";
import { type ChainedTurn, type Head, headAfter } from "./chain.ts";
import { decodeTurn, type StatementId } from "./turn.ts";

/** A store that follows the log of another one: it runs the same statements, and has the same tables afterwards. */
export class Follower {
  readonly disk: Disk;
  readonly #sqlOf: (id: StatementId) => string | undefined;
  readonly #statements = new Map<string, StatementSync>();
  #head: Head;

  constructor(ports: {
    readonly disk: Disk;
    /** The text of a statement that a turn names. */
    readonly sqlOf: (id: StatementId) => string | undefined;
  }) {
    this.disk = ports.disk;
    this.#sqlOf = ports.sqlOf;
    const { database } = ports.disk;
    database.exec("PRAGMA foreign_keys = ON");
    database.exec(appliedSql);
    this.#head = readApplied({ get: (sql) => database.prepare(sql).get() });
  }

  /** How far along the log it is. */
  get head(): Head {
    return this.#head;
  }

  /**
   * Runs the turns that come next, all or none of them. Throws a {@link StoreError} if they are not what comes next, or change something
   * else than they did where they were written.
   */
  apply(turns: readonly ChainedTurn[]): void {
    const { database, sql } = this.disk;
    let head = this.#head;
    database.exec(sql.begin);
    try {
      for (const turn of turns) head = this.#run(head, turn);
      this.#statement(writeAppliedSql).run(head.sequence, head.hash);
      database.exec(sql.commit);
    } catch (error) {
      database.exec(sql.rollback);
      throw error;
    }
    this.#head = head;
  }

  #run(before: Head, { sequence, hash, body }: ChainedTurn): Head {
    const head = headAfter(before, body);
    if (head.sequence !== sequence || head.hash !== hash)
      throw diverged(
        `turn ${sequence} of the log does not follow turn ${before.sequence} of this store`,
      );
    for (const { sql, values, changes } of decodeTurn(body, this.#sqlOf)) {
      if (values === undefined) {
        this.disk.database.exec(sql);
        continue;
      }
      const found = Number(this.#statement(sql).run(...values).changes);
      if (found !== changes)
        throw diverged(
          `a statement of turn ${sequence} changed ${found} rows here and ${changes} where it was written: ${sql}`,
        );
    }
    return head;
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.disk.database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

function diverged(problem: string): StoreError {
  return new StoreError(
    "DIVERGED",
    `This store and its log differ: ${problem}. Rebuild the store from a snapshot and the turns after it.`,
  );
}
