import { StoreError } from "../store/store-error.ts";
import { ReplicaError, type ReplicaErrorCode } from "./errors.ts";

const finalCodes: ReadonlySet<ReplicaErrorCode> = new Set([
  "FORGOTTEN",
  "NO_SOURCE",
  "DRIVER",
  "VERSION",
  "POOLED",
  "NOT_IMPORTED",
]);

/** A newer version has written the log. */
export function isOutdated(error: unknown): boolean {
  return error instanceof ReplicaError && error.code === "OUTDATED";
}

/** It does not get better by itself: the replica stops, and says why. */
export function isFinal(error: unknown): boolean {
  if (error instanceof ReplicaError) return finalCodes.has(error.code);
  // A store that differs was rebuilt already: its log is damaged.
  return (
    error instanceof StoreError &&
    (error.code === "LOCKED" || error.code === "DIVERGED")
  );
}
