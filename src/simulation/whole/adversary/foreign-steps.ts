import { parseRequestKey } from "../../../protocol/ids.ts";
import type { NodeName } from "../../../protocol/ids.ts";
import type { Message } from "../../../protocol/messages.ts";
import type { Bundle } from "../../../protocol/transition.ts";
import { withDeadline } from "../../liars/fields.ts";
import type { Random } from "../../random.ts";
import type { LiarsGroup } from "./group-liar.ts";

/**
 * Asks the endorsers of one group to sign a step that its sender signed for another group, in which the same members are. Undefined if
 * there is no such step.
 */
export function foreignRequest(
  bundle: Bundle,
  { group, hashing }: Pick<LiarsGroup, "group" | "hashing">,
  means: {
    readonly self: NodeName;
    readonly random: Random;
    readonly height: number;
  },
): Extract<Message, { readonly type: "EndorsementRequest" }> | undefined {
  const { self, random, height } = means;
  const steps = bundle.steps.filter(
    ({ sender }) => sender !== self && group.members.includes(sender),
  );
  // States of one group are not there in the other: steps without any come furthest.
  const free = steps.filter(
    ({ inputs, reads }) => inputs.length + reads.length === 0,
  );
  const key = parseRequestKey(`foreign.${random.word()}`);
  if (steps.length === 0 || key === undefined) return undefined;
  const step = random.pick(free.length > 0 ? free : steps);
  return {
    type: "EndorsementRequest",
    key,
    coordinator: self,
    height,
    bundle: withDeadline(
      { ...bundle, steps: [step], places: [] },
      step.validUntil,
      hashing,
    ),
    view: { created: [], spent: [] },
  };
}
