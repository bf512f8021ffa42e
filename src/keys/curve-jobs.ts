import { type Hex, parseBytes32, toBytes, toHex } from "../ledger/hex.ts";
import {
  type Address,
  type Digest,
  parseAddress,
  parseDigest,
} from "../ledger/ids.ts";
import type { Curve } from "../ledger/native-curve.ts";
import type { CompactSignature } from "../ledger/signature.ts";

// Jobs and results in bytes, one behind the other, so that they go to another thread and back without being copied. That
// thread is to start soon: nothing large is imported here.

/** Something to compute on the curve. */
export type CurveJob =
  | { readonly type: "sign"; readonly digest: Hex; readonly key: Hex }
  | {
      readonly type: "recover";
      readonly digest: Hex;
      readonly signature: CompactSignature;
    };

/** A kind, a digest, and a key or the two halves of a signature. */
const JOB_BYTES = 1 + 32 + 64;
/** A signature; or whether anybody made one, and his address. */
const RESULT_BYTES = 65;
const SIGN = 1;
const RECOVER = 2;

export function writeJobs(jobs: readonly CurveJob[]): Uint8Array {
  const bytes = new Uint8Array(jobs.length * JOB_BYTES);
  for (const [index, job] of jobs.entries()) {
    const at = index * JOB_BYTES;
    bytes[at] = job.type === "sign" ? SIGN : RECOVER;
    bytes.set(toBytes(job.digest), at + 1);
    if (job.type === "sign") bytes.set(toBytes(job.key), at + 33);
    else {
      bytes.set(toBytes(job.signature.r), at + 33);
      bytes.set(toBytes(job.signature.vs), at + 65);
    }
  }
  return bytes;
}

/** Does all jobs: one result for each. */
export function doJobs(jobs: Uint8Array, on: Curve): Uint8Array {
  const count = jobs.length / JOB_BYTES;
  const results = new Uint8Array(count * RESULT_BYTES);
  for (let index = 0; index < count; index++) {
    const job = jobs.subarray(index * JOB_BYTES, (index + 1) * JOB_BYTES);
    const digest = parseDigest(toHex(job.subarray(1, 33)));
    const at = index * RESULT_BYTES;
    if (job[0] === SIGN) {
      const sign = on.signer(toHex(job.subarray(33, 65)));
      results.set(toBytes(sign(digest)), at);
      continue;
    }
    const signer = recover(on, digest, {
      r: parseBytes32(toHex(job.subarray(33, 65))),
      vs: parseBytes32(toHex(job.subarray(65))),
    });
    if (signer === undefined) continue;
    results[at] = 1;
    results.set(toBytes(signer), at + 1);
  }
  return results;
}

function recover(
  on: Curve,
  digest: Digest,
  signature: CompactSignature,
): Address | undefined {
  try {
    return on.recover(digest, signature);
  } catch {
    // The numbers are in range, but r is on no point of the curve.
    return undefined;
  }
}

export function signatureIn(results: Uint8Array, index: number): Hex {
  const at = index * RESULT_BYTES;
  return toHex(results.subarray(at, at + RESULT_BYTES));
}

/** Who signed; undefined for a signature that nobody can have made. */
export function signerIn(
  results: Uint8Array,
  index: number,
): Address | undefined {
  const at = index * RESULT_BYTES;
  return results[at] === 1
    ? parseAddress(toHex(results.subarray(at + 1, at + 21)))
    : undefined;
}
