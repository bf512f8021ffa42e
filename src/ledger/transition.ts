import { type Bytes32, type Hex, parseBytes32, parseHex } from "./hex.ts";
import {
  type Address,
  type Commitment,
  type IntentId,
  parseAddress,
  parseCommitment,
  parseIntentId,
  parseStateId,
  parseUint64,
  type StateId,
  type Uint64,
} from "./ids.ts";
import { describe, LedgerInputError } from "./input-error.ts";

/** A call to a public contract, made after everything else in a transition. */
export interface ExternalCall {
  readonly target: Address;
  readonly data: Hex;
  /** The gas that the target gets at least, whoever submits; 0 leaves it to the submitter. */
  readonly gasMin: Uint64;
}

/** What happens, as the endorsers sign it. `IPrivacyGroup.Transition` documents every field. */
export interface Transition {
  readonly epoch: Uint64;
  readonly intents: readonly IntentId[];
  readonly inputs: readonly StateId[];
  readonly reads: readonly StateId[];
  readonly outputs: readonly Commitment[];
  readonly details: Bytes32;
  readonly validUntil: Uint64;
  readonly calls: readonly ExternalCall[];
}

/** One word each fills the largest call that the contract takes, so no list is longer. */
const LIST_LENGTH_MAX = 4096;

/**
 * A transition that came from elsewhere, field by field. Fields that are not ours are dropped; what comes out
 * has the right shape but may still be refused: see `requireWellFormed`.
 */
export function parseTransition(
  value: unknown,
  name = "transition",
): Transition {
  const field = fieldsOf(value, name);
  return {
    epoch: parseUint64(field("epoch"), `${name}.epoch`),
    intents: parseList(field("intents"), `${name}.intents`, parseIntentId),
    inputs: parseList(field("inputs"), `${name}.inputs`, parseStateId),
    reads: parseList(field("reads"), `${name}.reads`, parseStateId),
    outputs: parseList(field("outputs"), `${name}.outputs`, parseCommitment),
    details: parseBytes32(field("details"), `${name}.details`),
    validUntil: parseUint64(field("validUntil"), `${name}.validUntil`),
    calls: parseList(field("calls"), `${name}.calls`, parseExternalCall),
  };
}

function parseExternalCall(value: unknown, name: string): ExternalCall {
  const field = fieldsOf(value, name);
  return {
    target: parseAddress(field("target"), `${name}.target`),
    data: parseHex(field("data"), `${name}.data`),
    gasMin: parseUint64(field("gasMin"), `${name}.gasMin`),
  };
}

/** Reads own fields only, so that nothing is inherited from a prototype. */
function fieldsOf(value: unknown, name: string): (field: string) => unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new LedgerInputError(
      "INVALID_VALUE",
      `${name} must be an object, but is ${describe(value)}.`,
    );
  }
  return (field) => {
    const found: unknown = Object.hasOwn(value, field)
      ? Reflect.get(value, field)
      : undefined;
    return found;
  };
}

function parseList<Item>(
  value: unknown,
  name: string,
  parseItem: (item: unknown, name: string) => Item,
): readonly Item[] {
  if (!Array.isArray(value) || value.length > LIST_LENGTH_MAX) {
    throw new LedgerInputError(
      "INVALID_VALUE",
      `${name} must be a list of at most ${LIST_LENGTH_MAX} items, but is ${describe(value)}.`,
    );
  }
  return Array.from(value, (item: unknown, i) =>
    parseItem(item, `${name}[${i}]`),
  );
}
