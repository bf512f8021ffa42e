import path from "node:path";
import { setTimeout } from "node:timers/promises";

import { randomFrom } from "../../helpers/random.ts";
import { Client, POT } from "../../torture/harness/clients/client.ts";
import { Desk } from "../../torture/harness/clients/desk.ts";
import type { TokenGroup } from "../../torture/harness/clients/group.ts";
import type { Answer, Wish } from "../../torture/harness/evidence/evidence.ts";
import { Journal } from "../../torture/harness/evidence/journal.ts";
import { until } from "../../torture/harness/processes/until.ts";
import { MINTED } from "../../torture/harness/settings.ts";
import { DEADLINE_MS } from "./deadline.ts";
import { ReplicaDesk } from "./replica-desk.ts";
import { NODE, type ReplicaWorld } from "./world.ts";

/** How much clients want. */
export interface Load {
  readonly everyMs: number;
  readonly openMax: number;
}

type AnyDesk = Pick<Desk, "wish" | "receipt">;

/** Transactions that are asked for one by one, besides the load. */
const PROBE = "probe-";
const PROBE_EVERY_MS = 20;
/** Who asks a process that is frozen waits until it goes on. */
const PATIENT_MS = 60_000;

/** Clients of all nodes, which take coins out of one pot, and what they were told. */
export class Users {
  readonly answers: Journal<Answer>;
  readonly #group: TokenGroup;
  readonly #urls: readonly string[];
  readonly #desks: ReadonlyMap<string, AnyDesk>;
  readonly #clients: readonly Client[];
  readonly #stop = new AbortController();
  #running: readonly Promise<void>[] = [];
  #probes = 0;
  readonly #asking: Promise<number>[] = [];

  constructor(
    options: {
      readonly group: TokenGroup;
      readonly seed: number;
      readonly load: Load;
    },
    world: ReplicaWorld,
  ) {
    const { group, seed, load } = options;
    const journal = new Journal<Answer>(
      path.join(world.outDir, "answers.jsonl"),
    );
    this.answers = journal;
    this.#group = group;
    const urls = [...world.replicas.values()].map(({ url }) => url);
    this.#urls = urls;
    const ownDesk = (): [string, AnyDesk] => [
      NODE,
      new ReplicaDesk({ urls, group }),
    ];
    const others = [...world.members.values()].map(
      ({ name, url }): [string, AnyDesk] => [name, new Desk({ url, group })],
    );
    this.#desks = new Map([ownDesk(), ...others]);
    this.#clients = [[ownDesk()], [ownDesk()], others].map(
      (desks, index) =>
        new Client(
          { name: `client${index}`, ...load },
          {
            desks: new Map(desks),
            journal,
            random: randomFrom(seed + index),
          },
        ),
    );
  }

  /** Fills the pot, and begins the load. */
  async start(): Promise<void> {
    const [first] = this.#clients;
    await first?.make({
      ...{ key: "mint", node: NODE, function: "mint" },
      ...{ from: undefined, to: POT, amount: MINTED },
    } as const);
    this.#running = this.#clients.map((one) => one.run(this.#stop.signal));
    for (const one of this.#running) one.catch(() => undefined);
  }

  /** Ends the load. Clients wait for what they have asked for. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
  }

  /** They ask no more. */
  async close(): Promise<void> {
    await Promise.all(this.#clients.map((one) => one.giveUp()));
    await Promise.allSettled(this.#asking);
    await this.answers.close();
  }

  /** Resolves with the time at which the node accepts a new transaction, which it is asked for from now on. */
  async accepted(): Promise<number> {
    return await this.#untilAccepted(this.#probe());
  }

  /** Asks one replica for a new transaction; whether it accepts it. If not, the node is asked until it does. */
  async acceptedAt(url: string): Promise<boolean> {
    const wish = this.#probe();
    const desk = new Desk({ url, group: this.#group, timeoutMs: PATIENT_MS });
    const reply = await desk.wish(wish);
    this.#say(wish, reply);
    if (reply.type === "accepted") return true;
    await this.#untilAccepted(wish);
    return false;
  }

  #probe(): Wish {
    const wish: Wish = {
      ...{ key: `${PROBE}${this.#probes++}`, node: NODE },
      ...{ function: "transfer", from: POT, to: "shop0", amount: 1 },
    };
    this.#say(wish, { type: "wished", wish });
    return wish;
  }

  /** Asks at all addresses at once: one that does not answer must not hold up the others. */
  async #untilAccepted(wish: Wish): Promise<number> {
    const over = new AbortController();
    const askAt = async (url: string): Promise<number> => {
      const desk = new Desk({ url, group: this.#group });
      while (!over.signal.aborted) {
        const reply = await desk.wish(wish);
        this.#say(wish, reply);
        if (reply.type === "accepted") return performance.now();
        await setTimeout(PROBE_EVERY_MS);
      }
      throw new Error(`${wish.key} was not asked for any more.`);
    };
    const late = AbortSignal.timeout(DEADLINE_MS);
    late.addEventListener("abort", () => {
      over.abort();
    });
    const asking = this.#urls.map(askAt);
    this.#asking.push(...asking);
    try {
      return await Promise.any(asking);
    } finally {
      over.abort();
    }
  }

  #say({ key, node }: Wish, what: object): void {
    const entry = { atMs: Date.now(), key, node, ...what };
    this.answers.add(entry as Answer);
  }

  /**
   * Resolves when all that they have wished for by now has ended, and `isTold` says that the listener has told of it; earlier if
   * something is wrong already, because what is lost never ends.
   */
  async ended(ports: {
    readonly isTold: (id: string) => boolean;
    readonly isWrong: () => boolean;
  }): Promise<void> {
    const { isTold, isWrong } = ports;
    const keys = new Set(this.answers.entries.map(({ key }) => key));
    let problem = "";
    const wait = { what: "all transactions end", deadlineMs: DEADLINE_MS };
    await until(wait, async () => {
      if (isWrong()) return true;
      await this.#askForProbes();
      const ended = this.#ended();
      const open = [...keys].filter((key) => !ended.has(key));
      const untold = [...ended.values()].filter(
        ({ node, id }) => node === NODE && !isTold(id),
      );
      problem = `open are ${open.join(", ")}; not told of ${untold.map(({ id }) => id).join(", ")}`;
      return open.length + untold.length === 0 ? true : undefined;
    }).catch((error: unknown) => {
      throw new Error(`Not all has ended: ${problem}`, { cause: error });
    });
  }

  #ended(): ReadonlyMap<
    string,
    { readonly node: string; readonly id: string }
  > {
    return new Map(
      this.answers.entries.flatMap((one) =>
        one.type === "receipt"
          ? [[one.key, { node: one.node, id: one.receipt.id }]]
          : [],
      ),
    );
  }

  /** Nobody else waits for their receipts. */
  async #askForProbes(): Promise<void> {
    const ended = new Set(this.#ended().keys());
    for (const one of [...this.answers.entries]) {
      const { key, node, type } = one;
      if (type !== "accepted" || !key.startsWith(PROBE) || ended.has(key))
        continue;
      const receipt = await this.#desk(node).receipt(one.id);
      if (receipt === undefined) continue;
      ended.add(key);
      this.answers.add({
        ...{ atMs: Date.now(), key, node, type: "receipt", receipt },
      } as const);
    }
  }

  #desk(node: string): AnyDesk {
    const desk = this.#desks.get(node);
    if (desk === undefined) throw new Error(`There is no node ${node}.`);
    return desk;
  }
}
