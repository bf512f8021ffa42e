import type { StateId } from "../../protocol/ids.ts";
import type { DomainGroup, DomainState } from "../../domains/domain.ts";
import { readState } from "../../domains/states/content.ts";
import type { Block } from "../chain.ts";
import { violation } from "../violation.ts";
import type { History } from "./trial.ts";

/** What blocks tell of a group. */
export function historyOf(
  group: DomainGroup,
  blocks: readonly Block[],
): History {
  const unspent = new Map<StateId, DomainState>();
  for (const { inputs, outputs } of blocks.flatMap((one) => one.transitions)) {
    for (const id of inputs) unspent.delete(id);
    for (const state of outputs) {
      const read = readState(state);
      if (read === undefined)
        throw violation("conserved", state.id, "means nothing");
      unspent.set(state.id, read);
    }
  }
  return {
    group,
    steps: blocks.flatMap(({ bundles }) => bundles.flatMap((one) => one.steps)),
    unspent: [...unspent.values()],
  };
}
