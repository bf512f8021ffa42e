import type { NodeName } from "../protocol/ids.ts";
import { HASH_BYTES, type Level, widthsOf } from "./hash-tree.ts";

// The signature of a step that stands for itself, in base64:
//
//   signature (64) | index of the step (2) | number of steps (2) | hashes beside its way, from the leaf upwards (32 each)
//
// Steps of one answer that travel together share it. Behind the number of the answer in the bundle and a colon, the first has
//
//   signature (64) | number of steps (2) | index of the step (2) | heights (2) | hashes (32 each)
//
// and the others have the last three. A hash is left out if it follows from steps of the bundle, or if a step before has it. The
// bits of the heights tell which ones are there.

export const SIGNATURE_BYTES = 64;
const WHOLE_BYTES = SIGNATURE_BYTES + 4;
const HEAD_BYTES = SIGNATURE_BYTES + 2;
const PLACE_BYTES = 4;

/** A step with the signature that it carries. */
export interface CarriedSignature {
  readonly sender: NodeName;
  readonly signature: string;
}

/** Steps that were signed together, as far as they are here. */
export interface Answer {
  readonly signature: Buffer;
  /** Of all steps that were signed, whether they are here or not. */
  readonly count: number;
  /** Indices of the steps that are here, by where they stand in the bundle. */
  readonly indices: Map<number, number>;
  /** The hashes that came with them, by height. */
  readonly given: readonly Level[];
}

/** Writes a signature that stands for itself. */
export function wholeSignature(
  { signature, count }: Pick<Answer, "signature" | "count">,
  index: number,
  beside: readonly Buffer[],
): string {
  const numbers = Buffer.alloc(PLACE_BYTES);
  numbers.writeUInt16BE(index);
  numbers.writeUInt16BE(count, 2);
  return Buffer.concat([signature, numbers, ...beside]).toString("base64");
}

/** The answers in a bundle. Steps whose signatures have no meaning are in none of them. */
export function readAnswers(steps: readonly CarriedSignature[]): Answer[] {
  const answers: Answer[] = [];
  const shared = new Map<string, Answer | undefined>();
  for (const [at, { sender, signature }] of steps.entries()) {
    const colon = signature.indexOf(":");
    if (colon === -1) {
      const whole = readWhole(Buffer.from(signature, "base64"), at);
      if (whole !== undefined) answers.push(whole);
      continue;
    }
    // Nobody gets into another sender's answer.
    const key = `${sender} ${signature.slice(0, colon)}`;
    let bytes = Buffer.from(signature.slice(colon + 1), "base64");
    if (!shared.has(key)) {
      shared.set(key, readHead(bytes));
      bytes = bytes.subarray(HEAD_BYTES);
    }
    const answer = shared.get(key);
    // Its other steps are not looked at either: the sender made it, or the coordinator packed it, in the wrong way.
    if (answer !== undefined && !readPlace(answer, at, bytes))
      shared.set(key, undefined);
  }
  for (const answer of shared.values())
    if (answer !== undefined) answers.push(answer);
  return answers;
}

/** Characters of base64 for the bytes before the hashes. */
const HEAD_CHARACTERS = 4 * Math.ceil(WHOLE_BYTES / 3);

/** The signatures of the steps of a bundle, without what they have in common. */
export function packSignatures(
  steps: readonly CarriedSignature[],
): readonly string[] {
  const packed = steps.map(({ signature }) => signature);
  const together = new Map<string, Whole[]>();
  for (const [at, { sender, signature }] of steps.entries()) {
    if (signature.includes(":")) continue;
    const head = Buffer.from(signature.slice(0, HEAD_CHARACTERS), "base64");
    if (head.length < WHOLE_BYTES) continue;
    const index = head.readUInt16BE(SIGNATURE_BYTES);
    const count = head.readUInt16BE(SIGNATURE_BYTES + 2);
    const key = `${sender} ${count} ${head.toString("latin1", 0, SIGNATURE_BYTES)}`;
    const same = together.get(key);
    if (same === undefined) together.set(key, [{ at, index, head, signature }]);
    else same.push({ at, index, head, signature });
  }
  let number = 0;
  for (const wholes of together.values()) {
    if (wholes.length === 1) continue;
    for (const { at, bytes } of shareHashes(wholes))
      packed[at] = `${number}:${bytes.toString("base64")}`;
    number += 1;
  }
  return packed;
}

/** The signature that a step of an answer carries, and where it stands in the bundle. */
interface Whole {
  readonly at: number;
  readonly index: number;
  /** All bytes before the hashes. */
  readonly head: Buffer;
  readonly signature: string;
}

/** What is left of each, if the others travel with it. Signatures that make no sense become others that make none. */
function shareHashes(
  wholes: readonly Whole[],
): readonly { readonly at: number; readonly bytes: Buffer }[] {
  const count = wholes[0]?.head.readUInt16BE(SIGNATURE_BYTES + 2) ?? 0;
  const levels = widthsOf(count).map((width) => ({
    width,
    known: new Set<number>(),
  }));
  for (const { index } of wholes)
    for (const [height, { known }] of levels.entries()) {
      if (known.has(index >> height)) break;
      known.add(index >> height);
    }
  return wholes.map(({ at, index, head, signature }, i) => {
    const parts: Buffer[] = [];
    if (i === 0)
      parts.push(
        head.subarray(0, SIGNATURE_BYTES),
        head.subarray(SIGNATURE_BYTES + 2, WHOLE_BYTES),
      );
    const place = Buffer.alloc(PLACE_BYTES);
    parts.push(place);
    /** Seldom needed: most often all of an answer is in the bundle. */
    let whole: Buffer | undefined;
    let start = WHOLE_BYTES;
    let heights = 0;
    for (const [height, { width, known }] of levels.entries()) {
      const beside = (index >> height) ^ 1;
      if (beside >= width) continue;
      if (!known.has(beside)) {
        known.add(beside);
        whole ??= Buffer.from(signature, "base64");
        parts.push(whole.subarray(start, start + HASH_BYTES));
        heights |= 1 << height;
      }
      start += HASH_BYTES;
    }
    place.writeUInt16BE(index);
    place.writeUInt16BE(heights, 2);
    return { at, bytes: parts.length === 1 ? place : Buffer.concat(parts) };
  });
}

function readWhole(bytes: Buffer, at: number): Answer | undefined {
  if (bytes.length < WHOLE_BYTES) return undefined;
  const index = bytes.readUInt16BE(SIGNATURE_BYTES);
  const count = bytes.readUInt16BE(SIGNATURE_BYTES + 2);
  const answer = answerOf(bytes, count);
  if (index >= count) return undefined;
  answer.given[0]?.set(index, NO_HASH);
  answer.indices.set(at, index);
  let start = WHOLE_BYTES;
  for (const [height, width] of widthsOf(count).entries()) {
    const beside = (index >> height) ^ 1;
    if (beside >= width) continue;
    answer.given[height]?.set(
      beside,
      bytes.subarray(start, start + HASH_BYTES),
    );
    start += HASH_BYTES;
  }
  return start === bytes.length ? answer : undefined;
}

/** Stands where the hash of a step of the bundle belongs. */
const NO_HASH = Buffer.alloc(0);

function readHead(bytes: Buffer): Answer | undefined {
  return bytes.length < HEAD_BYTES
    ? undefined
    : answerOf(bytes, bytes.readUInt16BE(SIGNATURE_BYTES));
}

function answerOf(bytes: Buffer, count: number): Answer {
  const signature = bytes.subarray(0, SIGNATURE_BYTES);
  const length = widthsOf(count).length + 1;
  const given = Array.from({ length }, (): Level => new Map());
  return { signature, count, indices: new Map(), given };
}

/** Adds a step, and what comes with it. False if it does not fit, or if something is there already. */
function readPlace(answer: Answer, at: number, bytes: Buffer): boolean {
  const { count, given, indices } = answer;
  if (bytes.length < PLACE_BYTES) return false;
  const index = bytes.readUInt16BE(0);
  const heights = bytes.readUInt16BE(2);
  if (index >= count || given[0]?.has(index) !== false) return false;
  given[0].set(index, NO_HASH);
  indices.set(at, index);
  const widths = widthsOf(count);
  let start = PLACE_BYTES;
  for (let height = 0; heights >> height > 0; height++) {
    if (((heights >> height) & 1) === 0) continue;
    const beside = (index >> height) ^ 1;
    const hash = bytes.subarray(start, start + HASH_BYTES);
    const isIn = beside < (widths[height] ?? 0);
    if (!isIn || hash.length < HASH_BYTES || given[height]?.has(beside))
      return false;
    given[height]?.set(beside, hash);
    start += HASH_BYTES;
  }
  return start === bytes.length;
}
