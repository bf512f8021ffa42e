import type { Hashing } from "../protocol/config.ts";
import {
  parseDigest,
  parseIntentId,
  parsePlace,
  parseStateId,
  parseStepHash,
  type Digest,
  type IntentId,
  type NodeName,
  type Place,
  type StateId,
  type StepHash,
} from "../protocol/ids.ts";
import { netOf } from "../protocol/net.ts";
import type { PlacedState, Step } from "../protocol/transition.ts";

// Hashes that look like 32 bytes and are fast. They resist accidents, not attackers: nobody here attacks them.

const hexOfByte = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, "0"),
);

/** 64 bits in two lanes. */
class Lanes {
  one = 0xdeadbeef | 0;
  two = 0x41c6ce57 | 0;

  text(text: string): this {
    let { one, two } = this;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      one = Math.imul(one ^ code, 0x9e3779b1);
      two = Math.imul(two ^ code, 0x5f356495);
    }
    this.one = one;
    this.two = two;
    return this.number(text.length);
  }

  number(value: number): this {
    const low = value | 0;
    const high = Math.floor(value / 2 ** 32) | 0;
    this.one = Math.imul(this.one ^ low, 0x9e3779b1) ^ (this.two >>> 15);
    this.two = Math.imul(this.two ^ high ^ low, 0x5f356495) ^ (this.one >>> 13);
    return this;
  }

  /** 32 bytes as hexadecimal digits with `0x`. */
  hex(): string {
    let hex = "0x";
    for (let i = 0; i < 4; i++) {
      const one = mix(this.one ^ Math.imul(this.two, 2 * i + 1));
      const two = mix(this.two ^ Math.imul(this.one, 2 * i + 3));
      hex += hexOf(one) + hexOf(two);
    }
    return hex;
  }
}

function mix(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

function hexOf(word: number): string {
  return (
    (hexOfByte[word >>> 24] ?? "") +
    (hexOfByte[(word >>> 16) & 255] ?? "") +
    (hexOfByte[(word >>> 8) & 255] ?? "") +
    (hexOfByte[word & 255] ?? "")
  );
}

function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("A hash has the wrong shape.");
  return value;
}

/** Steps are never changed in place, so the same object has the same hash. */
const stepHashes = new WeakMap<Step, StepHash>();

/** The hash over all of a step except its signature. */
export function stepHash(step: Step): StepHash {
  const known = stepHashes.get(step);
  if (known !== undefined) return known;
  const lanes = new Lanes().text(step.intentId).text(step.sender);
  lanes.text(step.laneSalt).text(step.payload).number(step.validUntil);
  lanes.number(step.inputs.length);
  for (const id of step.inputs) lanes.text(id);
  lanes.number(step.reads.length);
  for (const id of step.reads) lanes.text(id);
  for (const { id, content } of step.outputs) lanes.text(id).text(content);
  lanes.number(step.infos.length);
  for (const { id } of step.infos) lanes.text(id);
  lanes.number(step.calls.length);
  for (const { target, data, gasMin } of step.calls)
    lanes.text(target).text(data).number(gasMin);
  addPlaces(lanes, step.found);
  lanes.text(step.salt);
  const hash = required(parseStepHash(lanes.hex()));
  stepHashes.set(step, hash);
  return hash;
}

function addPlaces(lanes: Lanes, places: readonly PlacedState[]): void {
  lanes.number(places.length);
  for (const { id, place } of places) lanes.text(id).text(place);
}

/** Where the states are that were there from the beginning. */
export const genesisPlace: Place = required(parsePlace("0x00"));

/** The id that a state with this content has as output `index` of a step. */
export function stateIdOf(state: {
  readonly intentId: string;
  readonly index: number;
  readonly content: string;
}): StateId {
  const { intentId, index, content } = state;
  const lanes = new Lanes().text(intentId).number(index).text(content);
  return required(parseStateId(lanes.hex()));
}

/** The hash functions that the protocol gets in a simulation. */
export const hashing: Hashing = {
  // Where nobody says who owns which id, it belongs to whoever names no other node as its owner.
  isOwnIntent: ({ laneSalt, sender }) => laneSalt === "" || laneSalt === sender,
  stepHash,
  bundleDigest: ({ steps, places, validUntil }): Digest => {
    const lanes = new Lanes().number(validUntil);
    for (const step of steps) {
      lanes.text(step.hash);
      for (const id of step.inputs) lanes.text(id);
      lanes.number(step.reads.length);
      for (const id of step.reads) lanes.text(id);
      lanes.number(step.outputs.length);
      for (const { id } of step.outputs) lanes.text(id);
      for (const { target, data, gasMin } of step.calls)
        lanes.text(target).text(data).number(gasMin);
    }
    addPlaces(lanes, places);
    return required(parseDigest(lanes.hex()));
  },
  // As on the ledger, a place depends on everything that happens in the same transition.
  placesOf: ({ steps }): PlacedState[] => {
    const intents = new Lanes();
    for (const { intentId } of steps) intents.text(intentId);
    const hash = intents.hex();
    return netOf(steps).outputs.map(({ id }, index) => ({
      id,
      place: required(
        parsePlace(new Lanes().text(hash).number(index).hex().slice(0, 34)),
      ),
    }));
  },
};

/** The id of a simulated intent. */
export function intentIdOf(seed: number, sequence: number): IntentId {
  return required(
    parseIntentId(new Lanes().number(seed).number(sequence).hex()),
  );
}

/** A signature that only `signer` makes: everybody can check it, and no simulated node forges one. */
export function sign(signer: NodeName, hash: string): string {
  return `${signer}!${hash.slice(2, 26)}`;
}

/** Whether this is what `sign` makes. */
export function isSigned(
  signature: string,
  signer: NodeName,
  hash: string,
): boolean {
  return signature === sign(signer, hash);
}
