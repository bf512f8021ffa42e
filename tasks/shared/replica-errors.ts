import { SequencerError } from "../../src/plugin/errors.ts";
import {
  ReplicaError,
  type ReplicaErrorCode,
} from "../../src/replica/errors.ts";
import { StoreError } from "../../src/store/store-error.ts";

const codes = {
  DRIVER: "DATABASE_DRIVER_MISSING",
  VERSION: "DATABASE_UNSUITABLE",
  READ_ONLY: "DATABASE_UNSUITABLE",
  POOLED: "DATABASE_UNSUITABLE",
  SCHEMA: "DATABASE_SCHEMA_INVALID",
  LOST: "DATABASE_LEASE_LOST",
  FORGOTTEN: "DATABASE_FORGOTTEN",
  NO_SOURCE: "DATABASE_NO_SOURCE",
  SNAPSHOT: "DATABASE_DAMAGED",
  REPLICA_KEYS_DIFFER: "REPLICA_KEYS_DIFFER",
  OUTDATED: "REPLICA_OUTDATED",
  NO_REPLICA: "REPLICA_NOT_READY",
  NOT_PROMOTED: "REPLICA_NOT_PROMOTED",
  NOT_IMPORTED: "STORE_NOT_IMPORTED",
  NOT_EMPTY: "DATABASE_NOT_EMPTY",
  BUSY: "DATABASE_BUSY",
} as const satisfies Record<ReplicaErrorCode, string>;

/** Conditions of SQLSTATE: the table or the schema is not there. */
const missing: ReadonlySet<unknown> = new Set(["42P01", "3F000"]);

/** What the driver says without a code when the server is away. */
const away =
  /^(Connection terminated|timeout expired|Query read timeout|Client has encountered|The server does not support SSL)/;

/** What is wrong with the database of a node, for its operator. Other errors stay as they are. */
export function databaseErrorOf(
  error: unknown,
  {
    node,
    schema,
    host,
  }: {
    readonly node: string;
    readonly schema: string;
    /** Where the database is, for people. */
    readonly host: string;
  },
): unknown {
  if (error instanceof ReplicaError)
    return new SequencerError(
      codes[error.code],
      { reason: error.message },
      error,
    );
  if (error instanceof StoreError && error.code === "DIVERGED")
    return new SequencerError(
      "DATABASE_DAMAGED",
      { reason: error.message },
      error,
    );
  if (!(error instanceof Error)) return error;
  const code: unknown = Reflect.get(error, "code");
  if (missing.has(code))
    return new SequencerError("DATABASE_EMPTY", { node, schema, host }, error);
  const isOfServer = typeof code === "string" && /^[\dA-Z]{5}$/.test(code);
  if (isOfServer && Reflect.get(error, "severity") !== undefined)
    return new SequencerError(
      "DATABASE_REFUSED",
      { host, reason: sentence(error.message) },
      error,
    );
  const isOfSystem =
    Reflect.get(error, "syscall") !== undefined ||
    error instanceof AggregateError ||
    Reflect.get(error, "library") !== undefined ||
    (typeof code === "string" && /CERT|TLS|SELF_SIGNED/.test(code));
  return isOfSystem || away.test(error.message)
    ? new SequencerError(
        "DATABASE_UNREACHABLE",
        { host, reason: sentence(error.message || String(code)) },
        error,
      )
    : error;
}

/** Without a full stop at its end. */
function sentence(text: string): string {
  return text.replace(/\.$/, "");
}
