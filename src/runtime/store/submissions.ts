import type { Address, Hex } from "../../ledger/index.ts";
import { type Digest, parseDigest } from "../../protocol/ids.ts";
import type { Database, Row } from "./database.ts";

/** Base-ledger transactions on their way. Two never share a nonce of one payer. */
export const submissionsSql = `
  CREATE TABLE submissions (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    digest TEXT NOT NULL UNIQUE,
    group_address TEXT NOT NULL,
    payer TEXT NOT NULL,
    target TEXT NOT NULL,
    data TEXT NOT NULL,
    gas_limit TEXT,
    valid_until INTEGER NOT NULL,
    nonce INTEGER,
    raw TEXT,
    max_fee TEXT,
    tip TEXT,
    hashes TEXT NOT NULL DEFAULT '',
    is_empty INTEGER NOT NULL DEFAULT 0,
    UNIQUE (payer, nonce)
  ) STRICT;
  CREATE INDEX submissions_of_group ON submissions (group_address, sequence);
`;

/** What is to be submitted. */
export interface NewSubmission {
  readonly digest: string;
  readonly group: string;
  readonly payer: Address;
  readonly to: Address;
  readonly data: Hex;
  /** Undefined: to be estimated. */
  readonly gasLimit: bigint | undefined;
  /** The last block in which it can happen; 0 means no limit. */
  readonly validUntil: number;
}

/** What was signed for a submission: its place among the payer's transactions, and the bytes. */
export interface Signing {
  readonly sequence: number;
  readonly nonce: number;
  readonly raw: Hex;
  readonly maxFee: bigint;
  readonly tip: bigint;
  /** Of everything that was ever signed for it, the latest last. */
  readonly hashes: readonly string[];
  /** What is signed only uses the nonce up. */
  readonly isEmpty: boolean;
}

/** A submission, without its bytes. */
export interface SavedSubmission extends Omit<
  NewSubmission,
  "data" | "digest"
> {
  readonly sequence: number;
  /** Undefined for one that only fills a gap between nonces. */
  readonly digest: Digest | undefined;
  readonly signing: Omit<Signing, "raw" | "sequence"> | undefined;
  readonly hashes: readonly string[];
}

const COLUMNS =
  "sequence, digest, group_address, payer, target, gas_limit, valid_until, nonce, max_fee, tip, hashes, is_empty";

/** The table of submissions. It writes inside whatever commit is under way. */
export class Submissions {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** False if there is one for this digest already. */
  add(submission: NewSubmission): boolean {
    const { digest, group, payer, to, data, gasLimit, validUntil } = submission;
    const added = this.#database.run(
      "INSERT INTO submissions (digest, group_address, payer, target, data, gas_limit, valid_until) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (digest) DO NOTHING",
      digest,
      group,
      payer,
      to,
      data,
      gasLimit?.toString() ?? null,
      validUntil,
    );
    return added > 0;
  }

  /** Adds one that does nothing but use up a nonce. */
  addFiller(payer: Address, nonce: number): SavedSubmission {
    const digest = `nonce ${nonce} of ${payer}`;
    const data = "0x" as Hex;
    const nothing = { gasLimit: 0n, validUntil: 0, group: "" };
    this.add({ digest, payer, to: payer, data, ...nothing });
    const row = this.#database.get(
      `SELECT ${COLUMNS} FROM submissions WHERE digest = ?`,
      digest,
    );
    if (row === undefined) throw new Error("A row that was added is missing.");
    return submissionOf(row);
  }

  /** The payer of the last submission of a group that is still here. */
  payerOf(group: string): string | undefined {
    const row = this.#database.get(
      "SELECT payer FROM submissions WHERE group_address = ? ORDER BY sequence DESC LIMIT 1",
      group,
    );
    return row === undefined ? undefined : String(row["payer"]);
  }

  /** Those that came after one, oldest first. */
  after(sequence: number): readonly SavedSubmission[] {
    return this.#database
      .all(
        `SELECT ${COLUMNS} FROM submissions WHERE sequence > ? ORDER BY sequence`,
        sequence,
      )
      .map(submissionOf);
  }

  dataOf(sequence: number): Hex {
    return this.#bytesOf("data", sequence);
  }

  rawOf(sequence: number): Hex {
    return this.#bytesOf("raw", sequence);
  }

  sign({ sequence, nonce, raw, maxFee, tip, hashes, isEmpty }: Signing): void {
    this.#database.run(
      "UPDATE submissions SET nonce = ?, raw = ?, max_fee = ?, tip = ?, hashes = ?, is_empty = ? WHERE sequence = ?",
      nonce,
      raw,
      maxFee.toString(),
      tip.toString(),
      hashes.join(" "),
      isEmpty ? 1 : 0,
      sequence,
    );
  }

  /** Takes the nonce away: somebody else used it, or the chain is another. */
  unsign(sequence: number): void {
    this.#database.run(
      "UPDATE submissions SET nonce = NULL, raw = NULL, max_fee = NULL, tip = NULL WHERE sequence = ?",
      sequence,
    );
  }

  /** Gives one without a nonce to another payer. */
  move(sequence: number, payer: Address): void {
    this.#database.run(
      "UPDATE submissions SET payer = ? WHERE sequence = ?",
      payer,
      sequence,
    );
  }

  delete(sequence: number): void {
    this.#database.run("DELETE FROM submissions WHERE sequence = ?", sequence);
  }

  #bytesOf(column: "data" | "raw", sequence: number): Hex {
    const row = this.#database.get(
      `SELECT ${column} AS bytes FROM submissions WHERE sequence = ?`,
      sequence,
    );
    return String(row?.["bytes"]) as Hex;
  }
}

function submissionOf(row: Row): SavedSubmission {
  const hashes = String(row["hashes"]).split(" ").filter(Boolean);
  const gasLimit = row["gas_limit"];
  return {
    sequence: Number(row["sequence"]),
    digest: parseDigest(row["digest"]),
    group: String(row["group_address"]),
    payer: String(row["payer"]) as Address,
    to: String(row["target"]) as Address,
    gasLimit: typeof gasLimit === "string" ? BigInt(gasLimit) : undefined,
    validUntil: Number(row["valid_until"]),
    hashes,
    signing:
      row["nonce"] === null
        ? undefined
        : {
            nonce: Number(row["nonce"]),
            maxFee: BigInt(String(row["max_fee"])),
            tip: BigInt(String(row["tip"])),
            hashes,
            isEmpty: row["is_empty"] === 1,
          },
  };
}
