import type { GroupRunner } from "./group-runner.ts";
import type { NodeStatus } from "./service.ts";

/** What keeps a node that is drained from being stopped: all that others would miss. */
export function drainingOf(
  groups: readonly Pick<GroupRunner, "stored" | "sequencer">[],
): NonNullable<NodeStatus["draining"]> {
  const reasons = groups.flatMap((group) => {
    const reason = reasonOf(group);
    return reason === undefined ? [] : [`${group.stored.name}: ${reason}`];
  });
  return { isDone: reasons.length === 0, reasons };
}

function reasonOf({
  sequencer: { coordinator, config },
}: Pick<GroupRunner, "sequencer">): string | undefined {
  const { state, dispatched, handovers, transactions } = coordinator;
  if (dispatched.size > 0) {
    const count = [...dispatched.values()].reduce(
      (sum, { open }) => sum + open.size,
      0,
    );
    return `the ledger does not have ${counted(count, "intent")} yet that this node has dispatched.`;
  }
  // Nobody else does its work in this mode, and the work goes on after the next start.
  if (config.mode === "local") return undefined;
  if (state === "Idle" || state === "Observing")
    return handovers.size > 0
      ? "the next coordinator has not acknowledged the handover yet."
      : undefined;
  return state === "Closing" || state === "Flush"
    ? "it tells the others that it no longer coordinates."
    : `it still coordinates ${counted(transactions.size, "intent")}, until another member can.`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
