import type { DeployFact } from "./facts.ts";

/** How far a transaction is that is waited for. */
export type Waiting = Omit<
  Extract<DeployFact, { readonly type: "pending" }>,
  "type" | "elapsedMs"
>;

/** How long nothing is said while nothing changes. */
const quietMs = 15_000;

/** Tells that a transaction is waited for: at first, when it gets on, and from time to time, so that nobody thinks it hangs. */
export function createProgress(
  tell: (fact: DeployFact) => void,
  now: () => number = () => performance.now(),
): (waiting: Waiting) => void {
  const startedMs = now();
  let told: { readonly confirmations: number; readonly atMs: number } = {
    confirmations: -1,
    atMs: startedMs,
  };
  return (waiting) => {
    const atMs = now();
    const { confirmations } = waiting;
    const isNews = confirmations !== told.confirmations;
    if (!isNews && atMs - told.atMs < quietMs) return;
    told = { confirmations, atMs };
    const elapsedMs = Math.round(atMs - startedMs);
    tell({ type: "pending", ...waiting, elapsedMs });
  };
}
