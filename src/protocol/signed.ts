import { createHeap, type Heap, popUntil, push } from "./heap.ts";
import type { Digest, NodeName } from "./ids.ts";
import { limits } from "./limits.ts";
import type { EndorsedRecord } from "./records.ts";
import { lengthOfBundle } from "./size.ts";
import type { Bundle } from "./transition.ts";

type SignedBundle = Omit<EndorsedRecord, "kind" | "bundle">;

/** What one coordinator has in bundles that can still happen. */
interface Load {
  readonly bundles: number;
  readonly length: number;
}

/** Bundles that an endorser signed and that can still happen, without their content, which is on the disk. */
export interface Signed {
  readonly byDigest: Map<Digest, SignedBundle>;
  /** By the last block in which they can happen. */
  readonly expiries: Heap<Digest>;
  /** Those that the ledger has: they cannot happen again, unless their blocks are taken back. */
  readonly over: Set<Digest>;
  readonly loads: Map<NodeName, Load>;
}

/** Nothing is signed yet. */
export function createSigned(): Signed {
  return {
    byDigest: new Map(),
    expiries: createHeap(),
    over: new Set(),
    loads: new Map(),
  };
}

/** Remembers a signed bundle until it can no longer happen. Nothing pushes it out before. */
export function keepSigned(signed: Signed, bundle: SignedBundle): void {
  const { digest, coordinator, validUntil, length, signature } = bundle;
  if (signed.byDigest.has(digest)) return;
  const kept = { digest, coordinator, validUntil, length, signature };
  signed.byDigest.set(digest, kept);
  push(signed.expiries, validUntil, digest);
  addLoad(signed, kept, 1);
}

/** Whether a coordinator has so much signed that can still happen that nothing more of it is signed. */
export function hasTooMuchSigned(
  { loads }: Signed,
  coordinator: NodeName,
  bundle: Bundle,
): boolean {
  const { bundles, length } = loads.get(coordinator) ?? nothing;
  return (
    bundles >= limits.signed ||
    (bundles > 0 && length + lengthOfBundle(bundle) > limits.signedLength)
  );
}

/** These are on the ledger. */
export function signedHappened(
  signed: Signed,
  digests: Iterable<Digest>,
): void {
  for (const digest of digests) {
    const bundle = signed.byDigest.get(digest);
    if (bundle === undefined || signed.over.has(digest)) continue;
    signed.over.add(digest);
    addLoad(signed, bundle, -1);
  }
}

/** A reorganisation took these back: they can happen again. */
export function signedReturned(
  signed: Signed,
  digests: Iterable<Digest>,
): void {
  for (const digest of digests) {
    const bundle = signed.byDigest.get(digest);
    if (bundle !== undefined && signed.over.delete(digest))
      addLoad(signed, bundle, 1);
  }
}

/** Forgets what can no longer happen. Its content stays on the disk for as long as blocks may be taken back. */
export function expireSigned(signed: Signed, height: number): void {
  for (const digest of popUntil(signed.expiries, height - 1)) {
    const bundle = signed.byDigest.get(digest);
    signed.byDigest.delete(digest);
    if (!signed.over.delete(digest) && bundle !== undefined)
      addLoad(signed, bundle, -1);
  }
}

const nothing: Load = { bundles: 0, length: 0 };

function addLoad(
  { loads }: Signed,
  { coordinator, length }: SignedBundle,
  sign: 1 | -1,
): void {
  const before = loads.get(coordinator) ?? nothing;
  const bundles = before.bundles + sign;
  if (bundles === 0) loads.delete(coordinator);
  else
    loads.set(coordinator, { bundles, length: before.length + sign * length });
}
