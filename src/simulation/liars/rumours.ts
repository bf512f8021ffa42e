import type { StateId } from "../../protocol/ids.ts";
import type { Message } from "../../protocol/messages.ts";

/** States that liars say are in flight. Others may build on them until the ledger, or an endorser, tells otherwise. */
export type Rumours = Set<StateId>;

/** Takes note of what a liar says. */
export function spread(rumours: Rumours, message: Message): void {
  const view =
    message.type === "Handover"
      ? message.context
      : message.type === "AssembleRequest" ||
          message.type === "EndorsementRequest"
        ? message.view
        : undefined;
  for (const { id } of view?.created ?? []) rumours.add(id);
}
