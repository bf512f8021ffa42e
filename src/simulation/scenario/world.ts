import { proofFor } from "../../protocol/sequencer.ts";
import type { Effect } from "../../protocol/effects.ts";
import type { Event } from "../../protocol/events.ts";
import type { IntentId, NodeName } from "../../protocol/ids.ts";
import type { Tracer } from "../../protocol/machine.ts";
import type { Prepared } from "../../protocol/records.ts";
import type { Intent } from "../../protocol/transition.ts";
import { Chain, type Block } from "../chain.ts";
import { fateAt, type CommitFate } from "../disk.ts";
import { FaultCounter, noFaults } from "../faults.ts";
import { Invariants } from "../invariants.ts";
import { Node, type SimulatedNode, type Witness } from "../node.ts";
import { Queue } from "../queue.ts";
import { Random } from "../random.ts";
import { Submitter } from "../submitter.ts";
import { ScriptedDomain } from "./domain.ts";
import { Links, type Letter } from "./links.ts";
import { Observer } from "./observer.ts";
import { pointsOf, type Point } from "./records.ts";
import { ScriptError } from "./script.ts";
import { genesisStates, type GroupConfig } from "./setup.ts";
import { Story } from "./story.ts";

/** Deliveries after which a script is taken to run for ever. */
const deliveriesMax = 20_000;

/** What becomes of the transactions that wait for a block. */
export type BlockFate = "empty" | "reverted" | undefined;

/** A crash that waits for a node to reach a point. */
export interface PlannedCrash {
  readonly node: NodeName;
  readonly when: "before" | "after";
  readonly point: Point;
}

/** Nodes, links and a ledger that do what a script says, and nothing by chance. The usual properties are checked. */
export class ScriptedWorld {
  readonly story: Story;
  readonly links = new Links();
  readonly nodes: readonly Node[];
  readonly chain: Chain;
  readonly domain = new ScriptedDomain();
  readonly crashes = new Set<PlannedCrash>();
  /** In the order of the script. */
  readonly intents = new Map<string, { id: IntentId; node: Node }>();
  /** What users got who asked for a preparation. */
  readonly prepared = new Map<IntentId, Prepared>();
  readonly #dependencies = new Map<IntentId, readonly IntentId[]>();
  readonly #prepareOnly = new Set<IntentId>();
  readonly #submissions = new Queue();
  readonly #submitters = new Map<NodeName, Submitter>();
  readonly #invariants: Invariants;
  readonly #observer: Observer;
  #effects: readonly Effect[] = [];

  constructor(config: GroupConfig, trace?: Tracer<{ readonly state: string }>) {
    const { members } = config;
    const random = new Random(0, "scenario");
    const faults = new FaultCounter();
    this.story = new Story(members);
    this.#observer = new Observer(this.story);
    this.#invariants = new Invariants(
      {
        group: config,
        liars: new Set(),
        rumours: new Set(),
        dependencies: this.#dependencies,
        prepareOnly: this.#prepareOnly,
        secrets: config,
      },
      { chain: () => this.chain },
    );
    this.chain = new Chain(
      {
        group: config,
        signers: members.length,
        plan: noFaults,
        genesis: genesisStates(),
      },
      {
        random,
        faults,
        onTransition: (net, isUndone) => {
          this.#invariants.transitioned(net, isUndone);
        },
      },
    );
    this.nodes = members.map(
      (self, index) =>
        new Node(
          { index, config: { ...config, self, boot: 0 }, tickMs: 1 },
          {
            // Nobody steps this queue: a node that crashed starts again when the script says so.
            queue: new Queue(),
            random,
            faults,
            plan: () => noFaults,
            crash: () => this.#crashNow(self),
            chain: this.chain,
            book: this.domain.bookOf(self),
            witness: this.#witness,
            trace,
            perform: (node, effect) => {
              this.#perform(node, effect);
            },
          },
        ),
    );
    for (const node of this.nodes) {
      const submitter = new Submitter(
        { signer: node.index },
        {
          queue: this.#submissions,
          random,
          faults,
          chain: this.chain,
          plan: () => noFaults,
          isUp: () => node.isUp,
          height: () => node.height,
          tell: (event) => {
            this.#submissionEvent(node, event);
          },
        },
      );
      this.#submitters.set(node.name, submitter);
      node.start();
    }
  }

  node(name: string): Node {
    const node = this.nodes.find((one) => one.name === name);
    if (node === undefined) throw new ScriptError(`no node ${name}`);
    return node;
  }

  idOf(name: string): IntentId {
    const known = this.intents.get(name);
    if (known === undefined) throw new ScriptError(`no intent ${name}`);
    return known.id;
  }

  submit(name: string, node: Node, intent: Intent): void {
    this.intents.set(name, { id: intent.id, node });
    this.story.names.name(intent.id, name);
    this.#dependencies.set(intent.id, intent.dependsOn);
    if (intent.isPrepareOnly) this.#prepareOnly.add(intent.id);
    node.tell({ type: "IntentSubmitted", intent, fulfilled: [], reverted: [] });
  }

  /** Time passes for everybody, and messages arrive. */
  tick(): void {
    this.story.passTick();
    for (const node of this.nodes) node.tick();
    this.run();
  }

  /** Delivers until nothing is on its way, or a message of this type is the next one. */
  run(until?: string): void {
    for (let count = 0; count < deliveriesMax; count++) {
      const { next } = this.links;
      if (next === undefined) return;
      if (until !== undefined && "message" in next)
        if (next.message.type === until) return;
      this.deliverNext();
    }
    throw new ScriptError("messages never end");
  }

  deliverNext(): void {
    const item = this.links.take();
    if (item === undefined) return;
    if ("event" in item) {
      const node = this.node(item.node);
      if (node.boot === item.boot) node.tell(item.event);
    } else this.#deliver(item);
  }

  #deliver(letter: Letter): void {
    const fate = this.links.judge(letter);
    const receiver = this.node(letter.to);
    if (fate !== "delivered") this.story.letter(letter, fate);
    else if (!receiver.isUp)
      this.story.letter(letter, "lost", ` (${letter.to} is down)`);
    else {
      const { from, message } = letter;
      this.story.letter(letter, fate);
      receiver.tell({ type: "MessageReceived", from, message });
    }
  }

  /** An endorser answers again, late answers first. */
  unmute({ name, boot }: Node): void {
    for (const event of this.domain.unmute(name))
      this.links.push({ node: name, boot, event });
  }

  /** Makes a block. `empty` leaves transactions in the pool; `reverted` makes them fail. */
  mine(how: BlockFate): void {
    this.#decide(how);
    this.#tellBlock(this.chain.mine());
  }

  /** Replaces the last blocks by others, one more of them. What was in them goes back to the pool. */
  reorganise(depth: number, how: BlockFate): void {
    const { height } = this.chain;
    const blocks = depth === 1 ? `block ${height}` : `the last ${depth} blocks`;
    this.story.tell("ledger", `replaces ${blocks}`);
    this.#invariants.shaken();
    this.#decide(how);
    this.chain.reorganise(depth, 0);
    for (const block of this.chain.blocks.slice(height - depth + 1))
      this.#tellBlock(block);
  }

  #decide(how: BlockFate): void {
    this.chain.heal({
      ...noFaults,
      leaveInPool: how === "empty" ? 1 : 0,
      spuriousRevert: how === "reverted" ? 1 : 0,
    });
  }

  #tellBlock({ height, transactions }: Block): void {
    for (const { dispatch, refusal, signer } of transactions) {
      const { digest, steps } = dispatch.bundle;
      const { names } = this.story;
      const ids = names.some(steps.map(({ intentId }) => intentId));
      const by = this.nodes[signer]?.name ?? "";
      const verdict = refusal === undefined ? "" : ` reverts: ${refusal}`;
      this.story.tell(
        "ledger",
        `block ${height}: ${names.digest(digest)} ${ids} from ${by}${verdict}`,
      );
    }
  }

  /** A node reads the chain up to this block. */
  index(node: Node, height: number): void {
    while (node.isUp) {
      const event = node.nextIndexed(height);
      if (event === undefined) break;
      node.tell(event);
    }
    if (!node.isUp) return;
    this.#submitters.get(node.name)?.watch();
    this.#submitAll();
  }

  #submitAll(): void {
    while (this.#submissions.step());
  }

  #submissionEvent(node: Node, event: Event): void {
    if (event.type === "SubmissionFailed")
      this.#invariants.submissionFailed(node, event.digest);
    this.links.push({ node: node.name, boot: node.boot, event });
  }

  #crashNow(name: NodeName): CommitFate | undefined {
    const points = pointsOf(this.#effects, this.node(name).disk);
    for (const crash of this.crashes) {
      const { node, when, point } = crash;
      if (node !== name || !points.has(point)) continue;
      this.crashes.delete(crash);
      if (when === "before") this.story.tell(name, `is about to save ${point}`);
      return fateAt(`${when}-commit`, new Random(0));
    }
    return undefined;
  }

  #perform({ name, boot }: SimulatedNode, effect: Effect): void {
    const answer = (event: Event): void => {
      this.links.push({ node: name, boot, event });
    };
    this.#observer.effect(name, effect);
    switch (effect.type) {
      case "Send": {
        const { to, message } = effect;
        this.links.push({ from: name, to, message });
        return;
      }
      case "Assemble":
        answer(this.domain.assemble(name, effect));
        return;
      case "Endorse":
        for (const event of this.domain.endorse(name, effect)) answer(event);
        return;
      case "Submit":
        this.#submitters.get(name)?.submit(effect.dispatch);
        this.#submitAll();
        return;
      case "PreparedForUser":
        this.prepared.set(effect.id, effect);
        return;
      case "ShowStep": {
        const { disk, sequencer } = this.node(name);
        const record = disk.records.get(`endorsed:${effect.digest}`);
        const bundle = record?.kind === "endorsed" ? record.bundle : undefined;
        const message = sequencer && proofFor(sequencer, bundle, effect);
        if (message !== undefined)
          this.links.push({ from: name, to: effect.to, message });
        return;
      }
      case "Accepted":
      case "Refused":
      case "Settled":
      case "Save":
      case "Erase":
        return;
    }
  }

  readonly #witness: Witness = {
    started: (node, effects) => {
      this.#observer.started(node);
      const { sequencer } = this.node(node.name);
      this.#invariants.started(node, effects, sequencer);
      this.#effects = effects;
      this.#observer.changes(this.node(node.name));
    },
    crashed: ({ name }) => {
      this.story.tell(name, "crashes");
    },
    turning: () => undefined,
    rested: () => undefined,
    turned: (node, _event, effects) => {
      this.#effects = effects;
      this.#observer.changes(this.node(node.name));
    },
    committing: (node, effects, seen) => {
      this.#invariants.committing(node, effects, seen);
      this.#observer.commit(node, effects);
    },
    performing: (node, effect) => {
      this.#invariants.performing(node, effect);
    },
  };
}
