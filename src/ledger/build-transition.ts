import {
  CALLDATA_BYTES_MAX,
  executeBytes,
  MEMBERS_MAX,
} from "./calldata-size.ts";
import type { Bytes32 } from "./hex.ts";
import {
  type Commitment,
  type IntentId,
  parseUint64,
  type StateId,
  ZERO_BYTES32,
} from "./ids.ts";
import { LedgerInputError } from "./input-error.ts";
import { registerOf, VACANCY } from "./state-ids.ts";
import type { ExternalCall, Transition } from "./transition.ts";

/** The parts of a transition, in any order. */
export interface TransitionParts {
  /** The committee's epoch. */
  readonly epoch: bigint;
  /** At least one. Ids of one lane next to each other cost least. */
  readonly intents: readonly IntentId[];
  /** States to spend, among them vacancies whose registers the outputs should use. */
  readonly inputs?: readonly StateId[];
  /** States that must be unspent. */
  readonly reads?: readonly StateId[];
  /** Commitments of the states to create. */
  readonly outputs?: readonly Commitment[];
  /** Commitment to whatever else the endorsers checked; zero when there is nothing. */
  readonly details?: Bytes32;
  /** The last block in which this can happen; 0, the default, means no limit. */
  readonly validUntil?: bigint;
  readonly calls?: readonly ExternalCall[];
  /** How many signatures it may come to carry. The default is the largest committee, which always fits. */
  readonly signersMax?: number;
}

/**
 * Arranges a transition as the contract demands: inputs ascend by register, and `outputs` is padded with
 * vacancies until every input has a successor.
 *
 * Outputs keep their order, and output `i` moves into the register of input `i` *after sorting*. Which output
 * replaces which input means nothing to the group: a register is only a place. But it decides the ids of the
 * outputs, so ask `outputStateIds` about the transition that comes out, not about the parts that went in.
 */
export function buildTransition(parts: TransitionParts): Transition {
  const inputs = [...(parts.inputs ?? [])].sort((a, b) =>
    a < b ? -1 : a > b ? 1 : 0,
  );
  const outputs = [...(parts.outputs ?? [])];
  while (outputs.length < inputs.length) outputs.push(VACANCY);
  const transition: Transition = {
    epoch: parseUint64(parts.epoch, "epoch"),
    intents: [...parts.intents],
    inputs,
    reads: [...(parts.reads ?? [])],
    outputs,
    details: parts.details ?? ZERO_BYTES32,
    validUntil: parseUint64(parts.validUntil ?? 0n, "validUntil"),
    calls: [...(parts.calls ?? [])],
  };
  requireWellFormed(transition, parts.signersMax);
  return transition;
}

/**
 * Throws when the contract would refuse a transition whatever the ledger holds. An endorser asks this before it
 * signs what another node arranged.
 */
export function requireWellFormed(
  transition: Transition,
  signersMax: number = MEMBERS_MAX,
): void {
  requireDistinctIntents(transition.intents);
  requireAscendingInputs(transition);
  const bytes = executeBytes(transition, signersMax);
  if (bytes > CALLDATA_BYTES_MAX) {
    throw new LedgerInputError(
      "TRANSITION_TOO_LARGE",
      `With ${signersMax} signatures this transition has ${bytes} bytes, and the ledger takes ${CALLDATA_BYTES_MAX}. Split it.`,
    );
  }
}

function requireDistinctIntents(intents: readonly IntentId[]): void {
  if (intents.length === 0) {
    throw new LedgerInputError(
      "NO_INTENT",
      "A transition must fulfil an intent. Add its id to intents.",
    );
  }
  const seen = new Set<IntentId>();
  for (const intentId of intents) {
    if (seen.has(intentId)) {
      throw new LedgerInputError(
        "DUPLICATE_INTENT",
        `Intent ${intentId} stands twice. Name it once.`,
      );
    }
    seen.add(intentId);
  }
}

function requireAscendingInputs({ inputs, outputs }: Transition): void {
  const orphan = inputs[outputs.length];
  if (orphan !== undefined) {
    throw new LedgerInputError(
      "INPUT_WITHOUT_SUCCESSOR",
      `Input ${orphan} has no output to take over its register. Pad outputs with bytes32(0).`,
    );
  }
  let previous: StateId | undefined;
  for (const input of inputs) {
    if (previous !== undefined && registerOf(input) === registerOf(previous)) {
      throw new LedgerInputError(
        "SHARED_REGISTER",
        `Inputs ${previous} and ${input} share a register, so at most one of them is unspent. Drop the other.`,
      );
    }
    if (previous !== undefined && input < previous) {
      throw new LedgerInputError(
        "INPUTS_NOT_ASCENDING",
        `Input ${input} must come before ${previous}: inputs ascend by register.`,
      );
    }
    previous = input;
  }
}
