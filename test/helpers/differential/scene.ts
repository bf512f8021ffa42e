import {
  type Address,
  type ExternalCall,
  type IntentId,
  type Lane,
  parseLane,
  type StateId,
} from "../../../src/ledger/index.ts";
import type { Step } from "../../../src/simulation/chain-rpc/contracts/step.ts";
import { aSigner, type Signer } from "../keys.ts";
import type { Random } from "../random.ts";
import type { Model } from "./model.ts";

/** Everything that steps may refer to: what was seen so far, and where calls can go. */
export interface Scene {
  readonly random: Random;
  readonly model: Model;
  readonly accounts: readonly Address[];
  readonly calls: readonly ExternalCall[];
  readonly lane: Lane;
  series: bigint;
  readonly states: Set<StateId>;
  readonly intents: Set<IntentId>;
  readonly steps: Step[];
}

export const ZERO = `0x${"00".repeat(32)}`;
export const SIGNERS = 8;

export function aScene(
  parts: Pick<Scene, "random" | "model" | "accounts" | "calls">,
): Scene {
  return {
    ...parts,
    lane: parseLane(parts.random.bytes32().slice(0, 50)),
    // Starts close to the end of a word, so that some transitions use two.
    series: BigInt(250 + parts.random.below(8)),
    states: new Set(),
    intents: new Set(),
    steps: [],
  };
}

/** Changes something with a certain probability, and then sometimes something else too. */
export function mutate<Value>(
  { random }: Scene,
  probability: number,
  valid: Value,
  mutations: readonly ((value: Value) => Value)[],
): Value {
  if (!random.chance(probability)) return valid;
  const once = random.pick(mutations)(valid);
  return random.chance(0.2) ? random.pick(mutations)(once) : once;
}

export function signerOf(address: Address): Signer {
  for (let i = 0; i < SIGNERS; i++)
    if (aSigner(i).address === address) return aSigner(i);
  throw new Error(`${address} has no key here.`);
}
