import {
  type Bytes32,
  type ExternalCall as LedgerCall,
  intentsHash,
  type LedgerDomain,
  outputStateIds,
  parseAddress,
  parseCommitment,
  parseHex,
  parseIntentId,
  parseStateId,
  parseUint64,
  type StateId as LedgerId,
  type Transition,
  transitionDigest,
  VACANCY,
} from "../../ledger/index.ts";
import type { Hashing } from "../../protocol/config.ts";
import {
  type Digest,
  parseDigest,
  parseStepHash,
  type StateId,
  type StepHash,
} from "../../protocol/ids.ts";
import { netOf } from "../../protocol/net.ts";
import type {
  ExternalCall,
  PlacedState,
  Step,
  StepOutline,
  UnsealedOutline,
} from "../../protocol/transition.ts";
import { sha256Hex } from "../../keys/sha256.ts";
import { type Genesis, ownershipIn } from "./ownership.ts";
import { ledgerIdOf, placeOnLedger } from "./place.ts";

/** A group on its chain, in one epoch of its committee. */
export interface LedgerGroup {
  readonly domain: LedgerDomain;
  readonly epoch: bigint;
}

/** The same, with the intent with which it begins, if there is one. */
export interface OpenedGroup extends LedgerGroup {
  readonly genesis?: Genesis | undefined;
}

/** What nonsense comes to: no such state exists, so the ledger refuses. */
const NOWHERE = parseStateId(`0x${"00".repeat(32)}`);

/**
 * The ledger's transition for a bundle. The same bundle always gives the same transition, and every bundle gives one:
 * whether it makes sense is for endorsers and the ledger to say.
 */
export function transitionOf(
  bundle: UnsealedOutline,
  epoch: bigint,
): Transition {
  const made = transitions.get(bundle.steps);
  if (
    made?.places === bundle.places &&
    made.validUntil === bundle.validUntil &&
    made.epoch === epoch
  )
    return made.transition;
  const { places, validUntil } = bundle;
  const transition = arrange(bundle, epoch);
  transitions.set(bundle.steps, { places, validUntil, epoch, transition });
  return transition;
}

/** Every node needs it several times for each bundle. Steps and places are never changed in place. */
const transitions = new WeakMap<
  readonly StepOutline[],
  Pick<UnsealedOutline, "places" | "validUntil"> & {
    readonly epoch: bigint;
    readonly transition: Transition;
  }
>();

function arrange(bundle: UnsealedOutline, epoch: bigint): Transition {
  const net = netOf(bundle.steps);
  const places = new Map(bundle.places.map(({ id, place }) => [id, place]));
  const located = (id: StateId): LedgerId => {
    const place = places.get(id);
    return (place === undefined ? undefined : ledgerIdOf(id, place)) ?? NOWHERE;
  };
  const inputs = net.inputs.map(located).sort();
  const outputs = net.outputs.map(({ id }) => parseCommitment(id));
  while (outputs.length < inputs.length) outputs.push(VACANCY);
  return {
    epoch: parseUint64(epoch),
    intents: net.intents.map((id) => parseIntentId(id)),
    inputs,
    reads: net.reads.map(located),
    outputs,
    details: hashSteps(bundle.steps),
    validUntil: parseUint64(bundle.validUntil),
    calls: bundle.steps.flatMap(({ calls }) => calls.map(readCall)),
  };
}

function readCall({ target, data, gasMin }: ExternalCall): LedgerCall {
  return {
    target: parseAddress(target),
    data: parseHex(data),
    gasMin: parseUint64(gasMin),
  };
}

/** Where the outputs of a transition will be, in the order of the net outputs. */
function placesIn(
  bundle: UnsealedOutline,
  transition: Transition,
): PlacedState[] {
  const hash = intentsHash(transition.intents);
  const ledgerIds = outputStateIds(transition);
  return netOf(bundle.steps).outputs.flatMap(({ id }, index) => {
    const ledgerId = ledgerIds[index];
    return ledgerId === undefined
      ? []
      : [{ id, place: placeOnLedger(ledgerId, { intentsHash: hash, index }) }];
  });
}

/** The ledger's arithmetic for one group, as the protocol takes it. */
export function hashingOf({ domain, epoch, genesis }: OpenedGroup): Hashing {
  // A bundle is asked about several times while it goes through one node.
  const digests = new WeakMap<
    readonly StepOutline[],
    { readonly bundle: UnsealedOutline; readonly digest: Digest }
  >();
  return {
    isOwnIntent: ownershipIn({ domain, genesis }),
    stepHash: stepHashIn({ domain, epoch }),
    bundleDigest: (bundle) => {
      const known = digests.get(bundle.steps);
      if (
        known?.bundle.places === bundle.places &&
        known.bundle.validUntil === bundle.validUntil
      )
        return known.digest;
      const digest = parseDigest(
        transitionDigest(domain, transitionOf(bundle, epoch)),
      );
      if (digest === undefined) throw new Error("Invalid digest.");
      digests.set(bundle.steps, { bundle, digest });
      return digest;
    },
    placesOf: (bundle) => placesIn(bundle, transitionOf(bundle, epoch)),
  };
}

/** A commitment to the steps, in order, with all that their senders signed. */
function hashSteps(steps: readonly StepOutline[]): Bytes32 {
  const bytes = new Uint8Array(32 * steps.length);
  steps.forEach(({ hash }, i) => {
    bytes.set(Buffer.from(hash.slice(2), "hex"), 32 * i);
  });
  return sha256Hex(bytes);
}

/** The hash of a step, and the group for which it was computed. */
const stepHashes = new WeakMap<
  Step,
  { readonly scope: string; readonly hash: StepHash }
>();

/**
 * The hash that the sender of a step signs. It covers all of the step, and the chain, the group and the epoch: a signed step
 * means nothing anywhere else.
 */
export function stepHashIn({
  domain,
  epoch,
}: LedgerGroup): Hashing["stepHash"] {
  const scope = `${domain.chainId}:${domain.group}:${epoch}`;
  return (step) => {
    const known = stepHashes.get(step);
    if (known?.scope === scope) return known.hash;
    // JSON is unambiguous; the content of states is bound by their ids.
    const text = JSON.stringify([
      scope,
      step.intentId,
      step.laneSalt,
      step.sender,
      step.payload,
      step.inputs,
      step.reads,
      step.outputs.map(({ id }) => id),
      step.infos.map(({ id }) => id),
      step.calls.map(({ target, data, gasMin }) => [target, data, gasMin]),
      step.found.map(({ id, place }) => [id, place]),
      step.validUntil,
      step.salt,
    ]);
    const hash = parseStepHash(sha256Hex(text));
    if (hash === undefined) throw new Error("A hash has the wrong shape.");
    stepHashes.set(step, { scope, hash });
    return hash;
  };
}

/** The same step with a signature over its hash, which does not depend on it. */
export function withSignature(step: Step, signature: string): Step {
  const signed = { ...step, signature };
  const known = stepHashes.get(step);
  if (known !== undefined) stepHashes.set(signed, known);
  return signed;
}
