import type { Head } from "../store/log/chain.ts";
import type { Health } from "./window.ts";

/** A replica, as a supervisor sees it. */
export interface Candidate {
  readonly name: string;
  readonly health: Health;
  /** Whether it answered in the last round. */
  readonly isAnswering: boolean;
  /** What was wrong with it in the last round that counted. A candidate needs more than its health, which is that of a while. */
  readonly problem: string | undefined;
  /** The last turn that it has; undefined if it did not answer. */
  readonly applied: Head | undefined;
  /** How far it sees the chain. */
  readonly height: number | undefined;
  /** Grows with every tenure of any replica; 0 if it had none. */
  readonly lastTenure: number;
}

/** Which replica an operator wants to be the master. */
export interface Wish {
  readonly name: string;
  /** Passes over its health. Nothing passes over the stopped hash. */
  readonly isForced: boolean;
}

/** All that an election depends on. */
export interface Observation {
  readonly epoch: number;
  readonly head: Head;
  /** The log is stopped: its head is the stopped hash, and a grant opens it again. */
  readonly isStopped: boolean;
  /** The replica that has the lease. */
  readonly master: string | undefined;
  /** How long it has had it, or nobody has. */
  readonly tenureMs: number;
  readonly isElectionOn: boolean;
  /** For so long the last master of a stopped log may still answer: nobody else may yet. */
  readonly trustedForMs: number;
  readonly wish: Wish | undefined;
  readonly replicas: readonly Candidate[];
}

export interface ElectionOptions {
  /** A master is not replaced before, however unhealthy. */
  readonly tenureMsMin: number;
  /** Turns that a candidate may lack while there is a master: it reads them in a moment. */
  readonly lagMax: number;
}

/** Why nothing is done. */
export type WaitReason =
  | "master-works"
  | "lease-is-free"
  | "elections-are-stopped"
  /** The same, and the log is stopped too. */
  | "nobody-may-begin"
  | "tenure-is-short"
  | "nobody-else-is-healthy"
  | "last-master-may-answer"
  | "candidates-catch-up"
  | "nobody-qualifies";

/** What a supervisor does next. */
export type Step =
  | { readonly type: "wait"; readonly reason: WaitReason }
  | {
      readonly type: "revoke";
      readonly master: string | undefined;
      readonly epoch: number;
      readonly reason: "unhealthy" | "wish" | "forced";
    }
  | {
      readonly type: "grant";
      readonly to: string;
      readonly epoch: number;
      readonly head: Head;
      readonly reason: "elected" | "wish" | "forced";
    }
  /** The wish is answered, and nothing else was done. */
  | { readonly type: "refuse"; readonly wish: Wish; readonly problem: string }
  | { readonly type: "fulfilled"; readonly wish: Wish };

/** One step from what was observed. It depends on nothing else. */
export function decide(
  observation: Observation,
  options: ElectionOptions,
): Step {
  const { wish, isElectionOn, isStopped } = observation;
  if (wish !== undefined) return follow(wish, observation, options);
  if (!isElectionOn)
    return wait(isStopped ? "nobody-may-begin" : "elections-are-stopped");
  return isStopped ? elect(observation) : watch(observation, options);
}

function wait(reason: WaitReason): Step {
  return { type: "wait", reason };
}

/** With a master. */
function watch(observation: Observation, options: ElectionOptions): Step {
  const { master, tenureMs, replicas, epoch } = observation;
  // Passive replicas take it after the grace.
  if (master === undefined) return wait("lease-is-free");
  const health = replicas.find(({ name }) => name === master)?.health;
  if (health !== "unhealthy") return wait("master-works");
  if (tenureMs < options.tenureMsMin) return wait("tenure-is-short");
  const isReplaceable = replicas.some(
    (one) =>
      one.name !== master &&
      problemOf(one, { ...observation, isForced: false }, options) ===
        undefined,
  );
  if (!isReplaceable) return wait("nobody-else-is-healthy");
  return { type: "revoke", master, epoch, reason: "unhealthy" };
}

/** With a stopped log. */
function elect({ replicas, head, epoch, trustedForMs }: Observation): Step {
  if (trustedForMs > 0) return wait("last-master-may-answer");
  const healthy = replicas.filter(
    ({ health, isAnswering, problem }) =>
      isAnswering && health === "healthy" && problem === undefined,
  );
  const [best] = healthy.filter((one) => hasTurn(one, head)).sort(byRank);
  if (best !== undefined)
    return { type: "grant", to: best.name, epoch, head, reason: "elected" };
  const isOneBehind = healthy.some((one) => isBehind(one, head));
  return wait(isOneBehind ? "candidates-catch-up" : "nobody-qualifies");
}

/** The one whose last tenure is longest ago, so that each has its turn; then the one that sees most of the chain. */
function byRank(a: Candidate, b: Candidate): number {
  return (
    a.lastTenure - b.lastTenure ||
    (b.height ?? -1) - (a.height ?? -1) ||
    (a.name < b.name ? -1 : 1)
  );
}

function hasTurn({ applied }: Pick<Candidate, "applied">, head: Head): boolean {
  return applied?.sequence === head.sequence && applied.hash === head.hash;
}

function isBehind({ applied }: Candidate, head: Head): boolean {
  return applied !== undefined && applied.sequence < head.sequence;
}

function follow(
  wish: Wish,
  observation: Observation,
  options: ElectionOptions,
): Step {
  const { name, isForced } = wish;
  const { replicas, isStopped, master, head, epoch } = observation;
  if (!isStopped && master === name) return { type: "fulfilled", wish };
  const target = replicas.find((one) => one.name === name);
  const problem =
    target === undefined
      ? "no replica has this name"
      : problemOf(target, { ...observation, isForced }, options);
  if (target === undefined || problem !== undefined)
    return { type: "refuse", wish, problem: problem ?? "" };
  const reason = isForced ? "forced" : "wish";
  if (!isStopped) return { type: "revoke", master, epoch, reason };
  if (observation.trustedForMs > 0) return wait("last-master-may-answer");
  return hasTurn(target, head)
    ? { type: "grant", to: name, epoch, head, reason }
    : wait("candidates-catch-up");
}

/** Why a replica cannot become the master; undefined if it can, at once or when it has caught up. */
function problemOf(
  { health, isAnswering, applied, problem }: Candidate,
  {
    head,
    isForced,
  }: Pick<Observation, "head"> & { readonly isForced: boolean },
  { lagMax }: ElectionOptions,
): string | undefined {
  if (!isAnswering || applied === undefined) return "it does not answer";
  if (!isForced && problem !== undefined) return problem;
  if (!isForced && health !== "healthy") return `it is ${health}`;
  const lag = head.sequence - applied.sequence;
  if (lag > lagMax) return `it is ${lag} turns behind`;
  // The log is read after the replicas were asked.
  const isOther = lag < 0 || (lag === 0 && !hasTurn({ applied }, head));
  return isOther ? "it has other turns than the log" : undefined;
}
