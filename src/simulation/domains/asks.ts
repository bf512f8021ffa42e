import type { IntentId } from "../../protocol/ids.ts";
import type { DomainGroup } from "../../domains/domain.ts";
import type { DrawAsk } from "../workload.ts";
import type { Trial } from "./trial.ts";

/** Users of a domain, some of whom talk nonsense. */
export function asking(
  { domain, drawCalls }: Pick<Trial, "domain" | "drawCalls">,
  group: DomainGroup,
  /** What has to happen first. */
  setupCalls: readonly IntentId[],
): DrawAsk {
  const drawCall = drawCalls(group);
  return (random, { id, senders, nonsense }) => {
    const users = group.members.slice(0, senders);
    const node = random.pick(users);
    const { after = [], mayPark, ...call } = drawCall(random, { id, node });
    const { payload, touches } = domain.check({ ...call, group, node });
    return {
      node: users.indexOf(node),
      payload: random.chance(nonsense) ? "sing a song" : payload,
      touches,
      after: [...setupCalls, ...after],
      mayPark,
    };
  };
}
