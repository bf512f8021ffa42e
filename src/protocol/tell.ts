import type { CoordinatorEvent } from "./coordinator/model.ts";
import { step } from "./machine.ts";
import type { SenderEvent } from "./sender/model.ts";
import type { Turn } from "./turn.ts";

/** Gives an event to the node as a sender. */
export function tellSender(turn: Turn, event: SenderEvent): void {
  step(turn.tables.sender, turn.node.sender, event, turn);
}

/** Gives an event to the node as a coordinator. */
export function tellCoordinator(turn: Turn, event: CoordinatorEvent): void {
  step(turn.tables.coordinator, turn.node.coordinator, event, turn);
}
