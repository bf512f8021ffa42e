import type { Head } from "../store/log/chain.ts";

/** Names that need no quotes anywhere, and do not collide with those of PostgreSQL. */
const SCHEMA_NAME = /^(?!pg_)[a-z][a-z0-9_]{0,50}$/;

export function isSchemaName(name: string): boolean {
  return SCHEMA_NAME.test(name);
}

/**
 * The tables of one node. A bucket is one log with one lease; a node without workers has one. The body of a turn is dense already, so
 * PostgreSQL does not try to compress it. `regained` counts how often an owner had to take its lock again. `heir` is the replica to which the last owner left the lease, and `wanted` the one that an
 * operator has asked for. `is_election_on` is the switch of operators: while it is off, only the replica that had the lease last may take it. Nothing is
 * decided by the table `replica`: it is for people. For `trusted_ms` after its last sign of life an owner may still answer, also if it was fenced meanwhile. The tables `election` and
 * `election_history` are those of supervisors.
 */
export function schemaSql(schema: string): string {
  return `
CREATE SCHEMA IF NOT EXISTS ${schema};
CREATE TABLE IF NOT EXISTS ${schema}.bucket (
  bucket integer PRIMARY KEY,
  epoch bigint NOT NULL,
  owner text,
  instance text,
  heir text,
  regained bigint NOT NULL DEFAULT 0,
  wanted text,
  wanted_at timestamptz,
  state text NOT NULL CHECK (state IN ('open', 'stopped')),
  head_sequence bigint NOT NULL,
  head_hash bytea NOT NULL,
  since timestamptz NOT NULL
) WITH (fillfactor = 50);
CREATE TABLE IF NOT EXISTS ${schema}.turn (
  bucket integer NOT NULL,
  sequence bigint NOT NULL,
  epoch bigint NOT NULL,
  hash bytea NOT NULL,
  body bytea NOT NULL,
  PRIMARY KEY (bucket, sequence)
);
DO $$ BEGIN
  -- Only once: it waits for everybody who reads the table, and whoever writes it waits for that.
  IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = '${schema}.turn'::regclass AND attname = 'body' AND attstorage <> 'e') THEN
    ALTER TABLE ${schema}.turn ALTER COLUMN body SET STORAGE EXTERNAL;
  END IF;
END $$;
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = '${schema}.bucket'::regclass AND attname = 'is_election_on') THEN
    ALTER TABLE ${schema}.bucket ADD COLUMN is_election_on boolean NOT NULL DEFAULT true,
      ADD COLUMN trusted_ms integer NOT NULL DEFAULT 0;
  END IF;
END $$;
CREATE TABLE IF NOT EXISTS ${schema}.statement (id text PRIMARY KEY, sql text NOT NULL);
CREATE TABLE IF NOT EXISTS ${schema}.node (
  one integer PRIMARY KEY CHECK (one = 1),
  name text NOT NULL,
  chain_id text NOT NULL,
  factory text NOT NULL,
  public_key text NOT NULL,
  account text NOT NULL,
  wallet_print text NOT NULL,
  store_format integer NOT NULL,
  turn_format integer NOT NULL
);
CREATE TABLE IF NOT EXISTS ${schema}.replica (
  name text PRIMARY KEY,
  instance text NOT NULL,
  rpc text,
  peers_address text,
  version text NOT NULL,
  role text NOT NULL,
  applied_sequence bigint NOT NULL,
  seen timestamptz NOT NULL
) WITH (fillfactor = 50);
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = '${schema}.replica'::regclass AND attname = 'operator_rpc') THEN
    ALTER TABLE ${schema}.replica ADD COLUMN operator_rpc text;
  END IF;
END $$;
CREATE TABLE IF NOT EXISTS ${schema}.snapshot (
  bucket integer NOT NULL,
  sequence bigint NOT NULL,
  hash bytea NOT NULL,
  parts integer NOT NULL,
  size bigint NOT NULL,
  checksum bytea NOT NULL,
  made_by text NOT NULL,
  made_at timestamptz NOT NULL,
  PRIMARY KEY (bucket, sequence)
);
CREATE TABLE IF NOT EXISTS ${schema}.snapshot_part (
  bucket integer NOT NULL,
  sequence bigint NOT NULL,
  part integer NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (bucket, sequence, part)
);
CREATE TABLE IF NOT EXISTS ${schema}.election (
  bucket integer PRIMARY KEY,
  supervisor text,
  supervisor_rpc text,
  revoking bigint,
  trusted_until timestamptz,
  wish bigint NOT NULL DEFAULT 0,
  wanted text,
  is_forced boolean NOT NULL DEFAULT false,
  wanted_at timestamptz,
  refusal text
) WITH (fillfactor = 50);
CREATE TABLE IF NOT EXISTS ${schema}.election_history (
  bucket integer NOT NULL,
  number bigint GENERATED ALWAYS AS IDENTITY,
  at timestamptz NOT NULL,
  act text NOT NULL,
  replica text,
  epoch bigint NOT NULL,
  head_sequence bigint NOT NULL,
  head_hash bytea NOT NULL,
  reason text NOT NULL,
  supervisor text NOT NULL,
  PRIMARY KEY (bucket, number)
);
`;
}

/** The row of a bucket, as the driver gives it. */
export interface BucketRow {
  readonly epoch: string;
  readonly head_sequence: string;
  readonly head_hash: Buffer;
}

export function headOf(row: BucketRow): Head {
  return {
    sequence: Number(row.head_sequence),
    hash: row.head_hash.toString("hex"),
  };
}
