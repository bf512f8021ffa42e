import { syncStatus } from "../api/rpc/methods/operators.ts";
import { ask } from "./ask.ts";
import type { KnownReplica } from "./election-view.ts";
import {
  judge,
  type JudgeOptions,
  type ProbeAnswer,
  type Round,
} from "./judge.ts";
import { type Health, Windows } from "./window.ts";

interface ProberOptions extends JudgeOptions {
  readonly token: string;
  /** How long an answer may take. */
  readonly waitMs: number;
  readonly probes: number;
}

/** Asks all replicas how they are, and remembers the last outcomes. */
export class Prober {
  readonly #options: ProberOptions;
  readonly #onProblem: (name: string, problem: string | undefined) => void;
  #windows: Windows;
  #round: Round = new Map();
  /** The last round that counted. */
  #counted: Round = new Map();
  #problems: ReadonlyMap<string, string | undefined> = new Map();

  constructor(
    options: ProberOptions,
    ports: {
      /** The outcome of a replica's probes has changed. */
      readonly onProblem: (name: string, problem: string | undefined) => void;
    },
  ) {
    this.#options = options;
    this.#onProblem = ports.onProblem;
    this.#windows = new Windows({ size: options.probes });
  }

  /** The answers of the last round. */
  get round(): Round {
    return this.#round;
  }

  healthOf(name: string): Health {
    return this.#windows.healthOf(name);
  }

  /** What was wrong with a replica in the last round that counted. */
  problemOf(name: string): string | undefined {
    return this.#problems.get(name);
  }

  /** Asks each replica once. Nothing is known of those without a server for operators. */
  async ask(replicas: readonly KnownReplica[]): Promise<Round> {
    const reachable = replicas.flatMap(({ name, operatorRpc: url }) =>
      url === undefined ? [] : [{ name, url }],
    );
    return new Map(
      await Promise.all(
        reachable.map(
          async (one) => [one.name, await this.#askOne(one)] as const,
        ),
      ),
    );
  }

  /** Takes the answers of a round in. One that counts is judged; others only say what replicas have. */
  take(round: Round, { counts }: { readonly counts: boolean }): void {
    this.#round = round;
    if (!counts) return;
    const problems = judge(this.#counted, round, this.#options);
    for (const [name, problem] of problems) {
      this.#windows.add(name, problem === undefined);
      if (problem !== this.#problems.get(name)) this.#onProblem(name, problem);
    }
    this.#windows.keep(new Set(round.keys()));
    this.#problems = problems;
    this.#counted = round;
  }

  /** What it saw was seen by another supervisor since. */
  forget(): void {
    this.#windows = new Windows({ size: this.#options.probes });
    this.#round = this.#counted = new Map();
    this.#problems = new Map();
  }

  async #askOne({
    name,
    url,
  }: {
    readonly name: string;
    readonly url: string;
  }): Promise<ProbeAnswer> {
    const { token, waitMs } = this.#options;
    const answer = await ask(
      { url, token },
      { method: "sequencer_syncStatus", params: [], waitMs },
    );
    if (!("result" in answer)) return { reason: answer.reason };
    const status = syncStatus.safeParse(answer.result);
    if (!status.success) return { reason: "its answer cannot be understood" };
    if (status.data.replica !== name)
      return { reason: `${status.data.replica} answers at its address` };
    return status.data;
  }
}
