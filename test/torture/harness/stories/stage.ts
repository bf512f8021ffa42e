import path from "node:path";

import {
  parseGroupAddress,
  parseNodeName,
} from "../../../../src/protocol/ids.ts";
import { type Ranking, rankingOf } from "../../../../src/protocol/selection.ts";
import type { FailPoint } from "../processes/fail-points.ts";
import { check } from "../checker/check.ts";
import type { Violation } from "../checker/violation.ts";
import { createTokenGroup, type TokenGroup } from "../clients/group.ts";
import { collect } from "../collect.ts";
import { collectTransitions } from "../evidence/collect-ledger.ts";
import type { ProcessExit } from "../evidence/evidence.ts";
import { ask } from "../network/rpc.ts";
import type { Supervisor } from "../processes/supervisor.ts";
import { until } from "../processes/until.ts";
import { openWorld, type World } from "../world.ts";
import { Bank, type Transfer } from "./bank.ts";
import { durableOn } from "./durable.ts";

/** What a node says of the group. */
export interface Status {
  readonly height: number;
  readonly coordinator: string;
  readonly active?: string;
  /** How long that one has been silent, as the node counts time. */
  readonly heartbeatAgeMs?: number;
  readonly ranking: readonly string[];
  readonly range: number;
  readonly own: Readonly<Record<string, number>>;
}

/** What a stage is like. */
export interface StageOptions {
  readonly outDir: string;
  readonly nodes: number;
  readonly threshold: number;
  readonly rangeSizeBlocks: number;
  readonly settings: { readonly heartbeatMs: number } & Readonly<
    Record<string, number>
  >;
}

const BLOCK_MS = 500;
const DEADLINE_MS = 240_000;

/** Nodes on which stories are played, one after the other. */
export class Stage {
  readonly world: World;
  readonly group: TokenGroup;
  readonly bank: Bank;
  readonly #options: StageOptions;

  private constructor(
    options: StageOptions,
    ports: { readonly world: World; readonly group: TokenGroup },
  ) {
    const { world, group } = ports;
    this.#options = options;
    this.world = world;
    this.group = group;
    this.bank = new Bank({ nodes: world.nodes.values(), group });
  }

  static async open(options: StageOptions): Promise<Stage> {
    const { outDir, rangeSizeBlocks, settings, threshold } = options;
    const world = await openWorld({
      nodes: options.nodes,
      outDir,
      blockMs: BLOCK_MS,
      settings: { policy: "rotating", rangeSizeBlocks, ...settings },
    });
    try {
      const nodes = [...world.nodes.values()];
      const group = await createTokenGroup(nodes, threshold);
      const stage = new Stage(options, { world, group });
      await stage.bank.mint(nodes[0]?.name ?? "");
      return stage;
    } catch (error) {
      await world.stop();
      throw error;
    }
  }

  node(name: string): Supervisor {
    const node = this.world.nodes.get(name);
    if (node === undefined) throw new Error(`There is no node ${name}.`);
    return node;
  }

  /** Nodes that run now. */
  get up(): readonly string[] {
    const { nodes } = this.world;
    return [...nodes.keys()].filter((name) => this.node(name).isUp);
  }

  async status(name: string): Promise<Status> {
    const question = { method: "sequencer_status", params: [] };
    const { height, groups } = await ask<{
      readonly height: number;
      readonly groups: readonly (Status & { readonly address: string })[];
    }>(this.node(name).url, question);
    const own = groups.find(({ address }) => address === this.group.address);
    if (own === undefined) throw new Error(`${name} is not in the group.`);
    return { ...own, height };
  }

  /** Resolves when a node is as wanted. */
  async see(
    name: string,
    what: string,
    isSo: (status: Status) => boolean,
  ): Promise<Status> {
    return await until(
      { what: `${name} ${what}`, deadlineMs: DEADLINE_MS },
      async () => {
        const status = await this.status(name);
        return isSo(status) ? status : undefined;
      },
    );
  }

  /** Makes the blocks up to the beginning of the next range, whatever nodes see. Gives its number. */
  async crossBoundary(): Promise<number> {
    const { chain } = this.world;
    const { rangeSizeBlocks } = this.#options;
    const range = Math.floor((await chain.height()) / rangeSizeBlocks) + 1;
    await chain.mineTo(range * rangeSizeBlocks);
    return range;
  }

  /**
   * Goes to the beginning of a range: the next one, or one after which another node comes first, or in which a given one does.
   * Gives the ranking, on which all nodes agree.
   */
  async freshRange(wanted: {
    readonly isBeforeChange?: boolean;
    readonly first?: string;
  }): Promise<readonly string[]> {
    const { chain } = this.world;
    const { rangeSizeBlocks } = this.#options;
    const firstOf = (range: number): string | undefined =>
      this.#ranking()(range)[0];
    const isWanted = (range: number): boolean =>
      (wanted.first === undefined || firstOf(range) === wanted.first) &&
      (wanted.isBeforeChange !== true || firstOf(range) !== firstOf(range + 1));
    let range = Math.floor((await chain.height()) / rangeSizeBlocks) + 1;
    while (!isWanted(range)) range += 1;
    await chain.mineTo(range * rangeSizeBlocks);
    const seen = await Promise.all(
      this.up.map((name) =>
        this.see(name, `is in range ${range}`, (own) => own.range === range),
      ),
    );
    const rankings = new Set(seen.map(({ ranking }) => ranking.join(" ")));
    const [ranking] = seen;
    if (ranking === undefined || rankings.size !== 1)
      throw new Error(`Nodes rank differently: ${[...rankings].join("; ")}`);
    return ranking.ranking;
  }

  /** How the next range will be ranked. */
  async rankingAhead(): Promise<readonly string[]> {
    const height = await this.world.chain.height();
    const { rangeSizeBlocks } = this.#options;
    return this.#ranking()(Math.floor(height / rangeSizeBlocks) + 1);
  }

  /** Does something while the chain makes no blocks, so that ranges stay as they are. */
  async withoutBlocks(work: () => Promise<void>): Promise<void> {
    const resume = await this.world.chain.pauseMining();
    try {
      await work();
    } finally {
      await resume();
    }
  }

  /** Starts a node again, so that it dies at a point. */
  async arm(name: string, point: FailPoint): Promise<void> {
    await this.withoutBlocks(async () => {
      await this.node(name).kill();
      await this.node(name).startToDie(point);
    });
  }

  /** Resolves with how an armed node ended. */
  async death(name: string): Promise<ProcessExit> {
    return await until(
      { what: `${name} dies`, deadlineMs: DEADLINE_MS },
      () => {
        if (this.node(name).isUp) return undefined;
        const last = this.world.exits.entries.findLast(
          ({ node }) => node === name,
        );
        return last?.cause === "fail-point" ? last : undefined;
      },
    );
  }

  /** What a node that is down has of what is open. */
  durableOn(name: string): readonly string[] {
    const file = path.join(this.world.folderOf(name), "node.db");
    return durableOn({ file, group: this.group.address });
  }

  /** Who has dispatched since then, in order, each as often as it did. */
  dispatchersSince(mark: number): readonly string[] {
    return this.world.facts.entries
      .slice(mark)
      .filter(({ event }) => event === "bundle-dispatched")
      .map(({ node }) => node);
  }

  /** The place in what nodes have logged so far. */
  get mark(): number {
    return this.world.facts.entries.length;
  }

  /** All of these end well, once; and all nodes that are up have the same balances afterwards. */
  async endsWell(transfers: readonly Transfer[]): Promise<void> {
    await this.bank.confirmed(transfers);
    await this.bank.agreed(this.up);
    const transitions = await collectTransitions(
      this.world.chain,
      this.group.address,
    );
    const intents = transitions.flatMap((one) => one.intents);
    const once = new Set(intents);
    if (once.size !== intents.length || once.size !== this.bank.count)
      throw new Error(
        `${this.bank.count} intents were confirmed, and the ledger has ${once.size} in ${intents.length} places.`,
      );
  }

  /** To look ahead. What is so now, nodes say themselves. */
  #ranking(): Ranking {
    const contract = parseGroupAddress(this.group.address);
    if (contract === undefined) throw new Error("The group has no address.");
    const committee = [...this.world.nodes.keys()].flatMap(
      (name) => parseNodeName(name) ?? [],
    );
    return rankingOf({ committee, contract });
  }

  /** Stops everything, and checks all that is left. */
  async close(): Promise<readonly Violation[]> {
    try {
      const { answers } = this.bank;
      const { group, world } = this;
      return check({
        nodes: [...world.nodes.keys()],
        unfinished: "",
        answers,
        faults: [],
        replaced: [],
        failures: [],
        ...(await collect(world, { group, answers, isAtRest: true })),
      });
    } finally {
      await this.world.stop();
    }
  }
}
