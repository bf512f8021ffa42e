import { type Random, randomFrom } from "../../helpers/random.ts";
import { check } from "../../torture/harness/checker/check.ts";
import {
  createTokenGroup,
  type TokenGroup,
} from "../../torture/harness/clients/group.ts";
import { ask } from "../../torture/harness/network/rpc.ts";
import { until } from "../../torture/harness/processes/until.ts";
import { DEADLINE_MS } from "./deadline.ts";
import { evidenceOf } from "./evidence.ts";
import { LogWatch } from "./log-watch.ts";
import { Reader } from "./reader.ts";
import type { ReplicasView, ServedReplica } from "./replica.ts";
import { LISTENER, Subscriber } from "./subscriber.ts";
import { type Load, Users } from "./users.ts";
import { NODE, type ReplicaWorld, schema } from "./world.ts";

/** Turns by which a replica may be behind that follows while others write. */
const LAG_MAX = 200;
/** A replica that was not seen for longer may have gone. */
const SEEN_MS = 3_000;

interface SceneOptions {
  /** Those that run at first. */
  readonly replicas: readonly string[];
  readonly seed: number;
  readonly load: Load;
}

/** A node with replicas in the middle of its work: clients, a listener, readers, and what they have seen. */
export class Scene {
  readonly world: ReplicaWorld;
  readonly group: TokenGroup;
  readonly random: Random;
  readonly users: Users;
  readonly reader: Reader;
  readonly subscriber: Subscriber;
  readonly log: LogWatch;
  readonly #stop = new AbortController();
  #running: readonly Promise<void>[] = [];

  private constructor(
    world: ReplicaWorld,
    options: SceneOptions & { readonly group: TokenGroup },
  ) {
    const { seed, group } = options;
    this.world = world;
    this.group = group;
    this.random = randomFrom(seed);
    this.users = new Users(options, world);
    this.reader = new Reader({
      answers: this.users.answers.entries,
      random: randomFrom(seed),
    });
    const replicas = [...world.replicas.values()];
    this.subscriber = new Subscriber({ replicas });
    this.log = new LogWatch({ schema, folder: world.outDir }, world);
  }

  /** Starts replicas, creates a group with money in it, and begins the load. */
  static async open(
    world: ReplicaWorld,
    options: SceneOptions,
  ): Promise<Scene> {
    const [first, ...rest] = options.replicas.map((name) =>
      replicaOf(world, name),
    );
    if (first === undefined) throw new Error("There are no replicas.");
    first.launch();
    await until(
      { what: "the first replica is active", deadlineMs: DEADLINE_MS },
      async () => (await first.isActive()) || undefined,
    );
    for (const one of rest) one.launch();
    const nodes = [{ name: NODE, url: first.url }, ...world.members.values()];
    const group = await createTokenGroup(nodes, 2);
    const params = [{ name: LISTENER }];
    await ask(first.url, { method: "ptx_createReceiptListener", params });
    const scene = new Scene(world, { ...options, group });
    await scene.#begin(replicasOf(world));
    return scene;
  }

  async #begin(replicas: readonly ServedReplica[]): Promise<void> {
    await this.users.start();
    const { signal } = this.#stop;
    this.#running = [
      ...replicas.map((one) => this.reader.run(one, signal)),
      this.subscriber.run(signal),
    ];
    for (const one of this.#running) one.catch(() => undefined);
  }

  /** Replicas that should run. */
  get wanted(): readonly ServedReplica[] {
    return replicasOf(this.world).filter(({ isWanted }) => isWanted);
  }

  replica(name: string): ServedReplica {
    return replicaOf(this.world, name);
  }

  /** Resolves with the active replica as soon as there is one. */
  async active(except?: ServedReplica): Promise<ServedReplica> {
    const wait = {
      what: "a replica is active",
      deadlineMs: DEADLINE_MS,
      everyMs: 10,
    };
    return await until(wait, async () => {
      for (const one of this.wanted)
        if (one !== except && (await one.isActive())) return one;
      return undefined;
    });
  }

  /** Resolves when one replica is active, and all others that should run follow it. */
  async settled(): Promise<ServedReplica> {
    let view: ReplicasView | null = null;
    return await until(
      { what: "one is active, and others follow", deadlineMs: DEADLINE_MS },
      async () => {
        const active = await this.active();
        view = await active.view();
        return isSettled(view, active, this.wanted) ? active : undefined;
      },
    ).catch((error: unknown) => {
      const text = JSON.stringify(view);
      throw new Error(`Replicas are ${text} at last.`, { cause: error });
    });
  }

  /** Resolves when all that was wished for by now has ended, and the listener has told of it. */
  async ended(): Promise<void> {
    const { reader, subscriber } = this;
    await this.users.ended({
      isTold: (id) => subscriber.has(id),
      isWrong: () =>
        reader.violations.length + subscriber.violations.length > 0,
    });
  }

  /** All that has been wrong so far. */
  async violations(): Promise<readonly string[]> {
    const replicas = replicasOf(this.world);
    return [
      ...(await this.log.look()),
      ...this.reader.violations,
      ...this.subscriber.violations,
      ...ownersTwice(replicas),
      ...replicas.flatMap(endedByItself),
      ...this.users.answers.entries.flatMap((one) =>
        one.type === "receipt" && !one.receipt.isSuccess
          ? [`${one.key} failed: ${one.receipt.failure ?? "no reason"}`]
          : [],
      ),
    ];
  }

  /** Ends the load, waits until all is over, and compares all that anybody knows. Gives all that is wrong. */
  async close(): Promise<readonly string[]> {
    await this.users.stop();
    const active = await this.settled();
    await this.ended();
    const problems = await this.violations();
    this.#stop.abort();
    await Promise.all(this.#running);
    for (const one of this.wanted) if (one !== active) await one.kill();
    const answers = this.users.answers.entries;
    const { group } = this;
    const evidence = await evidenceOf(this.world, { active, group, answers });
    await this.users.close();
    const untold = evidence.receipts.filter(
      ({ node, id }) => node === NODE && !this.subscriber.has(id),
    );
    return [
      ...problems,
      ...untold.map(({ id }) => `the listener never told of ${id}`),
      ...check(evidence).map(({ property, what }) => `${property}: ${what}`),
    ];
  }
}

function isSettled(
  view: ReplicasView | null,
  { name }: ServedReplica,
  wanted: readonly ServedReplica[],
): boolean {
  if (view?.active !== name) return false;
  return wanted.every((one) => {
    const found = view.replicas.find((each) => each.name === one.name);
    if (one.name === name) return found?.role === "active";
    return (
      found?.role === "passive" &&
      found.lag <= LAG_MAX &&
      found.seenMsAgo < SEEN_MS
    );
  });
}

/** Each epoch has one owner. */
function ownersTwice(replicas: readonly ServedReplica[]): readonly string[] {
  const owners = new Map<number, string>();
  return replicas.flatMap(({ name, roles }) =>
    roles.flatMap(({ role, epoch }) => {
      if (role !== "activating" || epoch === undefined) return [];
      const before = owners.get(epoch);
      owners.set(epoch, name);
      return before === undefined
        ? []
        : [`epoch ${epoch} is of ${before} and of ${name}`];
    }),
  );
}

/** A process does so only if its node does not end in time, as on a machine that is very busy. */
function endedByItself(replica: ServedReplica): readonly string[] {
  const { name, ends, events } = replica;
  const late = events.filter((one) =>
    JSON.stringify(one).includes("has not ended within"),
  );
  return ends.length <= late.length
    ? []
    : [`${name} ended by itself: ${JSON.stringify(ends)}`];
}

function replicasOf({ replicas }: ReplicaWorld): readonly ServedReplica[] {
  return [...replicas.values()];
}

function replicaOf({ replicas }: ReplicaWorld, name: string): ServedReplica {
  const found = replicas.get(name);
  if (found === undefined) throw new Error(`There is no replica ${name}.`);
  return found;
}
