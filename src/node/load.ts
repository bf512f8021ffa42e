import type { GroupRunner } from "./group-runner.ts";

/** What is repeated until somebody acknowledges it. */
export interface Outbox {
  /** Delegations that no coordinator has accepted. */
  readonly delegation: number;
  /** Requests for an assembly without an answer. */
  readonly assembly: number;
  /** Bundles that lack endorsements or permissions. */
  readonly bundle: number;
  /** Dispatched bundles of which a sender does not know yet. */
  readonly dispatch: number;
  /** Handovers that no successor has taken. */
  readonly handover: number;
}

/** What waits inside a node, and how far the chain is. For those who watch it. */
export interface NodeLoad {
  /** The head of the chain, as it was seen last; undefined until then. */
  readonly head: number | undefined;
  /** Blocks that could be indexed and are not. */
  readonly behindBlocks: number | undefined;
  /** Jobs that wait for their turn in the loop. */
  readonly jobs: number;
  readonly outbox: Outbox;
}

/** Counts over all groups what waits to be acknowledged. */
export function outboxOf(runners: Iterable<GroupRunner>): Outbox {
  const outbox = {
    delegation: 0,
    assembly: 0,
    bundle: 0,
    dispatch: 0,
    handover: 0,
  };
  for (const { sequencer } of runners) {
    const { sender, coordinator } = sequencer;
    if (sender.delegation !== undefined) outbox.delegation += 1;
    outbox.assembly += coordinator.assemblies.size;
    outbox.bundle +=
      coordinator.bundles.length + coordinator.preparations.length;
    outbox.handover += coordinator.handovers.size;
    for (const { record } of coordinator.dispatched.values()) {
      const { bundle, acknowledged } = record;
      if (bundle.steps.some(({ sender: name }) => !acknowledged.includes(name)))
        outbox.dispatch += 1;
    }
  }
  return outbox;
}
