/** Why a database cannot be used, or this process not write to it. */
export type ReplicaErrorCode =
  | "DRIVER"
  | "VERSION"
  | "READ_ONLY"
  | "POOLED"
  | "SCHEMA"
  | "LOST"
  | "FORGOTTEN"
  | "NO_SOURCE"
  | "SNAPSHOT"
  | "REPLICA_KEYS_DIFFER"
  | "OUTDATED"
  | "NO_REPLICA"
  | "NOT_PROMOTED"
  | "NOT_IMPORTED"
  | "NOT_EMPTY"
  | "BUSY";

/** Something that the operator of a node with a database can act on. */
export class ReplicaError extends Error {
  override readonly name = "ReplicaError";
  readonly code: ReplicaErrorCode;

  constructor(
    code: ReplicaErrorCode,
    message: string,
    options: { readonly cause?: unknown } = {},
  ) {
    super(message, options);
    this.code = code;
  }
}

/** The lease is gone: whatever was not durable by then is for another process to decide. */
export function lost(reason: string, cause?: unknown): ReplicaError {
  return new ReplicaError(
    "LOST",
    `This process no longer holds the lease of its node: ${reason}.`,
    { cause },
  );
}
