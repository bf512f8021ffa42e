import { SequencerError } from "../errors.ts";
import type { Chain } from "./chain.ts";
import { execute, waitForPending } from "./execute.ts";
import type { Execution } from "./execute.ts";
import type { DeployFact } from "./facts.ts";
import type { Item } from "./plan.ts";
import { createProgress } from "./progress.ts";

/** Takes facts as they happen. */
export type Tell = (fact: DeployFact) => void;

/** Waits for what an earlier run may have left on its way: sending it again would waste gas. */
export async function settle(
  chain: Chain,
  execution: Execution,
  tell: Tell,
): Promise<void> {
  const pending = await chain.pendingOf(execution.sender);
  if (pending === 0) return;
  tell({ type: "waiting", pending });
  await waitForPending(chain, execution);
}

/** Makes sure that the sender can pay, before anything is sent. */
export function requireFunds(
  { sender: address, network }: Execution,
  { have, need }: { readonly have: bigint; readonly need: bigint },
): void {
  if (have < need)
    throw new SequencerError("FUNDS_INSUFFICIENT", {
      address,
      network,
      have,
      need,
    });
}

/** Does all that is left to do, in order. */
export async function executeAll(
  chain: Chain,
  items: readonly Item[],
  execution: Execution,
  tell: Tell,
): Promise<{ transactions: string[]; gasUsed: bigint }> {
  const transactions: string[] = [];
  let gasUsed = 0n;
  for (const item of items) {
    tellPresent(item, tell);
    for (const step of item.steps) {
      const { name, address } = step;
      const { isOwn, ...done } = await execute(
        chain,
        step,
        execution,
        createProgress(tell),
      );
      transactions.push(done.tx);
      gasUsed += done.gasUsed;
      if (isOwn) tell({ type: "deployed", name, address, ...done });
      else tellPresent({ ...item, status: "present" }, tell);
    }
  }
  return { transactions, gasUsed };
}

/** Tells of an item that is there already. */
export function tellPresent({ name, address, status }: Item, tell: Tell): void {
  if (status !== "missing") tell({ type: "present", name, address, status });
}
