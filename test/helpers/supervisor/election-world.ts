import {
  type Candidate,
  decide,
  type ElectionOptions,
  type Observation,
  type Step,
  type Wish,
} from "../../../src/supervisor/election.ts";
import { Windows } from "../../../src/supervisor/window.ts";
import type { Head } from "../../../src/store/log/chain.ts";

export const names = ["r1", "r2", "r3", "r4"] as const;
export type Name = (typeof names)[number];

export const options: ElectionOptions = { tenureMsMin: 10_000, lagMax: 3 };
export const windowSize = 3;
const roundMs = 1_000;

export type Action =
  | { readonly does: "round"; readonly supervisor: 0 | 1 }
  /** A supervisor acts on what it decided in some earlier round. */
  | { readonly does: "late step"; readonly supervisor: 0 | 1 }
  | { readonly does: "grant is lost" }
  | { readonly does: "time passes" }
  | { readonly does: "append" }
  | { readonly does: "switch" }
  | { readonly does: "take" }
  | { readonly does: "die" }
  | {
      readonly does: "break" | "mend" | "cut" | "join" | "fork" | "catch up";
      readonly name: Name;
    }
  | { readonly does: "wish"; readonly name: Name; readonly isForced: boolean };

interface Replica {
  isUp: boolean;
  seesChain: boolean;
  /** Turns that it has. */
  applied: number;
  /** It has another turn at the end than the log. */
  isForked: boolean;
  lastTenure: number;
}

/** What was decided, and on what. */
export interface Decision {
  readonly observation: Observation;
  readonly step: Step;
}

/** A log with its lease, replicas and two supervisors, as a model: statements of the database compare what they change. */
export class ElectionWorld {
  readonly decisions: Decision[] = [];
  /** Epochs that a grant ended. */
  readonly grantedEpochs: number[] = [];
  readonly replicas = new Map<Name, Replica>(
    names.map((name) => [
      name,
      {
        isUp: true,
        seesChain: true,
        applied: 5,
        isForked: false,
        lastTenure: 0,
      },
    ]),
  );
  master: Name | undefined;
  isElectionOn = true;
  isStopped = false;
  wish: Wish | undefined;
  #lastOwner: Name | undefined;
  #head = 5;
  #epoch = 0;
  #tenures = 0;
  #nowMs = 0;
  #sinceMs = 0;
  #trustedUntilMs = 0;
  #losesGrant = false;
  readonly #windows = [0, 1].map(() => new Windows({ size: windowSize }));
  readonly #problems = new Map<Name, string | undefined>();
  readonly #late = new Map<number, Step>();

  do(action: Action): void {
    switch (action.does) {
      case "round":
        this.#round(action.supervisor);
        return;
      case "late step": {
        const step = this.#late.get(action.supervisor);
        if (step !== undefined) this.#perform(step);
        return;
      }
      case "grant is lost":
        this.#losesGrant = true;
        return;
      case "time passes":
        this.#nowMs += options.tenureMsMin;
        return;
      case "append":
        if (this.master === undefined || this.isStopped) return;
        this.#head += 1;
        this.#of(this.master).applied = this.#head;
        return;
      case "switch":
        this.isElectionOn = !this.isElectionOn;
        return;
      case "wish":
        this.wish = { name: action.name, isForced: action.isForced };
        return;
      case "die":
        if (this.master === undefined) return;
        this.#of(this.master).isUp = false;
        this.#free();
        return;
      case "take":
        this.takeFreeLease();
        return;
      case "break":
      case "mend":
      case "cut":
      case "join":
      case "fork":
      case "catch up":
        this.#change(action.does, action.name);
    }
  }

  /** A passive replica takes a free lease, as without a supervisor. */
  takeFreeLease(): void {
    if (this.isStopped || this.master !== undefined) return;
    const taker = names.find((name) => {
      const { isUp, isForked } = this.#of(name);
      return (
        isUp && !isForked && (this.isElectionOn || name === this.#lastOwner)
      );
    });
    if (taker !== undefined) this.#begin(taker);
  }

  #change(
    does: "break" | "mend" | "cut" | "join" | "fork" | "catch up",
    name: Name,
  ): void {
    const replica = this.#of(name);
    switch (does) {
      case "break":
        replica.isUp = false;
        if (this.master === name) this.#free();
        return;
      case "mend":
        replica.isUp = true;
        return;
      case "cut":
        replica.seesChain = false;
        return;
      case "join":
        replica.seesChain = true;
        return;
      case "fork":
        replica.isForked = name !== this.master;
        return;
      case "catch up":
        if (!replica.isUp) return;
        replica.isForked = false;
        replica.applied = this.#head;
    }
  }

  #round(supervisor: number): void {
    this.#nowMs += roundMs;
    const windows = this.#windows[supervisor];
    if (windows === undefined) return;
    const seeing = names.some((name) => this.isGood(name));
    for (const name of names) {
      const { isUp, seesChain } = this.#of(name);
      // If nobody sees the chain, that is nobody's failure.
      const isGood = isUp && (seesChain || !seeing);
      windows.add(name, isGood);
      this.#problems.set(name, isGood ? undefined : "something");
    }
    const observation = this.#observe(windows);
    const step = decide(observation, options);
    this.decisions.push({ observation, step });
    this.#late.set(supervisor, step);
    this.#perform(step);
  }

  isGood(name: Name): boolean {
    const { isUp, seesChain } = this.#of(name);
    return isUp && seesChain;
  }

  #observe(windows: Windows): Observation {
    return {
      epoch: this.#epoch,
      head: headAt(this.#head, false),
      isStopped: this.isStopped,
      master: this.master,
      tenureMs: this.#nowMs - this.#sinceMs,
      isElectionOn: this.isElectionOn,
      trustedForMs: this.#nowMs < this.#trustedUntilMs ? 1 : 0,
      wish: this.wish,
      replicas: names.map((name): Candidate => {
        const { isUp, seesChain, applied, isForked, lastTenure } =
          this.#of(name);
        return {
          name,
          health: windows.healthOf(name),
          isAnswering: isUp,
          problem: this.#problems.get(name),
          applied: isUp ? headAt(applied, isForked) : undefined,
          height: seesChain ? 100 : undefined,
          lastTenure,
        };
      }),
    };
  }

  /** As the database and the replicas do it: each compares first. */
  #perform(step: Step): void {
    switch (step.type) {
      case "wait":
        return;
      case "fulfilled":
      case "refuse":
        if (this.wish === step.wish) this.wish = undefined;
        return;
      case "revoke":
        if (this.#epoch !== step.epoch || this.isStopped) return;
        this.#epoch += 1;
        this.isStopped = true;
        this.#trustedUntilMs = this.#nowMs + roundMs;
        this.#free();
        return;
      case "grant":
        this.#grant(step);
    }
  }

  #grant({ to, epoch, head }: Step & { readonly type: "grant" }): void {
    const name = names.find((one) => one === to);
    if (name === undefined) throw new Error(`There is no ${to}.`);
    const replica = this.#of(name);
    replica.lastTenure = ++this.#tenures;
    if (this.#losesGrant) {
      this.#losesGrant = false;
      return;
    }
    const isRight =
      !replica.isForked &&
      replica.applied === head.sequence &&
      this.#head === head.sequence;
    if (!replica.isUp || !isRight) return;
    if (!this.isStopped || this.#epoch !== epoch) return;
    this.grantedEpochs.push(epoch);
    this.isStopped = false;
    if (this.wish?.name === name) this.wish = undefined;
    this.#begin(name);
  }

  #begin(name: Name): void {
    this.#epoch += 1;
    this.master = name;
    this.#lastOwner = name;
    this.#sinceMs = this.#nowMs;
    const replica = this.#of(name);
    replica.applied = this.#head;
    replica.lastTenure = ++this.#tenures;
  }

  #free(): void {
    this.master = undefined;
    this.#sinceMs = this.#nowMs;
  }

  #of(name: Name): Replica {
    const replica = this.replicas.get(name);
    if (replica === undefined) throw new Error(`There is no ${name}.`);
    return replica;
  }
}

function headAt(sequence: number, isForked: boolean): Head {
  return { sequence, hash: `${isForked ? "other" : "turn"} ${sequence}` };
}
