import { crc32 } from "node:zlib";

import { decodeBundle, decodeStep } from "../protocol/codec.ts";
import {
  type Digest,
  type GroupAddress,
  type IntentId,
  parseDigest,
  parseIntentId,
  parseNodeName,
} from "../protocol/ids.ts";
import type { EndorsedRecord } from "../protocol/records.ts";
import type { Bundle, Step } from "../protocol/transition.ts";
import { Columns } from "./columns.ts";
import type { Database, Row } from "./database.ts";

/**
 * The text of a bundle is last, so that nothing of it is read by those who want to know only that it is there. `first_intent` is
 * one of its intents: if the ledger has that, the bundle has happened, or never will.
 */
export const bundlesSchema = `
CREATE TABLE endorsed_bundles (
  group_address TEXT NOT NULL,
  digest TEXT NOT NULL,
  last_block INTEGER NOT NULL,
  coordinator TEXT NOT NULL,
  length INTEGER NOT NULL,
  first_intent TEXT NOT NULL,
  signature TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  bundle TEXT NOT NULL,
  PRIMARY KEY (group_address, digest)
);
CREATE INDEX endorsed_bundles_by_block ON endorsed_bundles (last_block);
CREATE TABLE permitted_steps (
  group_address TEXT NOT NULL,
  digest TEXT NOT NULL,
  intent_id TEXT NOT NULL,
  last_block INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  step TEXT NOT NULL,
  PRIMARY KEY (group_address, digest, intent_id)
);
CREATE INDEX permitted_steps_by_block ON permitted_steps (last_block);
`;

/** All of an endorsed bundle but its content. */
export interface EndorsedHead extends Omit<EndorsedRecord, "bundle"> {
  readonly firstIntent: IntentId;
}

/** What a node signed and what it permitted, with all content, for as long as it can happen. */
export class Bundles {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Keeps a bundle that is endorsed. `text` is what `bundleText` gives for it. */
  save(group: GroupAddress, record: EndorsedRecord, text: string): void {
    const { digest, coordinator, validUntil, length, signature } = record;
    this.#database.run(
      `INSERT OR REPLACE INTO endorsed_bundles
       (group_address, digest, last_block, coordinator, length, first_intent, signature, checksum, bundle)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      group,
      digest,
      validUntil,
      coordinator,
      length,
      record.bundle.steps[0]?.intentId ?? "",
      signature,
      checksumOf(digest, text),
      text,
    );
  }

  /** The bundles that can still happen once the ledger is so high, without their content. */
  endorsed(group: GroupAddress, height: number): readonly EndorsedHead[] {
    return this.#database
      .all(
        `SELECT digest, last_block, coordinator, length, first_intent, signature FROM endorsed_bundles
         WHERE group_address = ? AND last_block >= ?`,
        group,
        height,
      )
      .map(readHead);
  }

  /** Whether this node endorsed a bundle, and keeps it. */
  has(group: GroupAddress, digest: Digest): boolean {
    const row = this.#database.get(
      "SELECT 1 FROM endorsed_bundles WHERE group_address = ? AND digest = ?",
      group,
      digest,
    );
    return row !== undefined;
  }

  /** A bundle that this node endorsed. */
  find(group: GroupAddress, digest: Digest): Bundle | undefined {
    const row = this.#database.get(
      "SELECT checksum, bundle FROM endorsed_bundles WHERE group_address = ? AND digest = ?",
      group,
      digest,
    );
    if (row === undefined) return undefined;
    const columns = new Columns(row, {
      table: "endorsed_bundles",
      key: digest,
    });
    const text = columns.text("bundle");
    const bundle = decodeBundle(text);
    const isIntact = columns.count("checksum") === checksumOf(digest, text);
    if (bundle?.digest !== digest || !isIntact)
      throw columns.corrupt("its bundle is not what was saved");
    return bundle;
  }

  /** Keeps a step of this node that may happen in a bundle which it does not see as a whole. */
  saveStep(
    group: GroupAddress,
    bundle: Pick<Bundle, "digest" | "validUntil">,
    step: Step,
  ): void {
    const text = JSON.stringify(step);
    this.#database.run(
      `INSERT OR REPLACE INTO permitted_steps (group_address, digest, intent_id, last_block, checksum, step)
       VALUES (?, ?, ?, ?, ?, ?)`,
      group,
      bundle.digest,
      step.intentId,
      bundle.validUntil,
      checksumOf(bundle.digest, text),
      text,
    );
  }

  /** The steps of this node in a bundle that it permitted. */
  permitted(group: GroupAddress, digest: Digest): readonly Step[] {
    return this.#database
      .all(
        "SELECT checksum, step FROM permitted_steps WHERE group_address = ? AND digest = ?",
        group,
        digest,
      )
      .map((row) => {
        const columns = new Columns(row, {
          table: "permitted_steps",
          key: digest,
        });
        const text = columns.text("step");
        const step = decodeStep(text);
        const isIntact = columns.count("checksum") === checksumOf(digest, text);
        if (step === undefined || !isIntact)
          throw columns.corrupt("its step is not what was saved");
        return step;
      });
  }

  /** Erases what could not happen after this block, and is no part of an open dispatch. */
  prune(block: number): void {
    this.#database.run(
      `DELETE FROM endorsed_bundles WHERE last_block < ? AND NOT EXISTS (
         SELECT 1 FROM records WHERE records.group_address = endorsed_bundles.group_address
         AND records.key = 'dispatch:' || endorsed_bundles.digest
       )`,
      block,
    );
    this.#database.run(
      "DELETE FROM permitted_steps WHERE last_block < ?",
      block,
    );
  }
}

function readHead(row: Row): EndorsedHead {
  const columns = new Columns(row, {
    table: "endorsed_bundles",
    key: String(row["digest"]),
  });
  return {
    kind: "endorsed",
    digest: columns.read("digest", parseDigest),
    coordinator: columns.read("coordinator", parseNodeName),
    validUntil: columns.count("last_block"),
    length: columns.count("length"),
    signature: columns.text("signature"),
    firstIntent: columns.read("first_intent", parseIntentId),
  };
}

function checksumOf(digest: Digest, text: string): number {
  return crc32(text, crc32(digest));
}
