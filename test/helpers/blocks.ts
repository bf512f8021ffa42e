import type { GroupAddress } from "../../src/protocol/ids.ts";
import type { IndexedBlock, IndexedTransition } from "../../src/chain/ports.ts";
import { groupAt, intentId, ledgerId, word } from "./stores.ts";

/** A transition of a group: two intents, one state spent and two created, told from others by its number. */
export function aTransition(
  n: number,
  group: GroupAddress = groupAt(1),
): IndexedTransition {
  return {
    group,
    transitionHash: word(1_000 + n),
    intents: [intentId(2 * n), intentId(2 * n + 1)],
    inputs: [ledgerId(n)],
    outputs: [ledgerId(n + 1), ledgerId(n + 2)],
    transactionHash: word(2_000 + n),
    transactionIndex: 3,
    logIndex: n,
  };
}

/** A block with such transitions, all of the first group. */
export function aBlock(number: number, ...transitions: number[]): IndexedBlock {
  return {
    number,
    hash: word(number),
    parentHash: word(number - 1),
    timestamp: number,
    transitions: transitions.map((n) => aTransition(n)),
  };
}
