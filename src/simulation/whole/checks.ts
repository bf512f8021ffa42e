import {
  decodeLog,
  parseAddress,
  parseIntentId as parseLedgerIntent,
} from "../../ledger/index.ts";
import {
  type GroupAddress,
  type IntentId,
  parseIntentId,
} from "../../protocol/ids.ts";
import type { Node } from "../../runtime/node/node.ts";
import type { Block } from "../chain-rpc/block.ts";
import type { SimulatedLedger } from "../chain-rpc/ledger.ts";
import { Violation, violation } from "../violation.ts";
import type { WholeGroup, WholeUsers } from "./users.ts";

/** S14: receipts say what the ledger says. */
export function checkReceipts(
  ledger: SimulatedLedger,
  { asked }: WholeUsers,
): void {
  for (const [id, { outcome, group, isAccepted }] of asked) {
    if (!isAccepted) continue;
    const state = ledger.groupAt(parseAddress(group.address));
    const isFulfilled = state?.fulfilled.has(parseLedgerIntent(id)) === true;
    if (isFulfilled !== (outcome?.type === "Confirmed"))
      throw violation(
        "S14",
        id,
        `is ${isFulfilled ? "" : "not "}on the ledger, and its receipt says ${outcome?.type ?? "nothing"}`,
      );
  }
}

/** The oracle of the domain, asked with what the ledger has and what an endorser knows of it. */
export async function checkGroup(
  ledger: SimulatedLedger,
  { asked }: WholeUsers,
  { trial, address }: WholeGroup,
  nodes: readonly Node[],
): Promise<void> {
  const [first] = endorsersAmong(address, nodes);
  const group = first?.group(address);
  if (first === undefined || group === undefined)
    throw new Violation("L23", `nobody endorses in ${address} any more`);
  const unspent = first.states(address);
  const steps = fulfilledIn(ledger.head, address).flatMap((intentId) => {
    const wish = asked.get(intentId);
    return wish === undefined
      ? []
      : [{ intentId, sender: wish.node, payload: wish.payload }];
  });
  try {
    await trial.check?.({ group, steps, unspent });
  } catch (error) {
    if (error instanceof Violation) throw error;
    const what = error instanceof Error ? error.message : "it makes no sense";
    throw new Violation("conserved", what);
  }
}

/** Whether all endorsers of a group know the same states. After a lost disk that takes a while. */
export function isSameEverywhere(
  address: GroupAddress,
  nodes: readonly Node[],
): boolean {
  const known = endorsersAmong(address, nodes).map((node) =>
    node
      .states(address)
      .map(({ id }) => id)
      .sort()
      .join(" "),
  );
  return new Set(known).size === 1;
}

function endorsersAmong(
  address: GroupAddress,
  nodes: readonly Node[],
): readonly Node[] {
  return nodes.filter((node) =>
    node.group(address)?.endorsers.includes(node.name),
  );
}

/** The intents of a group that the ledger has, in its order. */
function fulfilledIn(head: Block, address: GroupAddress): IntentId[] {
  const blocks: Block[] = [];
  for (let block: Block | undefined = head; block; block = block.parent)
    blocks.push(block);
  return blocks.reverse().flatMap(({ transactions }) =>
    transactions.flatMap(({ logs }) =>
      logs.flatMap((log) => {
        if (String(log.address) !== address) return [];
        const event = decodeLog({ ...log, transactionHash: "" });
        return event?.type === "IntentFulfilled"
          ? (parseIntentId(event.intentId) ?? [])
          : [];
      }),
    ),
  );
}
