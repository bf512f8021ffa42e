import type { CoordinatorState } from "../protocol/coordinator/model.ts";
import type { Event } from "../protocol/events.ts";
import type { NodeName } from "../protocol/ids.ts";
import { candidates, type Sequencer } from "../protocol/turn.ts";

/** How a node became the coordinator: because nobody was, from another, or because another is silent. */
export type Takeover = "start" | "handover" | "failover";

/** The coordinator before an event. */
export interface Before {
  readonly state: CoordinatorState;
  readonly predecessor: NodeName | undefined;
}

/** How an event made a node the coordinator; undefined if it did not. The protocol itself has no need to know. */
export function takeoverOf(
  before: Before,
  event: Event,
  sequencer: Sequencer,
): Takeover | undefined {
  const { coordinator, config } = sequencer;
  if (coordinator.state !== "Active" || before.state === "Active")
    return undefined;
  if (before.state === "Elect" || before.state === "Prepared") {
    // Whatever else ends the wait for a predecessor comes from him, or from the ledger.
    if (event.type !== "Tick") return "handover";
    return before.predecessor === undefined ? "start" : "failover";
  }
  // Senders come to this node only after those before it did not answer.
  return candidates(sequencer)[0] === config.self ? "start" : "failover";
}
