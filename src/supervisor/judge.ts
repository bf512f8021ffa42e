import type { ShownRole } from "../replica/presence.ts";
import type { Head } from "../store/log/chain.ts";

/** What a replica answers to a probe. */
export interface SyncStatus {
  readonly replica: string;
  readonly role: ShownRole;
  /** Of the lease or, at a passive replica, of the log as it saw it last. */
  readonly epoch: number | null;
  /** The last turn that is in its store and in the log. */
  readonly applied: Head;
  /** What it has indexed, if it is active; otherwise the head of the chain as it sees it. Null if it sees none. */
  readonly height: number | null;
  /** Whether it gets answers of the chain. */
  readonly hasChainTrouble: boolean;
  /** Whether the account that pays has too little, or its transactions are refused. */
  readonly hasPayerTrouble: boolean;
  /** How long an own intent had been on its way to the ledger when the chain moved last; null if none is. Pauses of the chain do not count. */
  readonly oldestDispatchMs: number | null;
}

/** The answer of a replica; without one, why there is none. */
export type ProbeAnswer = SyncStatus | { readonly reason: string };

/** The answers of one round of probes, by the name of the replica. */
export type Round = ReadonlyMap<string, ProbeAnswer>;

export interface JudgeOptions {
  /** An own intent that is on its way to the ledger for longer is a failure. */
  readonly dispatchMsMax: number;
}

/**
 * What is wrong with each replica in a round; undefined if nothing is. Trouble that all have is nobody's failure: no other replica would
 * do better.
 */
export function judge(
  before: Round,
  round: Round,
  options: JudgeOptions,
): ReadonlyMap<string, string | undefined> {
  return new Map(
    [...round.keys()].map((name) => {
      const answer = round.get(name);
      if (answer === undefined) return [name, "it was not asked"] as const;
      if ("reason" in answer) return [name, answer.reason] as const;
      const others = [...round].flatMap(([other, one]) =>
        other === name || "reason" in one ? [] : [one],
      );
      const past = before.get(name);
      const previous =
        past === undefined || "reason" in past ? undefined : past;
      return [name, failureOf(answer, { others, previous }, options)] as const;
    }),
  );
}

function failureOf(
  now: SyncStatus,
  {
    others,
    previous,
  }: {
    readonly others: readonly SyncStatus[];
    readonly previous: SyncStatus | undefined;
  },
  { dispatchMsMax }: JudgeOptions,
): string | undefined {
  if (now.role === "outdated" || now.role === "stopped")
    return `it is ${now.role}`;
  const seeing = others.filter(seesChain);
  if (!seesChain(now) && seeing.length > 0)
    return "it gets no answers of the chain";
  const best = Math.max(0, ...seeing.map(({ height }) => height ?? 0));
  const height = now.height ?? 0;
  const isStill = previous !== undefined && height <= (previous.height ?? 0);
  if (isStill && isSameWork(now, previous) && height < best)
    return `it stands still at block ${height}, and another replica sees block ${best}`;
  if (now.hasPayerTrouble && others.some((one) => !one.hasPayerTrouble))
    return "it cannot pay";
  const { oldestDispatchMs } = now;
  if (oldestDispatchMs !== null && oldestDispatchMs > dispatchMsMax)
    return `an intent has been on its way to the ledger for ${Math.round(oldestDispatchMs / 1_000)} s`;
  return undefined;
}

function seesChain({ hasChainTrouble, height }: SyncStatus): boolean {
  return !hasChainTrouble && height !== null;
}

/** The height of an active replica is another thing than that of a passive one. */
function isSameWork(now: SyncStatus, before: SyncStatus): boolean {
  return (now.role === "active") === (before.role === "active");
}
