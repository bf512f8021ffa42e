import {
  decodeLog,
  digestOf,
  type LedgerDomain,
  ledgerDomain,
  parseAddress,
  parseIntentId as parseLedgerIntent,
} from "../../ledger/index.ts";
import {
  type Digest,
  type GroupAddress,
  type IntentId,
  parseDigest,
  parseIntentId,
} from "../../protocol/ids.ts";
import type { Node } from "../../node/node.ts";
import type { Block } from "../chain-rpc/block.ts";
import type { SimulatedLedger } from "../chain-rpc/ledger.ts";
import { Violation, violation } from "../violation.ts";
import type { EndorsedSteps } from "./endorsed.ts";
import type { WholeGroup, WholeUsers } from "./users.ts";

/** S14: receipts say what the ledger says. */
export function checkReceipts(
  ledger: SimulatedLedger,
  users: WholeUsers,
): void {
  for (const wish of users.promised()) {
    const { id, outcome } = users.intentOf(wish);
    if (id === undefined)
      throw violation("S13", wish.key, `is nowhere, and was ${wish.id ?? ""}`);
    const state = ledger.groupAt(parseAddress(wish.group.address));
    const isFulfilled = state?.fulfilled.has(parseLedgerIntent(id)) === true;
    if (isFulfilled !== (outcome === "Confirmed"))
      throw violation(
        "S14",
        id,
        `is ${isFulfilled ? "" : "not "}on the ledger, and its receipt says ${outcome ?? "nothing"}`,
      );
  }
}

/** The oracle of the domain, asked with what the ledger has and what an endorser knows of it. */
export async function checkGroup(
  ledger: SimulatedLedger,
  { taken }: WholeUsers,
  endorsed: EndorsedSteps,
  { trial, address }: WholeGroup,
  nodes: readonly Node[],
): Promise<void> {
  const [first] = endorsersAmong(address, nodes);
  const group = first?.group(address);
  if (first === undefined || group === undefined)
    throw new Violation("L23", `nobody endorses in ${address} any more`);
  const unspent = first.states(address);
  const { chainId } = ledger.options;
  const domain = ledgerDomain({ chainId, group: parseAddress(address) });
  const steps = fulfilledIn(ledger.head, address, domain).flatMap(
    ({ intentId, digest }) => {
      const intent = taken.get(intentId);
      if (intent !== undefined && intent.group !== address)
        throw violation("S47", intentId, `is of ${intent.group}`);
      const step = digest && endorsed.find(digest, intentId);
      if (step !== undefined) return [step];
      return intent === undefined
        ? []
        : [{ intentId, sender: intent.node, payload: intent.payload }];
    },
  );
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

/** The intents of a group that the ledger has, in its order, and in which transitions. */
function fulfilledIn(
  head: Block,
  address: GroupAddress,
  domain: LedgerDomain,
): readonly { readonly intentId: IntentId; readonly digest?: Digest }[] {
  const blocks: Block[] = [];
  for (let block: Block | undefined = head; block; block = block.parent)
    blocks.push(block);
  return blocks.reverse().flatMap(({ transactions }) =>
    transactions.flatMap(({ logs }) => {
      const events = logs.flatMap((log) =>
        String(log.address) === address
          ? (decodeLog({ ...log, transactionHash: "" }) ?? [])
          : [],
      );
      const digest = events.flatMap((event) =>
        event.type === "Transitioned"
          ? (parseDigest(digestOf(domain, event.transitionHash)) ?? [])
          : [],
      )[0];
      return events.flatMap((event) => {
        if (event.type !== "IntentFulfilled") return [];
        const intentId = parseIntentId(event.intentId);
        if (intentId === undefined) return [];
        return [{ intentId, ...(digest !== undefined && { digest }) }];
      });
    }),
  );
}
