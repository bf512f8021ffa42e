import type { Address, Hex } from "../ledger/index.ts";
import { type Digest, parseDigest } from "../protocol/ids.ts";
import type { Database, Row } from "./database.ts";
import { numberOf, optionalTextOf, textOf } from "./row.ts";

/** Base-ledger transactions on their way. Two never share a nonce of one payer. */
export const submissionsSql = `
  CREATE TABLE submissions (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    digest TEXT NOT NULL UNIQUE,
    group_address TEXT NOT NULL,
    is_public INTEGER NOT NULL DEFAULT 0,
    payer TEXT NOT NULL,
    user_name TEXT,
    target TEXT,
    data TEXT NOT NULL,
    value TEXT NOT NULL DEFAULT '0',
    gas_limit TEXT,
    max_fee_wanted TEXT,
    tip_wanted TEXT,
    valid_until INTEGER NOT NULL,
    nonce INTEGER,
    raw TEXT,
    max_fee TEXT,
    tip TEXT,
    hashes TEXT NOT NULL DEFAULT '',
    empty_hashes TEXT NOT NULL DEFAULT '',
    settled_block INTEGER,
    UNIQUE (payer, nonce)
  ) STRICT;
  CREATE INDEX submissions_of_group ON submissions (group_address, sequence);
  CREATE INDEX submissions_settled ON submissions (settled_block) WHERE settled_block IS NOT NULL;
`;

/** What is to be submitted. */
export interface NewSubmission {
  readonly digest: string;
  /** Empty for what is of no group. */
  readonly group: string;
  /** A user's own transaction, which must not happen twice. */
  readonly isPublic: boolean;
  readonly payer: Address;
  /** The user whose key signs; undefined for the node's own keys. */
  readonly userName: string | undefined;
  /** Undefined: to create a contract. */
  readonly to: Address | undefined;
  readonly data: Hex;
  readonly value: bigint;
  /** Undefined: to be estimated. */
  readonly gasLimit: bigint | undefined;
  /** What the user offers for gas, and never more; undefined: what is usual. */
  readonly wanted: {
    readonly maxFee: bigint | undefined;
    readonly tip: bigint | undefined;
  };
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
  /** Of those that only use the nonce up. Once there is one, nothing else is signed any more. */
  readonly emptyHashes: readonly string[];
}

/** A submission, without its bytes. */
export interface SavedSubmission extends Omit<
  NewSubmission,
  "data" | "digest"
> {
  readonly sequence: number;
  /** Undefined for one that only fills a gap between nonces. */
  readonly digest: Digest | undefined;
  readonly signing: Pick<Signing, "nonce" | "maxFee" | "tip"> | undefined;
  readonly hashes: readonly string[];
  readonly emptyHashes: readonly string[];
}

const COLUMNS =
  "sequence, digest, group_address, is_public, payer, user_name, target, value, gas_limit, max_fee_wanted, tip_wanted, valid_until, nonce, max_fee, tip, hashes, empty_hashes";

/** The table of submissions. It writes inside whatever commit is under way. */
export class Submissions {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** False if there is one for this digest already. */
  add(submission: NewSubmission): boolean {
    const added = this.#database.run(
      `INSERT INTO submissions (digest, group_address, is_public, payer, user_name, target, data, value, gas_limit,
        max_fee_wanted, tip_wanted, valid_until)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (digest) DO NOTHING`,
      submission.digest,
      submission.group,
      submission.isPublic ? 1 : 0,
      submission.payer,
      submission.userName ?? null,
      submission.to ?? null,
      submission.data,
      submission.value.toString(),
      submission.gasLimit?.toString() ?? null,
      submission.wanted.maxFee?.toString() ?? null,
      submission.wanted.tip?.toString() ?? null,
      submission.validUntil,
    );
    return added > 0;
  }

  /** Adds one that does nothing but use up a nonce of a payer. */
  addFiller(
    { payer, userName }: Pick<NewSubmission, "payer" | "userName">,
    nonce: number,
  ): SavedSubmission {
    const digest = `nonce ${nonce} of ${payer}`;
    this.add({
      digest,
      group: "",
      isPublic: false,
      payer,
      userName,
      to: payer,
      data: "0x" as Hex,
      value: 0n,
      gasLimit: 0n,
      wanted: { maxFee: undefined, tip: undefined },
      validUntil: 0,
    });
    const filler = this.#byDigest(digest);
    if (filler === undefined)
      throw new Error("A row that was added is missing.");
    return filler;
  }

  /** Undefined if it is none, or is settled or forgotten. */
  byDigest(digest: Digest): SavedSubmission | undefined {
    return this.#byDigest(digest);
  }

  /** The payer of the last submission of a group that is still here. */
  payerOf(group: string): string | undefined {
    const row = this.#database.get(
      "SELECT payer FROM submissions WHERE group_address = ? ORDER BY sequence DESC LIMIT 1",
      group,
    );
    return row === undefined ? undefined : String(row["payer"]);
  }

  /** Those that came after one and are not settled, oldest first. */
  after(sequence: number): readonly SavedSubmission[] {
    return this.#database
      .all(
        `SELECT ${COLUMNS} FROM submissions WHERE sequence > ? AND settled_block IS NULL ORDER BY sequence`,
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

  sign(signing: Signing): void {
    this.#database.run(
      "UPDATE submissions SET nonce = ?, raw = ?, max_fee = ?, tip = ?, hashes = ?, empty_hashes = ? WHERE sequence = ?",
      signing.nonce,
      signing.raw,
      signing.maxFee.toString(),
      signing.tip.toString(),
      signing.hashes.join(" "),
      signing.emptyHashes.join(" "),
      signing.sequence,
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

  /** Its nonce was used in this block, and nobody looks after it any more, unless the chain takes the block back. */
  settle(sequence: number, block: number): void {
    this.#database.run(
      "UPDATE submissions SET settled_block = ? WHERE sequence = ?",
      block,
      sequence,
    );
  }

  /** The chain took later blocks back: whatever was settled in them is on its way again. */
  reopenAbove(block: number): void {
    this.#database.run(
      "UPDATE submissions SET settled_block = NULL WHERE settled_block > ?",
      block,
    );
  }

  /** How many nonces of a payer are used at least, by what is settled. */
  usedOf(payer: Address): number {
    const row = this.#database.get(
      "SELECT max(nonce) AS nonce FROM submissions WHERE payer = ? AND settled_block IS NOT NULL",
      payer,
    );
    const nonce = row?.["nonce"] ?? null;
    return nonce === null ? 0 : Number(nonce) + 1;
  }

  delete(sequence: number): void {
    this.#database.run("DELETE FROM submissions WHERE sequence = ?", sequence);
  }

  #byDigest(digest: string): SavedSubmission | undefined {
    const row = this.#database.get(
      `SELECT ${COLUMNS} FROM submissions WHERE digest = ? AND settled_block IS NULL`,
      digest,
    );
    return row && submissionOf(row);
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
  return {
    sequence: numberOf(row, "sequence"),
    digest: parseDigest(row["digest"]),
    group: textOf(row, "group_address"),
    isPublic: numberOf(row, "is_public") === 1,
    payer: textOf(row, "payer") as Address,
    userName: optionalTextOf(row, "user_name"),
    to: optionalTextOf(row, "target") as Address | undefined,
    value: BigInt(textOf(row, "value")),
    gasLimit: amountOf(row, "gas_limit"),
    wanted: {
      maxFee: amountOf(row, "max_fee_wanted"),
      tip: amountOf(row, "tip_wanted"),
    },
    validUntil: numberOf(row, "valid_until"),
    hashes: listOf(row, "hashes"),
    emptyHashes: listOf(row, "empty_hashes"),
    signing:
      row["nonce"] === null
        ? undefined
        : {
            nonce: numberOf(row, "nonce"),
            maxFee: BigInt(textOf(row, "max_fee")),
            tip: BigInt(textOf(row, "tip")),
          },
  };
}

/** An amount of the chain is text: it may be too large for a number. */
function amountOf(row: Row, column: string): bigint | undefined {
  const text = optionalTextOf(row, column);
  return text === undefined ? undefined : BigInt(text);
}

function listOf(row: Row, column: string): readonly string[] {
  return textOf(row, column).split(" ").filter(Boolean);
}
