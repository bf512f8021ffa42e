import type { IntentId, NodeName } from "../../protocol/ids.ts";
import type { SimulatedLedger } from "../chain-rpc/ledger.ts";
import type { ChainTransaction } from "../chain-rpc/transaction.ts";
import type { FaultCounter } from "../faults.ts";
import type { Queue } from "../queue.ts";
import { Random } from "../random.ts";
import { executionIn } from "./adversary/submissions.ts";
import type { WholeSettings } from "./settings.ts";
import type { WholeGroup, WholeUsers } from "./users.ts";
import type { Wish } from "./wishes.ts";

/** For so many blocks after its last one a bundle can be put into an earlier block. */
const BLOCKS_BACK_MAX = 40;
/** Pairs of intents in each group. */
const PAIRS = 3;
/** How soon blocks are replaced when somebody was told that an intent is reverted. */
const PAUSE_MS_MAX = 200;

interface TrapPorts {
  readonly queue: Queue;
  readonly faults: FaultCounter;
  readonly ledger: SimulatedLedger;
  readonly users: WholeUsers;
  readonly liars: ReadonlySet<NodeName>;
  /** Whether things go wrong at the moment. */
  readonly isFaulty: () => boolean;
  /** A node is down for so long. */
  readonly crash: (name: NodeName, ms: number) => void;
  /** The last blocks are replaced. */
  readonly replace: (depth: number) => void;
}

/** An intent, and another one that is possible only with it. */
interface Pair {
  readonly group: WholeGroup;
  readonly call: Parameters<WholeUsers["call"]>[2];
  readonly first: Wish;
  readonly other: NodeName;
  second: Wish | undefined;
  /** The last blocks for their bundles, as far as they wait to be mined. */
  firstUntil: number;
  secondUntil: number;
  /** The second has ended as reverted: both get into a block now. */
  isSprung: boolean;
}

/** Of transactions that are no transitions. */
const nothing = { intents: [] as readonly string[], validUntil: 0 };

/**
 * Miners who contradict a receipt. They leave out the bundles of two intents of which the second builds on the first. The node of the
 * first crashes, both bundles become invalid, and the second intent ends as reverted: then the last blocks are replaced by others, early
 * enough for both bundles.
 */
export class Trap {
  readonly #settings: Pick<WholeSettings, "blockMs" | "spanMs">;
  readonly #ports: TrapPorts;
  readonly #random: Random;
  readonly #pairs = new Set<Pair>();

  constructor(
    settings: Pick<WholeSettings, "seed" | "blockMs" | "spanMs">,
    ports: TrapPorts,
  ) {
    this.#settings = settings;
    this.#ports = ports;
    this.#random = new Random(settings.seed, "trap of users");
  }

  /** Now and then, while things go wrong, in every group where two intents can build on each other. */
  start(groups: readonly WholeGroup[]): void {
    const { queue } = this.#ports;
    const { spanMs } = this.#settings;
    for (const group of groups)
      for (let i = 0; i < PAIRS; i++)
        queue.after((i * spanMs) / PAIRS, () => {
          this.#add(group);
        });
  }

  #add(group: WholeGroup): void {
    const { liars, users } = this.#ports;
    const { endorsers, members, threshold, trial } = group;
    const honest = members.filter((name) => !liars.has(name));
    const [first, other] = this.#random.shuffle(honest);
    const calls = trial.drawPair?.(this.#random);
    const goesOn = endorsers.length > threshold;
    if (first === undefined || other === undefined || !goesOn) return;
    if (calls === undefined) return;
    this.#pairs.add({
      group,
      other,
      call: calls[1],
      first: users.call(group, first, calls[0]),
      second: undefined,
      firstUntil: 0,
      secondUntil: 0,
      isSprung: false,
    });
  }

  /** Looks at what waits before a block is made. */
  look(): void {
    if (this.#pairs.size === 0) return;
    for (const transaction of this.#ports.ledger.mempool.transactions) {
      const { intents, validUntil } = executionIn(transaction) ?? nothing;
      for (const pair of this.#pairs) {
        if (intents.includes(this.#idOf(pair.first)))
          this.#leaveFirst(pair, validUntil);
        if (intents.includes(this.#idOf(pair.second)))
          this.#leaveSecond(pair, validUntil);
      }
    }
  }

  /** Whether a block may have a transaction that waits. */
  mayInclude(transaction: ChainTransaction): boolean {
    if (this.#pairs.size === 0 || !this.#ports.isFaulty()) return true;
    const { intents, validUntil } = executionIn(transaction) ?? nothing;
    for (const pair of this.#pairs) {
      const isFirst = intents.includes(this.#idOf(pair.first));
      if (!isFirst && !intents.includes(this.#idOf(pair.second))) continue;
      if (this.#ports.ledger.head.number > validUntil + BLOCKS_BACK_MAX)
        return true;
      // Of several bundles with the same intent, the second intent builds on one.
      return (
        pair.isSprung &&
        validUntil === (isFirst ? pair.firstUntil : pair.secondUntil)
      );
    }
    return true;
  }

  /** A node says that an intent has ended as reverted. */
  reverted(id: IntentId): void {
    const { queue, ledger, faults, isFaulty, replace } = this.#ports;
    for (const pair of this.#pairs) {
      if (id !== this.#idOf(pair.second) || pair.secondUntil === 0) continue;
      queue.after(this.#random.below(PAUSE_MS_MAX), () => {
        const last = Math.min(pair.firstUntil, pair.secondUntil);
        if (!isFaulty()) return;
        faults.count("receipt-contradicted");
        pair.isSprung = true;
        replace(Math.max(1, ledger.head.number - last + 1));
        this.#pairs.delete(pair);
      });
    }
  }

  #leaveFirst(pair: Pair, validUntil: number): void {
    if (pair.secondUntil > 0 || validUntil <= pair.firstUntil) return;
    pair.firstUntil = validUntil;
    if (pair.second !== undefined) return;
    const { users } = this.#ports;
    this.#ports.faults.count("bundle-left-out");
    pair.second = users.call(pair.group, pair.other, pair.call);
  }

  /** The node of the first intent is not there to try it again. */
  #leaveSecond(pair: Pair, validUntil: number): void {
    if (pair.secondUntil > 0) return;
    pair.secondUntil = validUntil;
    const { crash, faults, ledger } = this.#ports;
    faults.count("bundle-left-out");
    const blocks = validUntil - ledger.head.number + BLOCKS_BACK_MAX / 2;
    crash(pair.first.node, blocks * this.#settings.blockMs);
  }

  /** The intent of a wish, also when its node is down. */
  #idOf(wish: Wish | undefined): string {
    return (wish && this.#ports.users.intentIdOf(wish)) ?? "";
  }
}
