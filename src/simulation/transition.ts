import type { Hashing } from "../protocol/config.ts";
import type { IntentId, NodeName, Place, StateId } from "../protocol/ids.ts";
import { netOf, type NetTransition } from "../protocol/net.ts";
import { outlineOf } from "../protocol/outline.ts";
import type {
  Bundle,
  Endorsement,
  PlacedState,
  State,
} from "../protocol/transition.ts";
import { isSigned } from "./hashing.ts";

/** What a bundle did to the ledger. */
export interface ExecutedTransition extends NetTransition<State> {
  /** Where what it spent was. */
  readonly taken: readonly PlacedState[];
  /** Where what it created is. */
  readonly put: readonly PlacedState[];
}

/** Why the contract refuses; names as in `contracts/interfaces/IPrivacyGroup.sol`. */
export type LedgerRefusal =
  | "Expired"
  | "UnknownSigners"
  | "InvalidEndorsement"
  | "ThresholdNotReached"
  | "TransitionTooLarge"
  | "NoIntent"
  | "IntentFulfilled"
  | "StateNotAvailable"
  | "InputsNotAscending";

/** What fits into the 131,072 bytes of calldata that the contract takes, beside the selector and 18 words of frame. */
const wordsMax = Math.floor((131_072 - 4) / 32) - 18;

/** What the contract stores. */
export interface LedgerState {
  /** The states that are there, and where. */
  readonly unspent: Map<StateId, Place>;
  readonly fulfilled: Map<IntentId, number>;
}

/** The committee that the contract knows, and its arithmetic. */
export interface Group {
  readonly committee: readonly NodeName[];
  readonly threshold: number;
  readonly hashing: Hashing;
}

/**
 * Does what the contract does with a transition in block `block`: all of it, or nothing and a refusal. The order of the
 * checks is the contract's.
 */
export function execute(
  ledger: LedgerState,
  group: Group,
  call: {
    readonly bundle: Bundle;
    readonly endorsements: readonly Endorsement[];
    readonly block: number;
  },
): ExecutedTransition | LedgerRefusal {
  const { bundle, endorsements, block } = call;
  const { hashing } = group;
  if (bundle.validUntil !== 0 && block > bundle.validUntil) return "Expired";
  const outline = outlineOf(hashing, bundle);
  const digest = hashing.bundleDigest(outline);
  // The contract takes signers as a bitmap: one that stands twice counts once.
  const signers = new Set(endorsements.map(({ endorser }) => endorser));
  for (const signer of signers)
    if (!group.committee.includes(signer)) return "UnknownSigners";
  for (const { endorser, signature } of endorsements)
    if (!isSigned(signature, endorser, digest)) return "InvalidEndorsement";
  if (signers.size < group.threshold) return "ThresholdNotReached";
  const net = netOf(bundle.steps);
  if (wordsOf(net) + 2 * signers.size > wordsMax) return "TransitionTooLarge";
  const places = new Map(bundle.places.map(({ id, place }) => [id, place]));
  const isThere = (id: StateId): boolean =>
    ledger.unspent.has(id) && ledger.unspent.get(id) === places.get(id);
  if (!net.reads.every(isThere)) return "StateNotAvailable";
  if (net.intents.length === 0) return "NoIntent";
  if (new Set(net.intents).size !== net.intents.length)
    return "IntentFulfilled";
  for (const id of net.intents)
    if (ledger.fulfilled.has(id)) return "IntentFulfilled";
  if (![...net.inputs, ...net.conflicts].every(isThere))
    return "StateNotAvailable";
  if (net.conflicts.length > 0) return "InputsNotAscending";
  const spent = new Set(net.inputs);
  const taken = bundle.places.filter(({ id }) => spent.has(id));
  const put = hashing.placesOf(outline);
  for (const id of net.intents) ledger.fulfilled.set(id, block);
  for (const id of net.inputs) ledger.unspent.delete(id);
  for (const { id, place } of put) ledger.unspent.set(id, place);
  return { ...net, taken, put };
}

/** Words of calldata; every input has a successor, if only an empty one. */
function wordsOf({
  intents,
  inputs,
  reads,
  outputs,
  conflicts,
}: NetTransition): number {
  const spent = inputs.length + conflicts.length;
  const moved = spent + Math.max(spent, outputs.length);
  return intents.length + reads.length + moved;
}

/** Takes back an executed transition. */
export function undo(ledger: LedgerState, net: ExecutedTransition): void {
  for (const { id } of net.outputs) ledger.unspent.delete(id);
  for (const { id, place } of net.taken) ledger.unspent.set(id, place);
  for (const id of net.intents) ledger.fulfilled.delete(id);
}
