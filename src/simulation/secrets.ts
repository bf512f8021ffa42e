import type { SequencerConfig } from "../protocol/config.ts";
import type { NodeName } from "../protocol/ids.ts";
import type { Message } from "../protocol/messages.ts";
import type { State, Step } from "../protocol/transition.ts";
import { violation } from "./violation.ts";

/** Who may see what. */
export type Secrets = Pick<SequencerConfig, "committee" | "mayKnow">;

/** S42: a message that is about to be sent tells nobody what he may not see. */
export function checkSecrets(
  { committee, mayKnow }: Secrets,
  {
    from,
    to,
    message,
  }: {
    readonly from: NodeName;
    readonly to: NodeName;
    readonly message: Message;
  },
): void {
  if (from === to || committee.includes(to)) return;
  for (const { id, content } of contentsOf(message))
    if (!mayKnow(to, { id, content }))
      throw violation("S42", id, `${to} may not see it, and ${from} tells`);
}

/** All private content in a message. */
function contentsOf(message: Message): readonly State[] {
  if (message.type === "AssembleRequest") return message.view.created;
  if (message.type === "Handover") return message.context.created;
  if (message.type === "AssembleResponse")
    return message.outcomes.flatMap((outcome) =>
      outcome.type === "assembled" ? statesIn(outcome.step) : [],
    );
  if (message.type === "EndorsementRequest")
    return [...message.view.created, ...message.bundle.steps.flatMap(statesIn)];
  if (message.type === "FulfilmentProof") return statesIn(message.step);
  return [];
}

function statesIn({ outputs, infos }: Step): readonly State[] {
  return [...outputs, ...infos];
}
