import type { Hashing } from "../protocol/config.ts";
import type { Effect } from "../protocol/effects.ts";
import type { Digest, NodeName } from "../protocol/ids.ts";
import type { MessageOf } from "../protocol/messages.ts";
import { digestOf } from "../protocol/outline.ts";
import type { DispatchRecord, EndorsedRecord } from "../protocol/records.ts";
import type { Sequencer } from "../protocol/sequencer.ts";
import { isOver } from "./disk.ts";
import type { SimulatedNode } from "./node.ts";
import { violation } from "./violation.ts";

/** S45: whoever endorsed a bundle can produce its content for as long as it can still happen. */
export class Keeping {
  readonly #hashing: Hashing;
  /** Signatures that left a node, and the last blocks in which they are of use. */
  readonly #given = new Map<NodeName, Map<Digest, number>>();

  constructor(options: { readonly hashing: Hashing }) {
    this.#hashing = options.hashing;
  }

  /** A signature is about to leave. */
  performing(node: SimulatedNode, effect: Effect): void {
    if (effect.type !== "Send" || effect.message.type !== "Endorsement") return;
    const { validUntil } = this.#require(node, effect.message);
    const given = this.#given.get(node.name) ?? new Map<Digest, number>();
    this.#given.set(node.name, given.set(effect.message.digest, validUntil));
  }

  /** A coordinator uses its own signature too. */
  dispatching(
    node: SimulatedNode,
    { bundle: { digest }, endorsements }: DispatchRecord,
    effects: readonly Effect[],
  ): void {
    if (!endorsements.some(({ endorser }) => endorser === node.name)) return;
    const isSaved = effects.some(
      (effect) =>
        effect.type === "Save" &&
        effect.record.kind === "endorsed" &&
        effect.record.digest === digest,
    );
    if (!isSaved && endorsedOn(node, digest) === undefined)
      throw violation("S45", digest, `${node.name} signed and did not keep it`);
  }

  /** What it signed is still there, and it knows. */
  started(
    node: SimulatedNode,
    { endorser }: Pick<Sequencer, "endorser">,
  ): void {
    for (const [digest, validUntil] of this.#given.get(node.name) ?? []) {
      if (isOver({ validUntil }, node.disk.prunedAt)) continue;
      if (endorsedOn(node, digest) === undefined)
        throw violation("S45", digest, `${node.name} lost what it signed`);
      if (validUntil >= node.height && !endorser.signed.byDigest.has(digest))
        throw violation("S45", digest, `${node.name} forgot that it signed`);
    }
  }

  #require(
    node: SimulatedNode,
    { digest, signature }: MessageOf<"Endorsement">,
  ): EndorsedRecord {
    const kept = endorsedOn(node, digest);
    if (kept === undefined)
      throw violation("S45", digest, `${node.name} signs what it did not keep`);
    if (digestOf(this.#hashing, kept.bundle) !== digest)
      throw violation("S45", digest, `${node.name} kept another bundle`);
    if (kept.signature !== signature)
      throw violation("S45", digest, `${node.name} signed it differently`);
    return kept;
  }
}

function endorsedOn(
  { disk }: SimulatedNode,
  digest: Digest,
): EndorsedRecord | undefined {
  const record = disk.records.get(`endorsed:${digest}`);
  return record?.kind === "endorsed" ? record : undefined;
}
