import { hash as digest } from "node:crypto";

import type { NodeName, StepHash } from "../../protocol/ids.ts";

// A node signs what it assembles together with one signature: over the number of steps and the root of a tree of hashes (as
// in RFC 9162). What a step carries is that signature, and the hashes that lead from the step to the root:
//
//   signature (64) | index of the step (2) | number of steps (2) | hashes from the leaf upwards (32 each)
//
// So whoever checks a hundred steps of one answer looks at one signature, and what lies beside one way is known for the next.

const SIGNATURE_BYTES = 64;
const HASH_BYTES = 32;
const WAY_AT = SIGNATURE_BYTES + 4;
/** Nothing else that a node signs begins like that. */
const PURPOSE = Buffer.from("hardhat-sequencer steps\0");
/** A leaf is a hash of a step, and nobody finds a step with the hash that this makes of two others. */
const INNER = Buffer.of(1);

/** Signs hashes together. Each gets what proves that it is among them. */
export function signTogether(
  hashes: readonly StepHash[],
  sign: (bytes: Uint8Array) => Uint8Array,
): readonly string[] {
  if (hashes.length === 0) return [];
  const levels = levelsOf(hashes.map(leafOf));
  const signature = sign(signedBytes(hashes.length, levels.at(-1)?.[0]));
  return hashes.map((_, index) => {
    const head = Buffer.alloc(WAY_AT);
    head.set(signature);
    head.writeUInt16BE(index, SIGNATURE_BYTES);
    head.writeUInt16BE(hashes.length, SIGNATURE_BYTES + 2);
    return Buffer.concat([head, ...wayFrom(index, levels)]).toString("base64");
  });
}

/** Whether a node signed some bytes. */
export type IsSignedBy = (
  name: NodeName,
  bytes: Uint8Array,
  signature: Uint8Array,
) => Promise<boolean>;

/** What is known to lead to a signed root, by its place in the tree: how high, and how far from the left. */
type Known = Map<string, Buffer>;

/** Signatures that are remembered. In a bundle, the steps of one answer follow each other: a larger number of answers costs one look each. */
const KNOWN_MAX = 16;

/** Checks signatures of steps, each of them once for all steps that it covers. */
export class StepSignatures {
  readonly #isSignedBy: IsSignedBy;
  /** Those that were found good, or are being looked at. Of all others nothing is remembered. */
  readonly #known = new Map<string, Promise<Known | undefined>>();

  constructor(ports: { readonly isSignedBy: IsSignedBy }) {
    this.#isSignedBy = ports.isSignedBy;
  }

  async isSigned(
    by: NodeName,
    hash: StepHash,
    signature: string,
  ): Promise<boolean> {
    const bytes = Buffer.from(signature, "base64");
    if (bytes.length < WAY_AT) return false;
    const own = bytes.subarray(0, SIGNATURE_BYTES);
    // The shape of the tree is a part of it: a place means nothing in another one.
    const count = bytes.readUInt16BE(SIGNATURE_BYTES + 2);
    const key = `${by} ${count} ${own.toString("base64")}`;
    const looking = this.#known.get(key);
    // No wait, if there is nothing to wait for: whoever asks next is to find what this one begins.
    const known = looking === undefined ? undefined : await looking;
    const way = climb(leafOf(hash), bytes, known);
    if (way === undefined) return false;
    if (known !== undefined) {
      if (!way.isKnown) return false;
      for (const [place, node] of way.seen) known.set(place, node);
      return true;
    }
    const looked = this.#isSignedBy(by, signedBytes(count, way.top), own).then(
      (isGood) => (isGood ? way.seen : undefined),
    );
    this.#remember(key, looked);
    const isGood = (await looked) !== undefined;
    if (!isGood && this.#known.get(key) === looked) this.#known.delete(key);
    return isGood;
  }

  #remember(key: string, looked: Promise<Known | undefined>): void {
    this.#known.delete(key);
    this.#known.set(key, looked);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= KNOWN_MAX) return;
      this.#known.delete(oldest);
    }
  }
}

/** Where the way from a leaf leads, and what lies on it and beside it; undefined if it is none. It ends at what is known. */
function climb(
  leaf: Buffer,
  bytes: Buffer,
  known: Known | undefined,
):
  | { readonly top: Buffer; readonly seen: Known; readonly isKnown: boolean }
  | undefined {
  let index = bytes.readUInt16BE(SIGNATURE_BYTES);
  let count = bytes.readUInt16BE(SIGNATURE_BYTES + 2);
  if (index >= count) return undefined;
  const seen: Known = new Map();
  let top = leaf;
  let at = WAY_AT;
  for (let height = 0; ; height++) {
    const expected = known?.get(`${height} ${index}`);
    if (expected !== undefined)
      return expected.equals(top) ? { top, seen, isKnown: true } : undefined;
    seen.set(`${height} ${index}`, top);
    if (count === 1) break;
    const isLastAndOdd = index % 2 === 0 && index + 1 === count;
    if (!isLastAndOdd) {
      const beside = bytes.subarray(at, at + HASH_BYTES);
      if (beside.length !== HASH_BYTES) return undefined;
      seen.set(`${height} ${index ^ 1}`, beside);
      top = index % 2 === 0 ? inner(top, beside) : inner(beside, top);
      at += HASH_BYTES;
    }
    count = (count + 1) >> 1;
    index >>= 1;
  }
  return at === bytes.length ? { top, seen, isKnown: false } : undefined;
}

function signedBytes(count: number, root: Buffer = Buffer.alloc(0)): Buffer {
  return Buffer.concat([PURPOSE, Buffer.of(count >> 8, count & 0xff), root]);
}

function leafOf(hash: StepHash): Buffer {
  return Buffer.from(hash.slice(2), "hex");
}

function inner(left: Buffer, right: Buffer): Buffer {
  return digest("sha256", Buffer.concat([INNER, left, right]), "buffer");
}

/** The leaves, then what is made of each two of them, and so on to the root. An odd one goes up as it is. */
function levelsOf(leaves: readonly Buffer[]): readonly (readonly Buffer[])[] {
  const levels = [leaves];
  for (let level = leaves; level.length > 1;) {
    const next: Buffer[] = [];
    for (let i = 0; i < level.length; i += 2) {
      const [left, right] = level.slice(i, i + 2);
      if (left !== undefined)
        next.push(right === undefined ? left : inner(left, right));
    }
    levels.push(next);
    level = next;
  }
  return levels;
}

/** The hashes beside the way up. */
function wayFrom(
  index: number,
  levels: readonly (readonly Buffer[])[],
): readonly Buffer[] {
  return levels.flatMap((level, height) => level[(index >> height) ^ 1] ?? []);
}
