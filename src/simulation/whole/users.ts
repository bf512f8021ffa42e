import type { UserBook } from "../../api/book.ts";
import {
  type GroupAddress,
  type IntentId,
  type NodeName,
  parseIntentId,
} from "../../protocol/ids.ts";
import type { NewWork, Settlement } from "../../node/service.ts";
import type { DrawCall, DrawnCall, Trial } from "../domains/trial.ts";
import type { FaultCounter } from "../faults.ts";
import type { Queue } from "../queue.ts";
import type { Random } from "../random.ts";
import { violation } from "../violation.ts";
import { UserClient } from "./client.ts";
import type { SimulatedHost } from "./host.ts";
import type { Watch } from "./watch/watch.ts";
import type { Wish } from "./wishes.ts";

/** A group of the run, and what its users do. */
export interface WholeGroup {
  readonly trial: Trial;
  readonly address: GroupAddress;
  readonly members: readonly NodeName[];
  readonly endorsers: readonly NodeName[];
  readonly threshold: number;
  /** What the first member does before anything else makes sense. */
  readonly setupCalls: readonly DrawnCall[];
  readonly draw: DrawCall;
}

/** An intent that a node took. */
export interface Taken {
  readonly node: NodeName;
  readonly group: GroupAddress;
  readonly payload: string;
}

interface UsersPorts {
  readonly random: Random;
  readonly queue: Queue;
  readonly faults: FaultCounter;
  readonly isDisturbed: () => boolean;
  /** Whether the chain has told every node the truth up to now, and never took a block back. */
  readonly isFinal: () => boolean;
  /** Whether a node does not lie: nobody else is promised anything. */
  readonly isHonest: (name: NodeName) => boolean;
  readonly say: (name: NodeName, what: string) => void;
  readonly watch: Watch;
  readonly fail: (error: unknown) => void;
}

/** How often a user looks whether something has happened that his call builds on. */
const WAITS_MAX = 200;

/** The users of all nodes: what they ask for, what they were promised, and what they were told. */
export class WholeUsers {
  readonly taken = new Map<IntentId, Taken>();
  readonly wishes: Wish[] = [];
  readonly #clients = new Map<NodeName, UserClient>();
  readonly #hosts = new Map<NodeName, SimulatedHost>();
  readonly #wishesOf = new Map<string, Wish>();
  readonly #waited = new Map<Wish, number>();
  readonly #intents = new Map<Wish, IntentId>();
  /** Transactions that have ended, as far as anybody has seen. */
  readonly #ended = new Map<IntentId, Settlement["outcome"]["type"]>();
  readonly #ports: UsersPorts;

  constructor(ports: UsersPorts) {
    this.#ports = ports;
  }

  serve(host: SimulatedHost): void {
    this.#hosts.set(host.name, host);
    this.#clients.set(
      host.name,
      new UserClient({
        ...this.#ports,
        host,
        fail: (error) => {
          if (this.#ports.isHonest(host.name)) this.#ports.fail(error);
        },
        requestOf: (wish) => this.#requestOf(wish),
        onAccepted: (wish, id) => {
          this.#accept(wish, id);
        },
      }),
    );
  }

  /** Somebody wants something of a node, which may be down. */
  wish(group: WholeGroup, node: NodeName): void {
    const { random } = this.#ports;
    const standIn = drawId(random);
    const call = group.draw(random, { id: standIn, node });
    // Nobody would resume it.
    if (call.mayPark !== true) this.#want(group, node, { standIn, call });
  }

  /** Somebody wants just this of a node. */
  call(group: WholeGroup, node: NodeName, call: DrawnCall): Wish {
    return this.#want(group, node, {
      standIn: drawId(this.#ports.random),
      call,
    });
  }

  setUp(group: WholeGroup): void {
    const [first] = group.members;
    if (first === undefined) return;
    for (const call of group.setupCalls)
      this.#want(group, first, { standIn: drawId(this.#ports.random), call });
  }

  #want(
    group: WholeGroup,
    node: NodeName,
    { standIn, call }: Pick<Wish, "standIn" | "call">,
  ): Wish {
    const key = `wish-${this.wishes.length + 1}`;
    const wish: Wish = {
      key,
      group,
      node,
      standIn,
      call,
      attempts: 0,
      problem: undefined,
      id: undefined,
      isOver: false,
    };
    this.wishes.push(wish);
    this.#wishesOf.set(standIn, wish);
    this.#clients.get(node)?.ask(wish);
    return wish;
  }

  /** A node takes intents. Whether they are on its disk is another question. */
  take(node: NodeName, { intents }: NewWork): void {
    for (const { id, group, payload } of intents)
      this.taken.set(id, { node, group, payload });
  }

  /** A node says in a commit that an intent is over. */
  settle(node: NodeName, { intentId, outcome }: Settlement): void {
    const taken = this.taken.get(intentId);
    if (taken === undefined) return;
    if (taken.node !== node)
      throw violation("S14", intentId, `is settled by ${node}`);
    this.#ended.set(intentId, outcome.type);
    this.#ports.say(node, `settles ${intentId} ${outcome.type}`);
  }

  takeBack(node: NodeName, transactionId: string): void {
    this.#clients.get(node)?.told.takeBack(transactionId);
  }

  started(node: NodeName, book: UserBook): void {
    try {
      this.#clients.get(node)?.started(book);
    } catch (error) {
      if (this.#ports.isHonest(node)) this.#ports.fail(error);
    }
  }

  /** The disk of a node is gone, and with it all that it promised. */
  release(node: NodeName): void {
    this.#clients.get(node)?.forget();
    for (const wish of this.wishes)
      if (wish.node === node && wish.attempts > 0) wish.isOver = true;
  }

  /** Promised or still asked for, and without a receipt that its user has. */
  open(): readonly Wish[] {
    return this.wishes.filter(
      (wish) =>
        !wish.isOver &&
        this.#ports.isHonest(wish.node) &&
        (wish.id === undefined || this.intentOf(wish).outcome === undefined),
    );
  }

  /** Nodes whose listeners did not get everything. */
  uninformed(): readonly NodeName[] {
    return [...this.#hosts.values()].flatMap(({ name, book }) =>
      !this.#ports.isHonest(name) ||
      (book !== undefined &&
        this.#clients.get(name)?.told.hasAll(book) === true)
        ? []
        : [name],
    );
  }

  /** Wishes that were promised something. */
  promised(): readonly Wish[] {
    return this.wishes.filter(
      ({ isOver, node }) => !isOver && this.#ports.isHonest(node),
    );
  }

  /** The intent of a wish, and how it ended, as its node has it on its disk. */
  intentOf({ id, node }: Wish): {
    readonly id: IntentId | undefined;
    readonly outcome: Settlement["outcome"]["type"] | undefined;
  } {
    const book = this.#hosts.get(node)?.book;
    if (id === undefined || book === undefined)
      return { id: undefined, outcome: undefined };
    const receipt = book.receipts.byTransaction(id);
    const outcome = receipt?.isSuccess === true ? "Confirmed" : "Reverted";
    return {
      id: parseIntentId(book.transactions.byId(id)?.intentId),
      outcome: receipt === undefined ? undefined : outcome,
    };
  }

  /** The intent of a wish, as far as its node ever said, also when that is down. */
  intentIdOf(wish: Wish): IntentId | undefined {
    const known = this.#intents.get(wish) ?? this.intentOf(wish).id;
    if (known !== undefined) this.#intents.set(wish, known);
    return known;
  }

  count(type: Settlement["outcome"]["type"]): number {
    return [...this.#ended.values()].filter((one) => one === type).length;
  }

  #accept(wish: Wish, id: string): void {
    wish.id = id;
    this.#ports.say(wish.node, `accepts ${wish.key} as ${id}`);
  }

  /** As the user writes it, with the ids that it refers to; undefined as long as they are not known. */
  #requestOf(wish: Wish): object | undefined {
    const { call, group, key, node } = wish;
    const others = (call.after ?? []).map((id) => this.#wishesOf.get(id));
    if (others.some((other) => other?.isOver !== false)) {
      wish.isOver = true;
      return undefined;
    }
    const text = JSON.stringify(call.args).replaceAll(
      /0x5ead[0-9a-f]{60}/g,
      (standIn) => this.#intentIdOf(standIn) ?? standIn,
    );
    const isEarly = others.some((other) => other?.id === undefined);
    if (isEarly || text.includes("0x5ead")) {
      this.#wait(wish);
      return undefined;
    }
    const own = others.filter((other) => other?.node === node);
    return {
      type: "private",
      from: call.from,
      to: group.address,
      abi: group.trial.domain.abi,
      function: call.signature,
      data: JSON.parse(text) as unknown,
      idempotencyKey: key,
      dependsOn: own.flatMap((other) => other?.id ?? []),
    };
  }

  #wait(wish: Wish): void {
    const times = (this.#waited.get(wish) ?? 0) + 1;
    this.#waited.set(wish, times);
    if (times > WAITS_MAX) wish.isOver = true;
  }

  #intentIdOf(standIn: string): IntentId | undefined {
    const wish = this.#wishesOf.get(standIn);
    return wish && this.intentOf(wish).id;
  }
}

/** An id that no intent has. */
function drawId(random: Random): IntentId {
  const words = Array.from({ length: 8 }, () =>
    random.word().toString(16).padStart(8, "0"),
  );
  const id = parseIntentId(`0x5ead${words.join("").slice(4)}`);
  if (id === undefined) throw new Error("Invalid intent id.");
  return id;
}
