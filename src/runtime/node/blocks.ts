import type { Event } from "../../protocol/events.ts";
import type { GroupAddress } from "../../protocol/ids.ts";
import type { BlockReference } from "../ledger/indexer/fork.ts";
import { indexerDefaults } from "../ledger/indexer/ports.ts";
import type { Submitter } from "../ledger/submitter/submitter.ts";
import type {
  IndexedBlock,
  IndexedCommittee,
  IndexedTransition,
} from "../ports.ts";
import type { Store } from "../store/store.ts";
import type { CatchUp } from "./catch-up.ts";
import type { CommitteeFeed } from "./committee-feed.ts";
import type { Deeds } from "./deeds.ts";
import type { GroupRunner } from "./group-runner.ts";
import type { NodePorts } from "./ports.ts";
import type { Pulse } from "./pulse.ts";
import type { Roster } from "./roster.ts";
import type { Turn, Turns } from "./turns.ts";

/** Blocks whose hashes are kept, to find out where another chain begins. */
const HASHES_KEPT = 1_024;

interface BlockFeedPorts extends Pick<NodePorts, "users"> {
  readonly store: Store;
  readonly turns: Turns;
  readonly deeds: Pick<Deeds, "collect">;
  readonly catchUp: Pick<CatchUp, "askAtOnce" | "release" | "releaseAll">;
  readonly committees: Pick<CommitteeFeed, "follow" | "takeBack">;
  readonly submitter: Pick<Submitter, "reopenAbove">;
  readonly roster: Pick<Roster, "find" | "loaded">;
  readonly pulse: Pulse<GroupRunner>;
  /** Told after the commit. */
  readonly onBlocks: (blocks: readonly IndexedBlock[]) => void;
  readonly onReverted: (height: number) => void;
}

/** What one block did to one group. */
interface GroupChanges {
  readonly transitions: IndexedTransition[];
  /** The last change of its committee in the block. */
  committee: IndexedCommittee | undefined;
}

/** Takes what the indexer finds to the store and to the groups, all of it in one commit. */
export class BlockFeed {
  readonly #ports: BlockFeedPorts;

  constructor(ports: BlockFeedPorts) {
    this.#ports = ports;
  }

  /** Resolves when the blocks are on disk. */
  async take(blocks: readonly IndexedBlock[]): Promise<void> {
    const { store, catchUp, pulse, onBlocks } = this.#ports;
    const last = blocks.at(-1);
    if (last === undefined) return;
    await this.#inTurn((turn) => {
      for (const block of blocks) {
        turn.writes.push(() => {
          store.blocks.add(block);
        });
        for (const [runner, own] of this.#changedBy(block))
          this.#feed(turn, runner, block.number, own);
      }
      // To the others it is all the same how many blocks there were.
      for (const runner of [...pulse.awake])
        if (runner.isCaughtUp && runner.height < last.number)
          this.#feed(turn, runner, last.number, noChanges());
      pulse.height = last.number;
      turn.writes.push(() => {
        store.blocks.prune(last.number - HASHES_KEPT);
        store.bundles.prune(last.number - indexerDefaults.reorgDepthMax);
      });
      turn.deeds.push(() => {
        onBlocks(blocks);
        catchUp.releaseAll();
      });
    });
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

  /** The past of a group that was joined late. */
  async takeHistory(
    group: GroupAddress,
    blocks: readonly IndexedBlock[],
    through: number,
  ): Promise<void> {
    const { store, roster, catchUp } = this.#ports;
    const runner = roster.find(group);
    if (runner === undefined) return;
    await this.#inTurn((turn) => {
      for (const { number, transitions: all, committees = [] } of blocks) {
        const transitions = all.filter((one) => one.group === group);
        const committee = committees.findLast((one) => one.group === group);
        turn.writes.push(() => {
          for (const transition of transitions)
            store.blocks.backfill({ ...transition, block: number });
        });
        this.#feed(turn, runner, number, { transitions, committee });
      }
      this.#feed(turn, runner, through, noChanges());
      turn.writes.push(() => {
        runner.stored = { ...runner.stored, historyThrough: through };
        store.groups.save(runner.stored);
      });
      turn.deeds.push(() => {
        catchUp.release(runner);
      });
    });
  }

  /** From now on the group is fed like the others. */
  async finishHistory(runner: GroupRunner): Promise<void> {
    const { store } = this.#ports;
    await this.#inTurn((turn) => {
      turn.writes.push(() => {
        runner.stored = { ...runner.stored, historyThrough: undefined };
        store.groups.save(runner.stored);
      });
      turn.deeds.push(() => {
        runner.isCaughtUp = true;
      });
    });
  }

  /** Blocks above `height` never happened. The anchor is the last one that stays, where nothing else is remembered. */
  async revert(height: number, anchor?: BlockReference): Promise<void> {
    const { store, deeds, users, catchUp, committees, submitter, pulse } =
      this.#ports;
    await this.#inTurn((turn) => {
      const removed = store.blocks.transitionsAbove(height);
      const changed = store.groups
        .list()
        .flatMap(({ address: group, since }) =>
          since > height ? [{ group }] : [],
        );
      const runners = this.#concernedBy([...removed, ...changed]);
      turn.writes.push(() => {
        store.blocks.revertTo(height, anchor);
        store.states.revertTo(height);
        users.unsettlePublic(height);
        submitter.reopenAbove(height);
        for (const runner of runners) {
          runner.book.reload();
          const { historyThrough } = runner.stored;
          if (historyThrough === undefined || historyThrough <= height)
            continue;
          runner.stored = { ...runner.stored, historyThrough: height };
          store.groups.save(runner.stored);
        }
      });
      for (const runner of runners) {
        const { address } = runner.stored;
        const own = removed.filter(({ group }) => group === address);
        runner.wake();
        if (runner.sequencer.height <= height) continue;
        const committee = committees.takeBack(turn, runner, height);
        const reopened = store.records.confirmedAbove(address, height);
        const effects = runner.handle({
          type: "BlocksReverted",
          height,
          facts: own.map((transition) => runner.deedOf(transition)),
          reopened,
          committee,
        });
        turn.writes.push(() => {
          const intentIds = reopened.map(({ intent }) => intent.id);
          users.unsettle({ group: address, intentIds });
        });
        deeds.collect(turn, runner, effects);
      }
      pulse.height = height;
      turn.deeds.push(() => {
        this.#ports.onReverted(height);
        catchUp.releaseAll();
      });
    });
  }

  /** Whom it concerns that transitions never happened. To others, who are on the disk, nothing did. */
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
    turn: Turn,
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
      turn.writes.push(() => {
        runner.apply(deeds, height);
      });
    const committee =
      changes.committee &&
      committees.follow(turn, runner, changes.committee, {
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
    this.#ports.deeds.collect(turn, runner, runner.handle(event));
    if (deeds.length > 0)
      turn.deeds.push(() => {
        this.#ports.catchUp.askAtOnce(runner);
      });
  }

  async #inTurn(run: (turn: Turn) => void): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#ports.turns.add({
        isAlone: true,
        onDropped: () => {
          reject(new Error("The node has stopped."));
        },
        run: (turn) => {
          run(turn);
          turn.deeds.push(resolve);
        },
      });
    });
  }
}

function noChanges(): GroupChanges {
  return { transitions: [], committee: undefined };
}
