import type { IntentId } from "../../protocol/ids.ts";
import type { DomainGroup } from "../../domains/domain.ts";
import { genesisIdOf } from "../../domains/genesis.ts";
import { intentIdOf } from "../hashing.ts";
import type { Wish } from "../workload.ts";
import type { Trial } from "./trial.ts";

/** Where the sequence of these intents begins: no workload has so many. */
const firstSequence = 1_000_000;

/** What the creator of a group does first, one after the other. */
export function setupWishesOf(
  { domain, setupCalls }: Pick<Trial, "domain" | "setupCalls">,
  group: DomainGroup,
  seed: number,
): readonly Wish[] {
  const wishes: Wish[] = [];
  const genesis = domain.genesis?.(group);
  if (genesis !== undefined)
    wishes.push(plainWish(genesisIdOf(group), genesis, []));
  const [node] = group.members;
  if (node === undefined || setupCalls === undefined) return wishes;
  for (const call of setupCalls(group)) {
    const { payload } = domain.check({ ...call, group, node });
    const id = intentIdOf(seed, firstSequence + wishes.length);
    const before = wishes.map(({ intent }) => intent.id);
    wishes.push(plainWish(id, payload, before));
  }
  return wishes;
}

function plainWish(
  id: IntentId,
  payload: string,
  dependsOn: readonly IntentId[],
): Wish {
  return {
    intent: {
      id,
      laneSalt: "",
      payload,
      dependsOn,
      touches: undefined,
      isPrepareOnly: false,
    },
    node: 0,
    atMs: 0,
    isParked: false,
    mayPark: false,
    resumeAfterMs: undefined,
    executeAfterMs: undefined,
  };
}
