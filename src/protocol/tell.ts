import type { CoordinatorEvent } from "./coordinator/model.ts";
import { coordinatorTable } from "./coordinator/table.ts";
import { step } from "./machine.ts";
import type { SenderEvent } from "./sender/model.ts";
import { senderTable } from "./sender/table.ts";
import type { Turn } from "./turn.ts";

/** Gives an event to the node as a sender. */
export function tellSender(turn: Turn, event: SenderEvent): void {
  step(senderTable, turn.node.sender, event, turn);
}

/** Gives an event to the node as a coordinator. */
export function tellCoordinator(turn: Turn, event: CoordinatorEvent): void {
  step(coordinatorTable, turn.node.coordinator, event, turn);
}
