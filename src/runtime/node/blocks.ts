import type { Event } from "../../protocol/events.ts";
import type { GroupAddress } from "../../protocol/ids.ts";
import { indexerDefaults } from "../ledger/indexer/ports.ts";
import type { Submitter } from "../ledger/submitter/submitter.ts";
import type { IndexedBlock, IndexedTransition } from "../ports.ts";
import type { Store } from "../store/store.ts";
import type { CatchUp } from "./catch-up.ts";
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
  readonly submitter: Pick<Submitter, "sent">;
  readonly roster: Pick<Roster, "find" | "loaded">;
  readonly pulse: Pulse<GroupRunner>;
  /** Told after the commit. */
  readonly onBlocks: (blocks: readonly IndexedBlock[]) => void;
  readonly onReverted: (height: number) => void;
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
          this.#feed(turn, runner, last.number, []);
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
  }: IndexedBlock): ReadonlyMap<GroupRunner, readonly IndexedTransition[]> {
    const changed = new Map<GroupRunner, IndexedTransition[]>();
    for (const transition of transitions) {
      const runner = this.#ports.roster.find(transition.group);
      if (runner?.isCaughtUp !== true) continue;
      const own = changed.get(runner);
      if (own === undefined) changed.set(runner, [transition]);
      else own.push(transition);
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
      for (const { number, transitions } of blocks) {
        turn.writes.push(() => {
          for (const transition of transitions)
            if (transition.group === group)
              store.blocks.backfill({ ...transition, block: number });
        });
        const own = transitions.filter((one) => one.group === group);
        this.#feed(turn, runner, number, own);
      }
      this.#feed(turn, runner, through, []);
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

  /** Blocks above `height` never happened. */
  async revert(height: number): Promise<void> {
    const { store, deeds, users, catchUp, submitter, pulse } = this.#ports;
    await this.#inTurn((turn) => {
      const removed = store.blocks.transitionsAbove(height);
      const runners = this.#concernedBy(removed);
      turn.writes.push(() => {
        store.blocks.revertTo(height);
        store.states.revertTo(height);
        users.unsettlePublic(
          height,
          (digest) => submitter.sent(digest) !== undefined,
        );
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
        const reopened = store.records.confirmedAbove(address, height);
        const effects = runner.handle({
          type: "BlocksReverted",
          height,
          facts: own.map((transition) => runner.deedOf(transition)),
          reopened,
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
    own: readonly IndexedTransition[],
  ): void {
    const deeds = own.map((transition) => runner.deedOf(transition));
    const { address } = runner.stored;
    const contradicted = this.#ports.store.records.revertedAmong(
      address,
      own.flatMap(({ intents }) => intents),
    );
    const event: Event = {
      type: "BlockSeen",
      height,
      facts: deeds,
      contradicted,
    };
    if (own.length > 0)
      turn.writes.push(() => {
        runner.apply(deeds, height);
      });
    this.#ports.deeds.collect(turn, runner, runner.handle(event));
    if (own.length > 0)
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
