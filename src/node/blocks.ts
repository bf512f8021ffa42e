import type { Event } from "../protocol/events.ts";
import type { GroupAddress } from "../protocol/ids.ts";
import type {
  IndexedBlock,
  IndexedCommittee,
  IndexedTransition,
} from "../chain/ports.ts";
import type { Store } from "../store/store.ts";
import type { CommitteeFeed } from "./groups/committee-feed.ts";
import { addEffects, type NodeDraft } from "./group-effects.ts";
import type { GroupRunner } from "./group-runner.ts";
import type { GroupSchedule } from "./group-schedule.ts";
import type {
  BlocksIndexed,
  ChainReverted,
  HistoryIndexed,
} from "./node-events.ts";
import type { Roster } from "./roster.ts";
import { HASHES_KEPT } from "./store-writer.ts";

interface BlockFeedPorts {
  readonly store: Pick<Store, "blocks" | "groups" | "records">;
  readonly committees: Pick<CommitteeFeed, "follow" | "takeBack">;
  readonly roster: Pick<Roster, "find" | "loaded">;
  readonly schedule: GroupSchedule<GroupRunner>;
}

/** The changes that one block made to one group. */
interface GroupChanges {
  readonly transitions: IndexedTransition[];
  /** The last change of its committee in the block. */
  committee: IndexedCommittee | undefined;
}

/** Tells groups what the indexer found, and collects what the store keeps of it, all of it in one commit. */
export class BlockFeed {
  readonly #ports: BlockFeedPorts;

  constructor(ports: BlockFeedPorts) {
    this.#ports = ports;
  }

  add(draft: NodeDraft, { blocks, request }: BlocksIndexed): void {
    const { schedule } = this.#ports;
    const last = blocks.at(-1);
    if (last !== undefined) {
      for (const block of blocks) {
        draft.write({ type: "add-block", block });
        for (const [runner, own] of this.#changedBy(block))
          this.#feed(draft, runner, block.number, own);
      }
      // To the others it is all the same how many blocks there were.
      for (const runner of [...schedule.awake])
        if (runner.isCaughtUp && runner.height < last.number)
          this.#feed(draft, runner, last.number, noChanges());
      schedule.height = last.number;
      draft.write({ type: "prune", height: last.number });
      draft.afterCommit({ type: "blocks-added", blocks });
    }
    draft.afterCommit({ type: "answer", request, refusal: undefined });
  }

  /** The groups that a block changes, and what it did to each. */
  #changedBy({
    transitions,
    committees = [],
  }: IndexedBlock): ReadonlyMap<GroupRunner, GroupChanges> {
    const changed = new Map<GroupRunner, GroupChanges>();
    const changesOf = (group: GroupAddress): GroupChanges | undefined => {
      const runner = this.#ports.roster.find(group);
      if (runner?.isCaughtUp !== true) return undefined;
      const known = changed.get(runner) ?? noChanges();
      changed.set(runner, known);
      return known;
    };
    for (const transition of transitions)
      changesOf(transition.group)?.transitions.push(transition);
    for (const committee of committees) {
      const own = changesOf(committee.group);
      if (own !== undefined) own.committee = committee;
    }
    return changed;
  }

  /** Takes a part of the past of a group that was joined late. */
  addHistory(
    draft: NodeDraft,
    { group, blocks, through, request }: HistoryIndexed,
  ): void {
    const runner = this.#ports.roster.find(group);
    if (runner !== undefined) {
      for (const { number, transitions: all, committees = [] } of blocks) {
        const transitions = all.filter((one) => one.group === group);
        const committee = committees.findLast((one) => one.group === group);
        draft.write({ type: "backfill", transitions, block: number });
        this.#feed(draft, runner, number, { transitions, committee });
      }
      this.#feed(draft, runner, through, noChanges());
      draft.write({ type: "save-history", runner, through });
      draft.afterCommit({ type: "release-checks", runner });
    }
    draft.afterCommit({ type: "answer", request, refusal: undefined });
  }

  /** From now on the group is fed like the others. */
  completeHistory(draft: NodeDraft, runner: GroupRunner): void {
    draft.write({ type: "save-history", runner, through: undefined });
    draft.afterCommit({ type: "history-caught-up", runner });
  }

  revert(draft: NodeDraft, { height, anchor, request }: ChainReverted): void {
    const { store, schedule } = this.#ports;
    const removed = store.blocks.transitionsAbove(height);
    const changed = store.groups
      .list()
      .flatMap(({ address: group, since }) =>
        since > height ? [{ group }] : [],
      );
    const runners = this.#concernedBy([...removed, ...changed]);
    draft.write({ type: "revert-blocks", height, anchor, runners });
    for (const runner of runners) {
      const { address } = runner.stored;
      const own = removed.filter(({ group }) => group === address);
      this.#takeBack(draft, runner, height, own);
    }
    schedule.height = height;
    draft.afterCommit({ type: "blocks-reverted", height });
    draft.afterCommit({ type: "answer", request, refusal: undefined });
  }

  #takeBack(
    draft: NodeDraft,
    runner: GroupRunner,
    height: number,
    removed: readonly IndexedTransition[],
  ): void {
    const { store, committees } = this.#ports;
    const { address: group } = runner.stored;
    runner.wake();
    if (runner.sequencer.height <= height) return;
    const committee = committees.takeBack(draft, runner, height);
    const reopened = store.records.confirmedAbove(group, height);
    const effects = runner.handle({
      type: "BlocksReverted",
      height,
      facts: removed.map((transition) => runner.deedOf(transition)),
      reopened,
      committee,
    });
    const intentIds = reopened.map(({ intent }) => intent.id);
    draft.write({ type: "unsettle", group, intentIds });
    addEffects(draft, runner, effects);
  }

  /** The groups in memory, and those of transitions that never happened. For the others, on the disk, nothing changes. */
  #concernedBy(
    removed: readonly Pick<IndexedTransition, "group">[],
  ): ReadonlySet<GroupRunner> {
    const { roster } = this.#ports;
    const runners = new Set(roster.loaded());
    for (const { group } of removed) {
      const runner = roster.find(group);
      if (runner !== undefined) runners.add(runner);
    }
    return runners;
  }

  #feed(
    draft: NodeDraft,
    runner: GroupRunner,
    height: number,
    changes: GroupChanges,
  ): void {
    const { store, committees } = this.#ports;
    const { transitions } = changes;
    const deeds = transitions.map((one) => runner.deedOf(one));
    const contradicted = store.records.revertedAmong(
      runner.stored.address,
      transitions.flatMap(({ intents }) => intents),
    );
    if (deeds.length > 0)
      draft.write({ type: "apply-transitions", runner, deeds, height });
    const committee =
      changes.committee &&
      committees.follow(draft, runner, changes.committee, {
        block: height,
        keepFrom: height - HASHES_KEPT,
      });
    const event: Event = {
      type: "BlockSeen",
      height,
      facts: deeds,
      contradicted,
      committee,
    };
    addEffects(draft, runner, runner.handle(event));
    if (deeds.length > 0) draft.afterCommit({ type: "ask-at-once", runner });
  }
}

function noChanges(): GroupChanges {
  return { transitions: [], committee: undefined };
}
