import type { Effect } from "../protocol/effects.ts";
import type { Event } from "../protocol/events.ts";
import type { Digest, IntentId, NodeName } from "../protocol/ids.ts";
import type { Message } from "../protocol/messages.ts";
import { explain } from "../protocol/sequencer.ts";
import { Adversary } from "./adversary.ts";
import { Chain } from "./chain.ts";
import { type CommitFate, fateAt } from "./disk.ts";
import { assemble, endorse } from "./domain.ts";
import {
  drawFaults,
  FaultCounter,
  noFaults,
  type FaultPlan,
} from "./faults.ts";
import { isSigned } from "./hashing.ts";
import { checkMemory } from "./inspection.ts";
import { Invariants, Violation } from "./invariants.ts";
import { Network } from "./network.ts";
import { Node, type SimulatedNode } from "./node.ts";
import { Queue } from "./queue.ts";
import { Random } from "./random.ts";
import type { Settings } from "./settings.ts";
import { Submitter } from "./submitter.ts";
import {
  describeEffect,
  describeEvent,
  Names,
  TraceHash,
} from "./transcript.ts";
import { drawGenesis, drawWorkload, type Wish } from "./workload.ts";

/** Memory is compared with itself after every so many turns of a node. */
const checkEveryTurns = 8;

/** Counters of one run. */
export interface Counters {
  turns: number;
  commits: number;
  sends: number;
  lastSendMs: number;
  handovers: number;
  /** How often another node than the one before dispatched. */
  coordinatorChanges: number;
  ledgerReverts: number;
  dispatches: number;
}

/** Everything there is: nodes, network, chain, users and their faults, under one virtual clock. */
export class World {
  readonly queue = new Queue();
  readonly faults = new FaultCounter();
  readonly trace = new TraceHash();
  readonly nodes: readonly Node[];
  readonly chain: Chain;
  readonly invariants: Invariants;
  readonly wishes: readonly Wish[];
  readonly counters: Counters = {
    turns: 0,
    commits: 0,
    sends: 0,
    lastSendMs: 0,
    handovers: 0,
    coordinatorChanges: 0,
    ledgerReverts: 0,
    dispatches: 0,
  };
  readonly accepted = new Set<IntentId>();
  readonly refused = new Set<IntentId>();
  readonly #settings: Settings;
  readonly #transcript: ((line: string) => void) | undefined;
  readonly #names = new Names();
  readonly #network: Network<Message>;
  readonly #submitters: readonly Submitter[];
  readonly #random: Random;
  readonly #domainRandom: Random;
  /** Intents that the domain parks. */
  readonly #parked = new Set<IntentId>();
  readonly #byName = new Map<NodeName, number>();
  readonly #liars = new Set<number>();
  readonly #adversary: Adversary;
  readonly #stalledUntil: number[];
  readonly #wishOf = new Map<IntentId, Wish>();
  #plan: FaultPlan;
  #lastDispatcher: string | undefined;
  #isHealed = false;

  constructor(settings: Settings, transcript?: (line: string) => void) {
    const { seed, config } = settings;
    const { committee, threshold } = config;
    const size = committee.length;
    this.#settings = settings;
    this.#transcript = transcript;
    this.#plan = drawFaults(seed, settings.faults);
    this.#random = new Random(seed, "world");
    this.#domainRandom = new Random(seed, "domain");
    this.#adversary = new Adversary(new Random(seed, "adversary"));
    this.#stalledUntil = Array<number>(size).fill(0);
    if (this.#plan.liars > 0 && size > 1) this.#liars.add(size - 1);
    committee.forEach((name, index) => this.#byName.set(name, index));
    const liars = new Set(
      committee.filter((_, index) => this.#liars.has(index)),
    );
    const group = { committee, threshold };
    const workRandom = new Random(seed, "workload");
    const genesis = drawGenesis(workRandom);
    this.wishes = drawWorkload({ ...settings, nodes: size }, workRandom);
    const dependencies = new Map(
      this.wishes.map(({ intent }) => [intent.id, intent.dependsOn]),
    );
    this.invariants = new Invariants(
      { group, liars, dependencies },
      { chain: () => this.chain },
    );
    this.chain = new Chain(
      { group, plan: this.#plan, genesis },
      {
        random: new Random(seed, "chain"),
        faults: this.faults,
        onTransition: (net, isUndone) => {
          this.invariants.transitioned(net, isUndone);
        },
      },
    );
    for (const wish of this.wishes) {
      this.#wishOf.set(wish.intent.id, wish);
      this.#names.of(wish.intent.id);
      if (wish.isParked) this.#parked.add(wish.intent.id);
    }
    this.#network = new Network(
      { size, plan: this.#plan },
      {
        queue: this.queue,
        random: new Random(seed, "network"),
        faults: this.faults,
        deliver: (to, from, message) => {
          this.#deliver(to, from, message);
        },
      },
    );
    const diskRandom = new Random(seed, "disk");
    this.nodes = committee.map(
      (self, index) =>
        new Node(
          { index, config: { ...config, self, boot: 0 } },
          {
            queue: this.queue,
            random: diskRandom,
            faults: this.faults,
            plan: () => this.#plan,
            crash: () => this.#crashAt(),
            chain: this.chain,
            witness: this.#witness,
            perform: (node, effect) => {
              this.#perform(node, effect);
            },
          },
        ),
    );
    const submitterRandom = new Random(seed, "submitter");
    this.#submitters = this.nodes.map(
      (node) =>
        new Submitter(
          { signer: node.index },
          {
            queue: this.queue,
            random: submitterRandom,
            faults: this.faults,
            chain: this.chain,
            plan: () => this.#plan,
            isUp: () => node.isUp,
            height: () => node.height,
            tell: (event) => {
              if (event.type === "SubmissionFailed") {
                this.counters.ledgerReverts += 1;
                this.invariants.submissionFailed(node, event.digest);
              }
              node.tell(event);
            },
          },
        ),
    );
  }

  get isHealed(): boolean {
    return this.#isHealed;
  }

  /** What an intent waits for, in words. */
  explain(id: IntentId): string {
    const node = this.nodes[this.#wishOf.get(id)?.node ?? -1];
    const { sequencer } = node ?? {};
    const why = sequencer === undefined ? "" : explain(sequencer, id);
    return `${this.#names.of(id)} of ${node?.name ?? "nobody"}: ${why ?? "not there"}`;
  }

  /** Sets everything going. */
  start(): void {
    for (const node of this.nodes) {
      node.start();
      this.#tickFor(node);
      this.#watchFor(node);
    }
    this.#mineSometimes();
    this.#network.start();
    this.#disturb("crashEveryMs", () => {
      this.faults.count("crash");
      this.#random.pick(this.nodes).crash();
    });
    this.#disturb("freezeEveryMs", () => {
      this.faults.count("freeze");
      const ms = this.#random.tail(this.#plan.freezeMs) + 1;
      this.#random.pick(this.nodes).freeze(ms);
    });
    this.#disturb("stallEveryMs", () => {
      this.faults.count("indexer-stall");
      const until = this.queue.now + this.#random.tail(this.#plan.stallMs);
      this.#stalledUntil[this.#random.below(this.nodes.length)] = until;
    });
    this.#disturb("reorgEveryMs", () => {
      this.#reorganise();
    });
    this.#disturb("lieEveryMs", () => {
      this.#lie();
    });
    for (const wish of this.wishes) {
      this.queue.after(wish.atMs, () => {
        this.#ask(wish);
      });
      const { resumeAfterMs } = wish;
      if (wish.isParked && resumeAfterMs !== undefined)
        this.queue.after(wish.atMs + resumeAfterMs, () => {
          this.#resume(wish, resumeAfterMs);
        });
    }
    this.queue.after(this.#settings.healMs, () => {
      this.#heal();
    });
  }

  /** Nothing goes wrong from now on. */
  #heal(): void {
    this.#isHealed = true;
    this.#plan = noFaults;
    this.#network.heal(noFaults);
    this.chain.heal(noFaults);
    this.#stalledUntil.fill(0);
    this.#say("everything heals");
    for (const node of this.nodes) {
      node.start();
      node.thaw();
    }
  }

  #crashAt(): CommitFate | undefined {
    const { crashAt } = this.#settings;
    if (this.counters.commits++ !== crashAt?.commit) return undefined;
    this.faults.count(`crash-${crashAt.point}`);
    return fateAt(crashAt.point, this.#random);
  }

  #disturb(every: keyof FaultPlan, happen: () => void): void {
    const meanMs = this.#plan[every];
    if (meanMs === 0) return;
    this.queue.after(this.#random.tail(meanMs) + 1, () => {
      if (this.#isHealed) return;
      happen();
      this.#disturb(every, happen);
    });
  }

  /** Clocks of different nodes run at slightly different speeds. */
  #tickFor(node: Node): void {
    const drift = 1 + (this.#random.fraction() - 0.5) * 0.1;
    const everyMs = this.#settings.tickMs * drift;
    const tick = (): void => {
      node.tell({ type: "Tick" });
      this.queue.after(everyMs, tick);
    };
    this.queue.after(this.#random.below(this.#settings.tickMs), tick);
  }

  #watchFor(node: Node): void {
    const watch = (): void => {
      if (node.isUp) {
        this.#index(node);
        this.#submitters[node.index]?.watch();
      }
      this.queue.after(Submitter.watchEveryMs, watch);
    };
    this.queue.after(this.#random.below(Submitter.watchEveryMs), watch);
  }

  #mineSometimes(): void {
    const { blockMs } = this.#settings;
    this.queue.after(this.#random.between(blockMs * 0.5, blockMs * 1.5), () => {
      const { height, transactions, facts } = this.chain.mine();
      if (transactions.length > 0 || facts.length > 0)
        this.#say(
          `block ${height}: ${transactions.map(({ dispatch, refusal }) => `${short(dispatch.bundle.digest)} ${refusal ?? "ok"}`).join(", ")}`,
        );
      this.#announceBlock();
      this.#mineSometimes();
    });
  }

  #announceBlock(): void {
    for (const node of this.nodes) {
      const lagMs =
        this.#plan.indexerLagMs > 0
          ? this.#random.tail(this.#plan.indexerLagMs)
          : 0;
      this.queue.after(lagMs + this.#random.between(1, 30), () => {
        this.#index(node);
      });
    }
  }

  /** A node's indexer reads as far as it can. */
  #index(node: Node): void {
    if (this.queue.now < (this.#stalledUntil[node.index] ?? 0)) return;
    const heightMax = this.chain.height - this.#settings.confirmations + 1;
    while (node.isUp && !node.isWaiting) {
      const event = node.nextIndexed(heightMax);
      if (event === undefined) return;
      node.tell(event);
    }
  }

  #reorganise(): void {
    const { confirmations } = this.#settings;
    const isDeep = this.#random.chance(this.#plan.deepReorg);
    const depth = isDeep
      ? confirmations + this.#random.below(4)
      : this.#random.below(confirmations);
    if (depth === 0) return;
    this.faults.count(isDeep ? "reorg-deep" : "reorg");
    this.#say(`the last ${depth} blocks are replaced`);
    if (isDeep) this.invariants.shaken();
    this.chain.reorganise(depth);
    this.#announceBlock();
  }

  #lie(): void {
    const [liar] = this.#liars;
    const message = this.#adversary.lie();
    if (liar === undefined || message === undefined) return;
    if (this.nodes[liar]?.isUp !== true) return;
    const to = this.#random.below(this.nodes.length);
    if (to === liar) return;
    this.faults.count(`lie-${message.type}`);
    this.#network.send(liar, to, message);
  }

  /** A user asks his node again and again until it says yes. */
  #ask(wish: Wish): void {
    const { id } = wish.intent;
    if (this.accepted.has(id) || this.refused.has(id)) return;
    const node = this.nodes[wish.node];
    if (node === undefined) return;
    const { intent } = wish;
    node.tell({ type: "IntentSubmitted", intent, fulfilled: [], reverted: [] });
    if (!this.accepted.has(id) && !this.refused.has(id))
      this.queue.after(2_000, () => {
        this.#ask(wish);
      });
  }

  /** The user says that it is ready, and looks again until it has ended: his node may be down, or crash. */
  #resume(wish: Wish, everyMs: number): void {
    const { id } = wish.intent;
    this.#parked.delete(id);
    if (this.invariants.receiptOf(id) !== undefined) return;
    const node = this.nodes[wish.node];
    const record = node?.disk.records.get(`intent:${id}`);
    if (record?.kind === "intent" && record.parked !== undefined)
      node?.tell({ type: "IntentResumed", id });
    this.queue.after(everyMs, () => {
      this.#resume(wish, everyMs);
    });
  }

  #deliver(to: number, from: number, message: Message): void {
    const node = this.nodes[to];
    const sender = this.nodes[from];
    if (node === undefined || sender === undefined) return;
    if (this.#liars.has(to)) this.#adversary.observe(message);
    // The edge of a node checks signatures before the protocol sees a message.
    if (
      message.type === "Endorsement" &&
      !isSigned(message.signature, sender.name, message.digest)
    )
      return;
    node.tell({ type: "MessageReceived", from: sender.name, message });
  }

  #perform(node: SimulatedNode, effect: Effect): void {
    switch (effect.type) {
      case "Send":
        this.#send(node, effect.to, effect.message);
        return;
      case "Assemble":
        this.#assemble(node, effect);
        return;
      case "Endorse":
        this.#endorse(node, effect);
        return;
      case "Submit":
        this.#submitters[node.index]?.submit(effect.dispatch);
        return;
      case "Accepted":
        this.accepted.add(effect.id);
        return;
      case "Refused":
        this.refused.add(effect.id);
        return;
      case "Settled":
      case "PreparedForUser":
      case "Save":
      case "Erase":
        return;
    }
  }

  #send(node: SimulatedNode, toName: NodeName, message: Message): void {
    const to = this.#byName.get(toName);
    if (to === undefined)
      throw new Violation("S33", `${node.name} sends to ${toName}: nobody`);
    this.counters.sends += 1;
    this.counters.lastSendMs = this.queue.now;
    if (message.type === "HandoverAck") this.counters.handovers += 1;
    if (!this.#liars.has(node.index) || this.#isHealed) {
      this.#network.send(node.index, to, message);
      return;
    }
    this.#adversary.observe(message);
    if (this.#random.chance(this.#plan.withhold)) {
      this.faults.count("withheld");
      return;
    }
    const isMutated = this.#random.chance(this.#plan.mutate);
    if (isMutated) this.faults.count(`mutated-${message.type}`);
    this.#network.send(
      node.index,
      to,
      isMutated ? this.#adversary.mutate(message) : message,
    );
  }

  #assemble(
    node: SimulatedNode,
    { key, intents, view }: Extract<Effect, { readonly type: "Assemble" }>,
  ): void {
    const random = this.#domainRandom;
    if (random.chance(this.#plan.muteAssembler)) {
      this.faults.count("assembler-mute");
      return;
    }
    const { boot } = node;
    this.queue.after(random.between(1, 5), () => {
      if (node.boot !== boot) return;
      const outcomes = assemble({
        sender: node.name,
        intents,
        view,
        holdings: node.holdings,
        parked: this.#parked,
      }).map((outcome) => {
        if (!random.chance(this.#plan.assembleError)) return outcome;
        this.faults.count("assembly-error");
        const { id } = outcome;
        return { type: "error", id, reason: "cannot assemble now" } as const;
      });
      this.#tell(node, { type: "AssemblyDone", key, outcomes });
    });
  }

  #endorse(
    node: SimulatedNode,
    { bundle, view }: Extract<Effect, { readonly type: "Endorse" }>,
  ): void {
    const random = this.#domainRandom;
    const { digest } = bundle;
    if (random.chance(this.#plan.muteEndorser)) {
      this.faults.count("endorser-mute");
      return;
    }
    let delayMs = random.between(1, 5);
    if (random.chance(this.#plan.lateEndorser)) {
      this.faults.count("endorser-late");
      delayMs += random.below(10_000);
    }
    const { boot } = node;
    this.queue.after(delayMs, () => {
      if (node.boot !== boot) return;
      const isRefused = random.chance(this.#plan.refuse);
      if (isRefused) this.faults.count("endorser-refuses");
      const outcome = isRefused
        ? ({
            type: "refused",
            detail: "not today",
            intentId: undefined,
          } as const)
        : endorse({
            endorser: node.name,
            bundle,
            view,
            holdings: node.holdings,
          });
      this.#tell(node, { type: "EndorsementDone", digest, outcome });
    });
  }

  #tell({ index }: SimulatedNode, event: Event): void {
    this.nodes[index]?.tell(event);
  }

  readonly #witness = {
    started: (node: SimulatedNode, effects: readonly Effect[]): void => {
      this.trace.number(node.index);
      this.#say(`${node.name} starts, boot ${node.boot}`);
      this.#sayEffects(node, effects);
      this.invariants.started(node, effects);
    },
    crashed: (node: SimulatedNode): void => {
      this.#say(`${node.name} crashes`);
    },
    turned: (
      node: SimulatedNode,
      event: Event,
      effects: readonly Effect[],
    ): void => {
      this.counters.turns += 1;
      this.trace.number(this.queue.now);
      this.trace.number(node.index);
      this.trace.event(event);
      for (const effect of effects) this.trace.effect(effect);
      if (this.#transcript !== undefined) {
        const line = describeEvent(event, this.#names);
        if (line !== undefined) this.#say(`${node.name} ${line}`);
        this.#sayEffects(node, effects);
      }
      if (effects.length > 0) this.#checkDispatch(node, effects);
      if (this.counters.turns % checkEveryTurns === 0) {
        const { sequencer } = this.nodes[node.index] ?? {};
        if (sequencer !== undefined) checkMemory(sequencer);
      }
    },
    committing: (node: SimulatedNode, effects: readonly Effect[]): void => {
      this.invariants.committing(node, effects);
    },
    performing: (node: SimulatedNode, effect: Effect): void => {
      this.invariants.performing(node, effect);
    },
  };

  /** S27, S28: only an active coordinator dispatches; one that flushes or closes asks for nothing. */
  #checkDispatch(node: SimulatedNode, effects: readonly Effect[]): void {
    for (const effect of effects) {
      const { state } = this.nodes[node.index]?.sequencer?.coordinator ?? {};
      if (effect.type === "Save" && effect.record.kind === "dispatch") {
        const { digest } = effect.record.bundle;
        if (node.disk.records.has(`dispatch:${digest}`)) continue;
        this.counters.dispatches += 1;
        if (this.#lastDispatcher !== node.name) {
          this.counters.coordinatorChanges += 1;
          this.#lastDispatcher = node.name;
        }
        if (state !== "Active")
          throw new Violation(
            "S27",
            `${node.name} dispatches as ${state ?? "?"}`,
          );
      }
      if (effect.type !== "Send") continue;
      const { type } = effect.message;
      if (
        (type === "AssembleRequest" || type === "EndorsementRequest") &&
        (state === "Flush" || state === "Closing")
      )
        throw new Violation("S28", `${node.name} sends ${type} as ${state}`);
    }
  }

  #say(line: string): void {
    if (this.#transcript === undefined) return;
    const seconds = (this.queue.now / 1_000).toFixed(3).padStart(9);
    this.#transcript(`${seconds} ${line}`);
  }

  #sayEffects(node: SimulatedNode, effects: readonly Effect[]): void {
    if (this.#transcript === undefined) return;
    for (const effect of effects)
      this.#say(`${node.name}   ${describeEffect(effect, this.#names)}`);
  }
}

function short(digest: Digest): string {
  return digest.slice(2, 8);
}
