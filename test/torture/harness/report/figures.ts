import { isExcused } from "../checker/processes.ts";
import type { Evidence } from "../evidence/evidence.ts";

/** Numbers of a run, by what they say. */
export type Figures = Readonly<Record<string, number>>;

/** What a fault may still cause after it has ended: a coordinator is missed, work is handed over, a bundle is mined late. */
const AFTERMATH_MS = 10_000;

/** Counts what happened. None of it is right or wrong by itself. */
export function figuresOf(evidence: Evidence): Figures {
  const { answers, ledger, receipts, exits, faults } = evidence;
  const count = (type: string): number =>
    answers.filter((answer) => answer.type === type).length;
  const accepted = new Set(
    answers.flatMap((one) => (one.type === "accepted" ? [one.id] : [])),
  );
  const ended = receipts.filter(({ receipt }) => receipt !== undefined);
  const fulfilled = ledger.transitions.flatMap(({ intents }) => intents).length;
  return {
    "intents wished for": count("wished"),
    "intents accepted": accepted.size,
    "intents confirmed": ended.filter(({ receipt }) => receipt?.isSuccess)
      .length,
    "intents failed": ended.filter(({ receipt }) => !receipt?.isSuccess).length,
    "requests without an answer": count("unanswered"),
    "requests refused": count("refused"),
    "keys asked for again": answers.filter(
      (one) => one.type === "accepted" && one.isAgain,
    ).length,
    faults: faults.length,
    "blocks in the end": ledger.head,
    "blocks replaced": evidence.replaced.reduce(
      (sum, { ancestor, from }) => sum + from - ancestor,
      0,
    ),
    "transactions of the base ledger": ledger.transactions,
    "of them reverted": ledger.reverted.length,
    "failures told long after any fault": evidence.failures.filter(
      ({ atMs }) =>
        !faults.some(
          ({ startMs, endMs }) =>
            startMs <= atMs && atMs <= endMs + AFTERMATH_MS,
        ),
    ).length,
    "intents per transition":
      Math.round((100 * fulfilled) / Math.max(1, ledger.transitions.length)) /
      100,
    "starts refused without a chain": exits.filter(
      (exit) => exit.cause === undefined && isExcused(exit, evidence),
    ).length,
  };
}
