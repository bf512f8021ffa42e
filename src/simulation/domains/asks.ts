import type { DomainGroup } from "../../runtime/domains/domain.ts";
import type { DrawAsk } from "../workload.ts";
import type { Trial } from "./trial.ts";

/** Users of a domain: some talk nonsense, and some speak for others. */
export function asking(
  { domain, drawCalls }: Pick<Trial, "domain" | "drawCalls">,
  group: DomainGroup,
): DrawAsk {
  const drawCall = drawCalls(group);
  return (random, { id, senders, nonsense }) => {
    const users = group.members.slice(0, senders);
    const node = random.pick(users);
    const { after, mayPark, ...call } = drawCall(random, { id, node });
    const asked = domain.check({ ...call, group, node });
    const isNonsense = random.chance(nonsense);
    const payload =
      isNonsense && random.chance(0.5) ? "sing a song" : asked.payload;
    const speaker = isNonsense ? random.pick(users) : node;
    return {
      node: group.members.indexOf(speaker),
      payload,
      touches: asked.touches,
      after,
      mayPark,
    };
  };
}
