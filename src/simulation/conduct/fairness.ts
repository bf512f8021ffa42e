import type {
  AssemblyWork,
  Coordinator,
} from "../../protocol/coordinator/model.ts";
import { isPaused } from "../../protocol/coordinator/silence.ts";
import type { CoordinatorTransaction } from "../../protocol/coordinator/transaction/model.ts";
import type { IntentId, NodeName, RequestKey } from "../../protocol/ids.ts";
import type { Sequencer } from "../../protocol/sequencer.ts";
import type { SimulatedNode } from "../node.ts";
import { Violation } from "../violation.ts";

/** A sender whose turn has not come. */
interface Waiting {
  /** What it waits with. */
  readonly id: IntentId;
  /** How often each other sender was served meanwhile. */
  readonly turns: Map<NodeName, number>;
}

/** Whom a coordinator serves. */
export interface Services {
  /** Assemblies that it has asked for and that are not over. */
  seen: ReadonlySet<RequestKey>;
  readonly waiting: Map<NodeName, Waiting>;
}

/** Those were served whom it asked as soon as it started; nobody waited then. */
export function startServices({ assemblies }: Coordinator): Services {
  return { seen: new Set(assemblies.keys()), waiting: new Map() };
}

/** Turns of one sender that another may have to wait for: the one under way, and one more. */
const turnsMax = 2;

/**
 * L13: senders are served in turn. Whoever waits for something waits for few turns of others that want it too.
 * L15: whoever does not answer is left out for a while.
 */
export function checkFair(
  node: SimulatedNode,
  sequencer: Sequencer,
  services: Services,
): void {
  const { coordinator, tick } = sequencer;
  const { assemblies, pools, transactions } = coordinator;
  const { waiting, seen } = services;
  const served: AssemblyWork[] = [];
  for (const [key, work] of assemblies) if (!seen.has(key)) served.push(work);
  for (const sender of waiting.keys())
    if (!pools.has(sender)) waiting.delete(sender);
  if (served.length === 0) return;
  services.seen = new Set(assemblies.keys());
  for (const { to } of served) {
    waiting.delete(to);
    if (isPaused(sequencer, to))
      throw new Violation(
        "L15",
        `${node.name} asks ${to}, who does not answer`,
      );
  }
  for (const [sender, { entries }] of pools) {
    const first = firstOf(entries.map(({ id }) => transactions.get(id)));
    // Whoever failed, or did not answer, and has to pause may be passed.
    if (
      first === undefined ||
      first.notBefore > tick ||
      isPaused(sequencer, sender)
    ) {
      waiting.delete(sender);
      continue;
    }
    const last = waiting.get(sender);
    // If something else comes first now, it was served, or took it back.
    const isNew = last?.id !== first.id;
    const turns = isNew ? new Map<NodeName, number>() : last.turns;
    waiting.set(sender, { id: first.id, turns });
    // The node asks itself, and answers, within a turn: how often that was so, and when, is not seen.
    if (isNew && sender === node.name) continue;
    const own = served.findLastIndex(({ to }) => to === sender);
    const rivals = served
      .slice(own + 1)
      .filter(({ touches }) => meet(first.intent.touches, touches));
    // Within one turn a node may serve itself, and answer, between any two of them.
    for (const to of new Set(rivals.map((rival) => rival.to))) {
      const count = (turns.get(to) ?? 0) + 1;
      turns.set(to, count);
      if (count > turnsMax)
        throw new Violation(
          "L13",
          `${node.name} serves ${to} again, while ${sender} waits`,
        );
    }
  }
}

/** The one that comes first of those that are to be assembled. */
function firstOf(
  pooled: readonly (CoordinatorTransaction | undefined)[],
): CoordinatorTransaction | undefined {
  let first: CoordinatorTransaction | undefined;
  for (const transaction of pooled)
    if (transaction?.state === "Pooled")
      if (first === undefined || transaction.order < first.order)
        first = transaction;
  return first;
}

/** Whether two cannot be assembled side by side. */
function meet(
  some: readonly string[] | undefined,
  others: readonly string[] | undefined,
): boolean {
  return (
    some === undefined ||
    others === undefined ||
    some.some((name) => others.includes(name))
  );
}
