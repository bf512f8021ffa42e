import { emptyHead, type Head, headAfter } from "../store/log/chain.ts";
import { decodeTurn, type StatementId } from "../store/log/turn.ts";
import type { LogRange, StoredTurn } from "./turns.ts";

/** Problems of turns that are told: one of them may have thousands as its consequence. */
const PROBLEMS_MAX = 20;

/** Takes the turns of a log in order, and tells all that is wrong with them. */
export class CheckedTurns {
  readonly #range: LogRange;
  readonly #snapshots: readonly Head[];
  readonly #sqlOf: (id: StatementId) => string | undefined;
  readonly #onDamage: (problem: string) => void;
  #problems = 0;
  /** The last turn, as the table has it. */
  #last: Head | undefined;
  #lastEpoch = 0;
  #count = 0;
  #bytes = 0;
  /** The hashes that turns have where there are snapshots. */
  readonly #hashes = new Map<number, string>();

  constructor(
    options: {
      readonly range: LogRange;
      readonly snapshots: readonly Head[];
    },
    ports: {
      readonly sqlOf: (id: StatementId) => string | undefined;
      readonly onDamage: (problem: string) => void;
    },
  ) {
    this.#range = options.range;
    this.#snapshots = options.snapshots;
    this.#sqlOf = ports.sqlOf;
    this.#onDamage = ports.onDamage;
  }

  get count(): number {
    return this.#count;
  }

  /** Of the bodies. */
  get bytes(): number {
    return this.#bytes;
  }

  add(turn: StoredTurn): void {
    const { sequence, hash, body, epoch } = turn;
    const before = this.#last ?? this.#begin(sequence);
    if (before !== undefined) this.#checkPlace(before, turn);
    if (epoch < this.#lastEpoch || epoch > this.#range.epoch)
      this.#damage(
        `turn ${sequence} has epoch ${epoch}, which cannot follow ${this.#lastEpoch}`,
      );
    this.#checkBody(turn);
    this.#last = { sequence, hash };
    this.#lastEpoch = Math.max(epoch, this.#lastEpoch);
    this.#count += 1;
    this.#bytes += body.length;
    if (this.#snapshots.some((one) => one.sequence === sequence))
      this.#hashes.set(sequence, hash);
  }

  /** There are no more turns. */
  end(): void {
    const { head } = this.#range;
    const last = this.#last ?? this.#begin(head.sequence + 1) ?? head;
    if (last.sequence < head.sequence)
      this.#damage(
        `${turnsFrom(last.sequence + 1, head.sequence)} missing at the end of the log`,
      );
    else if (last.sequence > head.sequence)
      this.#damage(
        `there is turn ${last.sequence}, and the log ends with turn ${head.sequence}`,
      );
    else if (last.hash !== head.hash)
      this.#damage(
        `the hash of the head differs from that of turn ${last.sequence}`,
      );
    if (this.#problems > PROBLEMS_MAX)
      this.#onDamage(`${this.#problems - PROBLEMS_MAX} more problems of turns`);
  }

  /** What is wrong with the place of a snapshot; undefined if nothing is, as far as the turns say. */
  problemOf(snapshot: Head): string | undefined {
    const { sequence } = snapshot;
    const { head } = this.#range;
    const own = this.#hashes.get(sequence);
    const hash = sequence === head.sequence ? head.hash : own;
    if (sequence > head.sequence)
      return `the snapshot at turn ${sequence} is after the end of the log, turn ${head.sequence}`;
    return hash === undefined || hash === snapshot.hash
      ? undefined
      : `the snapshot at turn ${sequence} has another hash than that turn`;
  }

  /** The head before the first turn that is there; undefined if that was trimmed as well. */
  #begin(first: number): Head | undefined {
    if (first === 1) return emptyHead;
    // Turns up to the oldest snapshot are deleted, bit by bit, so that some of them may still be there.
    const oldest = this.#snapshots.reduce(
      (least, { sequence }) => Math.min(least, sequence),
      Infinity,
    );
    if (oldest === Infinity)
      this.#damage(
        `${turnsFrom(1, first - 1)} missing, and there is no snapshot`,
      );
    else if (first - 1 > oldest)
      this.#damage(`${turnsFrom(oldest + 1, first - 1)} missing`);
    return this.#snapshots.find((one) => one.sequence === first - 1);
  }

  #checkPlace(before: Head, { sequence, hash, body }: StoredTurn): void {
    const gap = sequence - before.sequence - 1;
    if (gap > 0) {
      this.#damage(`${turnsFrom(before.sequence + 1, sequence - 1)} missing`);
      return;
    }
    if (headAfter(before, body).hash !== hash)
      this.#damage(
        `turn ${sequence} does not follow turn ${before.sequence}: it or its hash was altered`,
      );
  }

  #checkBody({ sequence, body }: StoredTurn): void {
    try {
      decodeTurn(body, this.#sqlOf);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#damage(`turn ${sequence} cannot be read: ${error.message}`);
    }
  }

  #damage(problem: string): void {
    this.#problems += 1;
    if (this.#problems <= PROBLEMS_MAX) this.#onDamage(problem);
  }
}

function turnsFrom(from: number, to: number): string {
  return from === to ? `turn ${from} is` : `turns ${from} to ${to} are`;
}
