import { bundleText } from "../protocol/codec.ts";
import type { GroupAddress } from "../protocol/ids.ts";
import type { SavedRecord } from "../protocol/records.ts";
import { indexerDefaults } from "../chain/indexer/ports.ts";
import type { Submitter } from "../chain/submitter/submitter.ts";
import type { Store } from "../store/store.ts";
import type { Lesson, NodeWrite } from "./node-writes.ts";
import { packedBundle } from "./packed-bundles.ts";
import type { NodePorts } from "./ports.ts";
import { settlementOf, type Settling } from "./settling.ts";
import { submissionOf } from "./submission.ts";

/** Blocks whose hashes are kept, to find out where another chain begins. */
export const HASHES_KEPT = 1_024;

type WriteOf<Type extends NodeWrite["type"]> = Extract<
  NodeWrite,
  { readonly type: Type }
>;

/** Makes the writes of a batch, inside its transaction. */
export class StoreWriter {
  readonly #store: Store;
  readonly #users: NodePorts["users"];
  readonly #submitter: Pick<
    Submitter,
    "reserve" | "reservePublic" | "reopenAbove"
  >;

  constructor(ports: {
    readonly store: Store;
    readonly users: NodePorts["users"];
    readonly submitter: Pick<
      Submitter,
      "reserve" | "reservePublic" | "reopenAbove"
    >;
  }) {
    this.#store = ports.store;
    this.#users = ports.users;
    this.#submitter = ports.submitter;
  }

  readonly apply = (write: NodeWrite): void => {
    const store = this.#store;
    switch (write.type) {
      case "save-record":
        this.#saveRecord(write.group, write.record);
        return;
      case "erase-record":
        store.records.erase(write.group, write.key);
        return;
      case "save-step":
        this.#saveStep(write);
        return;
      case "reserve-dispatch":
        this.#submitter.reserve(submissionOf(write.runner, write.dispatch));
        return;
      case "reserve-public":
        this.#submitter.reservePublic(write.submission);
        return;
      case "record-work":
        write.record();
        return;
      case "settle":
        this.#settle(write.settling);
        return;
      case "unsettle":
        this.#users.unsettle(write);
        return;
      case "add-block":
        store.blocks.add(write.block);
        return;
      case "prune":
        this.#prune(write.height);
        return;
      case "apply-transitions":
        write.runner.apply(write.deeds, write.height);
        return;
      case "backfill":
        for (const transition of write.transitions)
          store.blocks.backfill({ ...transition, block: write.block });
        return;
      case "save-history":
        this.#saveHistory(write);
        return;
      case "revert-blocks":
        this.#revertBlocks(write);
        return;
      case "save-committee":
        this.#saveCommittee(write);
        return;
      case "save-group":
        store.groups.save(write.stored);
        return;
      case "learn-states":
        this.#learn(write.lesson);
        return;
      case "save-peer":
        store.peers.save(write.peer, write.boot);
        return;
    }
  };

  #saveRecord(group: GroupAddress, record: SavedRecord): void {
    const { records, bundles } = this.#store;
    if (record.kind === "endorsed")
      bundles.save(group, record, bundleText(packedBundle(record.bundle)));
    else records.save(group, record);
  }

  /**
   * What a step creates and tells is on its sender's disk before it can happen: nobody else need ever tell it again. An endorser keeps the
   * whole bundle.
   */
  #saveStep({
    group,
    permission,
    step,
    isEndorser,
  }: WriteOf<"save-step">): void {
    const { infos, bundles } = this.#store;
    const { digest } = permission;
    const { intentId } = step;
    infos.save(group, { intentId, digest, infos: step.infos });
    if (!isEndorser) bundles.saveStep(group, permission, step);
  }

  #settle(settling: Settling): void {
    settling.settlement = settlementOf(this.#store, settling);
    this.#users.settle(settling.settlement);
  }

  #prune(height: number): void {
    const { blocks, bundles } = this.#store;
    blocks.prune(height - HASHES_KEPT);
    bundles.prune(height - indexerDefaults.reorgDepthMax);
  }

  #saveCommittee({ runner, isNewEndorser }: WriteOf<"save-committee">): void {
    this.#store.groups.save(runner.stored);
    if (isNewEndorser) runner.book.claim();
  }

  #saveHistory({ runner, through }: WriteOf<"save-history">): void {
    runner.stored = { ...runner.stored, historyThrough: through };
    this.#store.groups.save(runner.stored);
  }

  #revertBlocks({ height, anchor, runners }: WriteOf<"revert-blocks">): void {
    const { blocks, states, groups } = this.#store;
    blocks.revertTo(height, anchor);
    states.revertTo(height);
    this.#users.unsettlePublic(height);
    this.#submitter.reopenAbove(height);
    for (const runner of runners) {
      runner.book.reload();
      const { historyThrough } = runner.stored;
      if (historyThrough === undefined || historyThrough <= height) continue;
      runner.stored = { ...runner.stored, historyThrough: height };
      groups.save(runner.stored);
    }
  }

  #learn(lesson: Lesson): void {
    const { book } = lesson.group;
    for (const { ledgerId, id, content } of lesson.states)
      lesson.isMore = book.learn(ledgerId, { id, content }) || lesson.isMore;
    for (const ledgerId of lesson.foreign) book.renounce(ledgerId);
  }
}
