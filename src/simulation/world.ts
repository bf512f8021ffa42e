import type { Effect } from "../protocol/effects.ts";
import { limits } from "../protocol/limits.ts";
import { explain, proofFor } from "../protocol/sequencer.ts";
import { patienceTicks } from "../protocol/turn.ts";
import type { IntentId, NodeName } from "../protocol/ids.ts";
import { BlockFeed } from "./block-feed.ts";
import { Chain } from "./chain.ts";
import { repeat, startClock } from "./clock.ts";
import { Conduct } from "./conduct/conduct.ts";
import { type CommitFate, fateAt } from "./disk.ts";
import { DomainService } from "./domain-service.ts";
import { Drains } from "./drains.ts";
import {
  drawFaults,
  FaultCounter,
  type FaultPlan,
  noFaults,
  onlyLies,
} from "./faults.ts";
import { Incidents } from "./incidents.ts";
import { Invariants } from "./invariants.ts";
import { canBear, liarsAmong } from "./liars/kinds.ts";
import { type Rumours, spread } from "./liars/rumours.ts";
import { Node, type SimulatedNode } from "./node.ts";
import { Observer } from "./observer.ts";
import { Post } from "./post.ts";
import { Queue } from "./queue.ts";
import { Random } from "./random.ts";
import { Recovery } from "./recovery.ts";
import type { Settings, SimulationOptions } from "./settings.ts";
import type { SimulationResult } from "./simulate.ts";
import { Submitter } from "./submitter.ts";
import { Names } from "./transcript.ts";
import { Users } from "./users.ts";
import { promisesIn, type Wish, withOwners } from "./workload.ts";

/** Everything there is: nodes, network, chain, users and their faults, under one virtual clock. */
export class World {
  readonly queue = new Queue();
  readonly faults = new FaultCounter();
  readonly nodes: readonly Node[];
  readonly chain: Chain;
  readonly invariants: Invariants;
  readonly observer: Observer;
  readonly users: Users;
  readonly wishes: readonly Wish[];
  readonly liars: ReadonlySet<NodeName>;
  readonly #settings: Settings;
  readonly #names = new Names();
  readonly #post: Post;
  readonly #domain: DomainService;
  readonly #submitters: readonly Submitter[];
  readonly #random: Random;
  readonly #blocks: BlockFeed;
  readonly #incidents: Incidents;
  readonly #drains: Drains;
  readonly #recovery: Recovery;
  readonly #areLiesLasting: boolean;
  #plan: FaultPlan;
  #isHealed = false;

  constructor(
    settings: Settings,
    {
      transcript,
      trace,
      overhear,
    }: Pick<SimulationOptions, "transcript" | "trace" | "overhear"> = {},
  ) {
    const { seed, domain } = settings;
    const { members, committee } = settings.config;
    const { queue, faults } = this;
    const plan = (): FaultPlan => this.#plan;
    this.#settings = settings;
    this.#plan = drawFaults(seed, settings.faults);
    this.#random = new Random(seed, "world");
    const liars =
      this.#plan.liars > 0
        ? liarsAmong(domain, settings.liar)
        : new Set<NodeName>();
    this.liars = liars;
    this.#areLiesLasting =
      settings.liar.isLasting && canBear(settings.config, liars);
    const rumours: Rumours = new Set();
    const nodes = members.length;
    const { genesis, wishes } = domain.draw({ ...settings, nodes });
    this.wishes = wishes;
    const hashing = withOwners(settings.config.hashing, wishes, members);
    const config = { ...settings.config, hashing };
    for (const { intent } of wishes) this.#names.of(intent.id);
    const secrets = { committee, mayKnow: domain.concerns };
    const invariants = new Invariants(
      { group: config, liars, rumours, ...promisesIn(wishes), secrets },
      { chain: () => this.chain },
    );
    this.invariants = invariants;
    this.#recovery = new Recovery(settings, { now: () => queue.now });
    const conduct = new Conduct(
      { liars, rumours },
      { nodes: () => this.nodes },
    );
    this.observer = new Observer(
      { names: this.#names, transcript },
      {
        queue,
        invariants,
        conduct,
        recovery: this.#recovery,
        sequencerOf: ({ index }) => this.nodes[index]?.sequencer,
      },
    );
    this.chain = new Chain(
      { group: config, signers: nodes, plan: this.#plan, genesis },
      {
        random: new Random(seed, "chain"),
        faults,
        onTransition: (net, isUndone) => {
          invariants.transitioned(net, isUndone);
        },
      },
    );
    this.#post = new Post(
      { settings: { ...settings, config }, liars, plan: this.#plan },
      {
        queue,
        faults,
        plan,
        node: (index) => this.nodes[index],
        tell: (index, event) => this.nodes[index]?.tell(event),
        said: (message) => {
          spread(rumours, message);
          overhear?.(message);
        },
        execute: (prepared) => {
          invariants.executedByLiar(prepared.bundle);
          this.chain.execute(prepared);
        },
      },
    );
    const diskRandom = new Random(seed, "disk");
    this.nodes = members.map(
      (self, index) =>
        new Node(
          {
            index,
            config: { ...config, self, boot: 0 },
            tickMs: settings.tickMs,
          },
          {
            queue,
            random: diskRandom,
            faults,
            plan,
            crash: () => this.#crashAt(),
            chain: this.chain,
            book: domain.bookOf(self),
            witness: this.observer,
            trace,
            perform: (node, effect) => {
              this.#perform(node, effect);
            },
          },
        ),
    );
    this.users = new Users(
      { wishes },
      { queue, nodes: this.nodes, invariants, chain: this.chain },
    );
    this.#domain = new DomainService({
      domain,
      liars,
      queue,
      random: new Random(seed, "domain"),
      faults,
      plan,
      parked: () => this.users.parked,
      conduct,
      tell: ({ index }, event) => this.nodes[index]?.tell(event),
    });
    const submitterRandom = new Random(seed, "submitter");
    this.#submitters = this.nodes.map((node) =>
      this.#submitterOf(node, submitterRandom),
    );
    const disturbed = {
      queue,
      random: this.#random,
      faults,
      plan,
      nodes: this.nodes,
      say: (line: () => string): void => {
        this.observer.say(line);
      },
    };
    this.#blocks = new BlockFeed(settings, {
      ...disturbed,
      chain: this.chain,
      invariants,
    });
    const lasting = this.#areLiesLasting ? liars : new Set<NodeName>();
    this.#incidents = new Incidents(settings, {
      ...disturbed,
      stall: (index, ms) => {
        this.#blocks.stall(index, ms);
      },
      reorganise: () => {
        this.#blocks.reorganise();
      },
      lie: () => {
        this.#post.lie();
      },
      liars: lasting,
    });
    this.#drains = new Drains(settings, { ...disturbed, liars: lasting });
  }

  #submitterOf(node: Node, random: Random): Submitter {
    return new Submitter(
      { signer: node.index },
      {
        queue: this.queue,
        random,
        faults: this.faults,
        chain: this.chain,
        plan: () => this.#plan,
        isUp: () => node.isUp,
        height: () => node.height,
        tell: (event) => {
          if (event.type === "SubmissionFailed") {
            this.observer.counters.ledgerReverts += 1;
            this.invariants.submissionFailed(node, event.digest);
          }
          node.tell(event);
        },
      },
    );
  }

  get isHealed(): boolean {
    return this.#isHealed;
  }

  /** What an intent waits for, in words. */
  explain(id: IntentId): string {
    const wish = this.wishes.find(({ intent }) => intent.id === id);
    const node = this.nodes[wish?.node ?? -1];
    const why = node?.sequencer && explain(node.sequencer, id);
    return `${this.#names.of(id)} of ${node?.name ?? "nobody"}: ${why ?? "not there"}`;
  }

  /** Sets everything going. */
  start(): void {
    const ports = { queue: this.queue, random: this.#random };
    for (const node of this.nodes) {
      node.start();
      startClock(this.#settings.tickMs, ports, () => {
        node.tick();
      });
      repeat(Submitter.watchEveryMs, ports, () => {
        this.#watch(node);
      });
    }
    this.#blocks.start();
    this.#post.start();
    this.users.start();
    this.#incidents.start();
    this.#drains.start();
    this.queue.after(this.#settings.healMs, () => {
      this.#heal();
    });
  }

  /** Makes the next thing happen. What it returns must be done before anything else happens. */
  step(): Promise<void> | undefined {
    this.queue.step();
    return this.#domain.takeWork();
  }

  /** Nothing goes wrong from now on, but for liars that go on. */
  #heal(): void {
    this.#isHealed = true;
    this.#plan = this.#areLiesLasting ? onlyLies(this.#plan) : noFaults;
    this.#post.heal(noFaults);
    this.chain.heal(noFaults);
    this.#blocks.heal();
    this.observer.say(() => "everything heals");
    if (!this.isLiedTo) this.#endLies();
    this.#incidents.heal({ isLiedTo: this.isLiedTo });
    for (const node of this.nodes) {
      node.start();
      node.thaw();
    }
    this.#drains.heal();
  }

  /** Who lies, and how. */
  get liar(): SimulationResult["liar"] {
    const [name] = this.liars;
    const { kind } = this.#settings.liar;
    const isLasting = this.#areLiesLasting;
    return name === undefined ? undefined : { name, kind, isLasting };
  }

  /** Whether anybody still lies. */
  get isLiedTo(): boolean {
    return this.liars.size > 0 && this.#plan.liars > 0;
  }

  /** Liars tell the truth from now on. */
  endLies(): void {
    this.#plan = noFaults;
    this.#incidents.heal({ isLiedTo: false });
    this.observer.say(() => "liars tell the truth");
    this.#endLies();
  }

  #endLies(): void {
    const { config, tickMs } = this.#settings;
    // A liar may have made others pass somebody over, for as long as they ever do.
    const doubtedMs =
      this.liars.size === 0
        ? 0
        : patienceTicks(config) * limits.suspicion * tickMs;
    const arrivedMs = this.#post.allArrivedMs - this.queue.now;
    this.queue.after(arrivedMs + doubtedMs, () => {
      this.#recovery.healed();
    });
  }

  #crashAt(): CommitFate | undefined {
    const { crashAt } = this.#settings;
    if (this.observer.counters.commits++ !== crashAt?.commit) return undefined;
    this.faults.count(`crash-${crashAt.point}`);
    return fateAt(crashAt.point, this.#random);
  }

  #watch(node: Node): void {
    if (!node.isUp) return;
    this.#blocks.index(node);
    this.#submitters[node.index]?.watch();
  }

  /** A node shows what it endorsed, from its disk. */
  #showStep(
    { index, disk }: SimulatedNode,
    effect: Extract<Effect, { readonly type: "ShowStep" }>,
  ): void {
    const node = this.nodes[index];
    if (node?.sequencer === undefined) return;
    const record = disk.records.get(`endorsed:${effect.digest}`);
    const bundle = record?.kind === "endorsed" ? record.bundle : undefined;
    const message = proofFor(node.sequencer, bundle, effect);
    if (message !== undefined) this.#post.send(node, effect.to, message);
  }

  #perform(node: SimulatedNode, effect: Effect): void {
    const { counters } = this.observer;
    switch (effect.type) {
      case "Send":
        counters.sends += 1;
        counters.lastSendMs = this.queue.now;
        if (effect.message.type === "HandoverAck") counters.handovers += 1;
        this.#post.send(node, effect.to, effect.message);
        return;
      case "Assemble":
        this.#domain.assemble(node, effect);
        return;
      case "Endorse":
        this.#domain.endorse(node, effect);
        return;
      case "ShowStep":
        this.#showStep(node, effect);
        return;
      case "Submit":
        if (this.#post.maySubmit(node, effect.dispatch))
          this.#submitters[node.index]?.submit(effect.dispatch);
        return;
      case "Accepted":
        this.users.accepted.add(effect.id);
        return;
      case "Refused":
        this.users.refused.add(effect.id);
        return;
      case "PreparedForUser":
        this.users.prepared(effect);
        return;
      case "Settled":
      case "Save":
      case "Erase":
        return;
    }
  }
}
