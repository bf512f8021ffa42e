import { setTimeout } from "node:timers/promises";

import type { Random } from "../../../helpers/random.ts";
import type { Answer, Wish } from "../evidence/evidence.ts";
import type { Journal } from "../evidence/journal.ts";
import type { Desk } from "./desk.ts";

export interface ClientOptions {
  readonly name: string;
  /** Between two wishes. */
  readonly everyMs: number;
  /** Wishes that have not ended; more are not made meanwhile. */
  readonly openMax: number;
}

export interface ClientPorts {
  readonly desks: ReadonlyMap<string, Pick<Desk, "wish" | "receipt">>;
  readonly journal: Journal<Answer>;
  readonly random: Random;
}

/** The one account that all pay from. */
export const POT = "pot";
export const SHOPS = ["shop0", "shop1", "shop2"] as const;

const AGAIN_MS = 500;
const LOOK_MS = 600;

/**
 * Wishes for transfers out of one pot, at nodes by chance. It assumes nothing: who did not answer is asked again, with the same
 * key, until there is an answer.
 */
export class Client {
  readonly #options: ClientOptions;
  readonly #ports: ClientPorts;
  readonly #open = new Set<Promise<void>>();
  readonly #over = new AbortController();
  #count = 0;

  constructor(options: ClientOptions, ports: ClientPorts) {
    this.#options = options;
    this.#ports = ports;
  }

  /** Wishes for one thing, at one node, and resolves when it has ended. */
  async make(wish: Wish): Promise<void> {
    this.#say(wish, { type: "wished", wish });
    const id = await this.#untilAccepted(wish);
    if (id === undefined) return;
    await this.#untilEnded(wish, id);
    // Some ask once more, although they know.
    if (this.#ports.random.chance(0.2)) await this.#untilAccepted(wish);
  }

  /** Makes new wishes until it is told to stop. */
  async run(stop: AbortSignal): Promise<void> {
    const { everyMs, openMax } = this.#options;
    while (!stop.aborted) {
      if (this.#open.size < openMax) {
        const made = this.make(this.#newWish());
        this.#open.add(made);
        void made.finally(() => this.#open.delete(made));
      }
      await setTimeout(everyMs);
    }
  }

  /** Wishes that have not ended. */
  get open(): number {
    return this.#open.size;
  }

  /** Asks no more. */
  async giveUp(): Promise<void> {
    this.#over.abort();
    await Promise.allSettled(this.#open);
  }

  #newWish(): Wish {
    const { random, desks } = this.#ports;
    this.#count += 1;
    return {
      key: `${this.#options.name}-${this.#count}`,
      node: random.pick([...desks.keys()]),
      function: "transfer",
      from: POT,
      to: random.pick(SHOPS),
      amount: 1 + random.below(3),
    };
  }

  /** The id of the transaction; undefined if it was given up. */
  async #untilAccepted(wish: Wish): Promise<string | undefined> {
    while (!this.#over.signal.aborted) {
      const reply = await this.#desk(wish).wish(wish);
      this.#say(wish, reply);
      if (reply.type === "accepted") return reply.id;
      await setTimeout(AGAIN_MS);
    }
    return undefined;
  }

  async #untilEnded(wish: Wish, id: string): Promise<void> {
    while (!this.#over.signal.aborted) {
      try {
        const receipt = await this.#desk(wish).receipt(id);
        if (receipt !== undefined) {
          this.#say(wish, { type: "receipt", receipt });
          return;
        }
      } catch {
        // The node is away. It is asked again.
      }
      await setTimeout(LOOK_MS);
    }
  }

  #desk({ node }: Wish): Pick<Desk, "wish" | "receipt"> {
    const desk = this.#ports.desks.get(node);
    if (desk === undefined) throw new Error(`There is no node ${node}.`);
    return desk;
  }

  #say({ key, node }: Wish, what: AnswerBody): void {
    this.#ports.journal.add({ atMs: Date.now(), key, node, ...what });
  }
}

type AnswerBody = Answer extends infer One
  ? One extends Answer
    ? Omit<One, "atMs" | "key" | "node">
    : never
  : never;
