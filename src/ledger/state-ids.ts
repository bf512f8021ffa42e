import { keccak256Hex } from "./keccak.ts";
import { type Brand, type Bytes32, type Hex, writeHex } from "./hex.ts";
import {
  type Commitment,
  type IntentId,
  parseCommitment,
  type StateId,
  ZERO_BYTES32,
} from "./ids.ts";
import type { Transition } from "./transition.ts";

/** The storage slot in which a state lives: the upper 64 bits of its id. Lower-case hex sorts like the number. */
export type Register = Hex & Brand<`0x${string}`, "Register">;

/** The commitment of an output without content, which keeps a register for later. */
export const VACANCY: Commitment = parseCommitment(ZERO_BYTES32);

const REGISTER_CHARACTERS = 18;

/** The register in which a state lives. */
export function registerOf(stateId: StateId): Register {
  return stateId.slice(0, REGISTER_CHARACTERS) as Register;
}

/** The hash over the intents of a transition, which makes the ids of its outputs unique. */
export function intentsHash(intents: readonly IntentId[]): Bytes32 {
  const bytes = new Uint8Array(32 * intents.length);
  let at = 0;
  for (const intentId of intents) at = writeHex(intentId, bytes, at);
  return keccak256Hex(bytes);
}

/**
 * The ids that the outputs of a transition get on the ledger, vacancies included, in the order of `outputs`.
 * Output `i` takes over the register of input `i`; an output beyond the last input opens a register of its own.
 */
export function outputStateIds(
  transition: Pick<Transition, "intents" | "inputs" | "outputs">,
): readonly StateId[] {
  const bytes = new Uint8Array(96);
  const view = new DataView(bytes.buffer);
  writeHex(intentsHash(transition.intents), bytes, 0);
  return transition.outputs.map((commitment, i) => {
    view.setUint32(60, i);
    writeHex(commitment, bytes, 64);
    const hash = keccak256Hex(bytes);
    const input = transition.inputs[i];
    return (
      input === undefined
        ? hash
        : registerOf(input) + hash.slice(REGISTER_CHARACTERS)
    ) as StateId;
  });
}
