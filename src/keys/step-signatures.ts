import type { NodeName, StepHash } from "../protocol/ids.ts";
import { besideWay, completed, type Levels } from "./hash-tree.ts";
import {
  type Answer,
  type CarriedSignature,
  readAnswers,
  wholeSignature,
} from "./packed-signatures.ts";

// A node signs the steps that it assembles together with one signature: over their number and the root of a tree of their
// hashes. So an endorser looks at one signature for a hundred steps of one answer.

/** Nothing else that a node signs begins like that. */
const PURPOSE = Buffer.from("hardhat-sequencer steps\0");

/** A step with its hash and the signature that it carries. */
export interface SignedStep extends CarriedSignature {
  readonly hash: StepHash;
}

/** Signs hashes together. Each gets a signature that proves by itself that it is among them. */
export function signTogether(
  hashes: readonly StepHash[],
  sign: (bytes: Uint8Array) => Uint8Array,
): readonly string[] {
  if (hashes.length === 0) return [];
  const count = hashes.length;
  const leaves = new Map(hashes.map((hash, i) => [i, leafOf(hash)]));
  const levels = completed(count, [leaves]) ?? [];
  const signature = Buffer.from(sign(signedBytes(count, levels)));
  return hashes.map((_, index) =>
    wholeSignature({ signature, count }, index, besideWay(index, levels)),
  );
}

/** The signature of one step of a bundle as it stands for itself; undefined if there is none. */
export function standingAlone(
  steps: readonly SignedStep[],
  at: number,
): string | undefined {
  const answer = readAnswers(steps).find(({ indices }) => indices.has(at));
  const index = answer?.indices.get(at);
  if (answer === undefined || index === undefined) return undefined;
  const levels = levelsOf(answer, steps);
  return levels && wholeSignature(answer, index, besideWay(index, levels));
}

/** Whether a node signed some bytes. */
export type IsSignedBy = (
  name: NodeName,
  bytes: Uint8Array,
  signature: Uint8Array,
) => Promise<boolean>;

/** Signatures that are remembered: an answer may be spread over a few bundles. */
const KNOWN_MAX = 16;

/** Checks signatures of steps, each of them once for all steps that it covers. */
export class StepSignatures {
  readonly #isSignedBy: IsSignedBy;
  /** Those that were found good, or are being looked at. Of all others nothing is remembered. */
  readonly #known = new Map<string, Promise<boolean>>();

  constructor(ports: { readonly isSignedBy: IsSignedBy }) {
    this.#isSignedBy = ports.isSignedBy;
  }

  /** The hashes of those steps that their senders signed. A hash covers the sender. */
  async signedAmong(
    steps: readonly SignedStep[],
  ): Promise<ReadonlySet<StepHash>> {
    const signed = new Set<StepHash>();
    await Promise.all(
      readAnswers(steps).map(async (answer) => {
        if (!(await this.#isGood(answer, steps))) return;
        for (const at of answer.indices.keys()) {
          const { hash } = steps[at] ?? {};
          if (hash !== undefined) signed.add(hash);
        }
      }),
    );
    return signed;
  }

  /** Whether a node signed a step, by a signature that stands for itself. */
  async isSigned(
    sender: NodeName,
    hash: StepHash,
    signature: string,
  ): Promise<boolean> {
    const signed = await this.signedAmong([{ sender, hash, signature }]);
    return signed.has(hash);
  }

  async #isGood(
    answer: Answer,
    steps: readonly SignedStep[],
  ): Promise<boolean> {
    const { signature, count, indices } = answer;
    const [at = -1] = indices.keys();
    const { sender } = steps[at] ?? {};
    const levels = levelsOf(answer, steps);
    if (levels === undefined || sender === undefined) return false;
    const bytes = signedBytes(count, levels);
    const key = `${sender} ${Buffer.concat([signature, bytes]).toString("base64")}`;
    const known = this.#known.get(key);
    const looking = known ?? this.#isSignedBy(sender, bytes, signature);
    if (known === undefined) this.#remember(key, looking);
    const isGood = await looking;
    if (!isGood && this.#known.get(key) === looking) this.#known.delete(key);
    return isGood;
  }

  #remember(key: string, looking: Promise<boolean>): void {
    this.#known.set(key, looking);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= KNOWN_MAX) return;
      this.#known.delete(oldest);
    }
  }
}

/** The tree over an answer, as far as it leads from its steps to the root; undefined if it does not. */
function levelsOf(
  { count, indices, given }: Answer,
  steps: readonly SignedStep[],
): Levels | undefined {
  const leaves = new Map(given[0]);
  for (const [at, index] of indices) {
    const { hash } = steps[at] ?? {};
    if (hash !== undefined) leaves.set(index, leafOf(hash));
  }
  return completed(count, [leaves, ...given.slice(1)]);
}

function signedBytes(count: number, levels: Levels): Buffer {
  const root = levels.at(-1)?.get(0) ?? Buffer.alloc(0);
  return Buffer.concat([PURPOSE, Buffer.of(count >> 8, count & 0xff), root]);
}

function leafOf(hash: StepHash): Buffer {
  return Buffer.from(hash.slice(2), "hex");
}
