import type { Value } from "../database.ts";
import { type ChainedTurn, type Head, headAfter } from "./chain.ts";
import { encodeTurn, type StatementId, type TurnStatement } from "./turn.ts";

/** A turn that was committed, with the statements that it names. */
export interface RecordedTurn extends ChainedTurn {
  /** The hash of the turn before. */
  readonly previous: string;
  readonly statements: ReadonlyMap<StatementId, string>;
}

/** Gets every turn that was committed, in order. */
export type RecordTurn = (turn: RecordedTurn) => void;

/** Collects the statements of one write after the other, and chains them. */
export class TurnRecorder {
  readonly #record: RecordTurn;
  #head: Head;
  #statements: TurnStatement[] = [];
  #ended: RecordedTurn | undefined;

  constructor(head: Head, record: RecordTurn) {
    this.#head = head;
    this.#record = record;
  }

  get head(): Head {
    return this.#head;
  }

  run(sql: string, values: readonly Value[], changes: number): void {
    this.#statements.push({ sql, values, changes });
  }

  script(sql: string): void {
    this.#statements.push({ sql, values: undefined, changes: 0 });
  }

  /** The head that the store has once the write is committed; undefined if nothing was written. */
  end(): Head | undefined {
    if (this.#statements.length === 0) return undefined;
    const { body, statements } = encodeTurn(this.#statements);
    const { sequence, hash } = headAfter(this.#head, body);
    this.#statements = [];
    const previous = this.#head.hash;
    this.#ended = { sequence, hash, previous, body, statements };
    return this.#ended;
  }

  committed(): void {
    const turn = this.#ended;
    if (turn === undefined) return;
    this.#ended = undefined;
    this.#head = turn;
    this.#record(turn);
  }

  /** The write was undone. */
  discard(): void {
    this.#statements = [];
    this.#ended = undefined;
  }
}
