import type { Hashing } from "../protocol/config.ts";
import type { Event } from "../protocol/events.ts";
import type { NodeName } from "../protocol/ids.ts";
import type { Message } from "../protocol/messages.ts";
import { Adversary } from "./adversary.ts";
import type { FaultCounter, FaultPlan } from "./faults.ts";
import { isSigned } from "./hashing.ts";
import { Violation } from "./violation.ts";
import { Network } from "./network.ts";
import type { SimulatedNode } from "./node.ts";
import type { Queue } from "./queue.ts";
import { Random } from "./random.ts";
import type { Settings } from "./settings.ts";

/** Carries messages between nodes. What a liar says passes through its adversary first. */
export class Post {
  readonly #members: readonly NodeName[];
  readonly #liars: ReadonlySet<NodeName>;
  readonly #random: Random;
  readonly #adversary: Adversary;
  readonly #network: Network<Message>;
  readonly #isFreezing: boolean;
  readonly #stepHash: Hashing["stepHash"];
  readonly #ports: {
    readonly faults: FaultCounter;
    readonly plan: () => FaultPlan;
    readonly tell: (index: number, event: Event) => void;
  };

  constructor(
    options: {
      readonly settings: Pick<Settings, "seed" | "config" | "domain">;
      readonly liars: ReadonlySet<NodeName>;
      readonly plan: FaultPlan;
    },
    ports: {
      readonly queue: Queue;
      readonly faults: FaultCounter;
      readonly plan: () => FaultPlan;
      readonly tell: (index: number, event: Event) => void;
    },
  ) {
    const { settings, plan } = options;
    const { seed, config, domain } = settings;
    this.#members = config.members;
    this.#stepHash = config.hashing.stepHash;
    this.#liars = options.liars;
    this.#random = new Random(seed, "post");
    this.#isFreezing = this.#random.chance(0.1);
    this.#adversary = new Adversary(
      { hashing: config.hashing, makeUp: domain.makeUp },
      new Random(seed, "adversary"),
    );
    this.#ports = ports;
    this.#network = new Network(
      { size: config.members.length, plan },
      {
        queue: ports.queue,
        random: new Random(seed, "network"),
        faults: ports.faults,
        deliver: (to, from, message) => {
          this.#deliver(to, from, message);
        },
      },
    );
  }

  start(): void {
    this.#network.start();
  }

  /** When all that was sent up to now has arrived. */
  get allArrivedMs(): number {
    return this.#network.allArrivedMs;
  }

  heal(plan: FaultPlan): void {
    this.#network.heal(plan);
  }

  send(node: SimulatedNode, toName: NodeName, message: Message): void {
    const to = this.#members.indexOf(toName);
    if (to === -1)
      throw new Violation("S33", `${node.name} sends to ${toName}: nobody`);
    // Nodes share the objects of a message here: in some runs a change in place throws.
    if (this.#isFreezing) freeze(message);
    const said = this.#liars.has(node.name) ? this.#twist(message) : message;
    if (said !== undefined) this.#network.send(node.index, to, said);
  }

  /** What a liar makes of a message; nothing, if it keeps it to itself. */
  #twist(message: Message): Message | undefined {
    const { faults } = this.#ports;
    const { withhold, mutate } = this.#ports.plan();
    this.#adversary.observe(message);
    if (this.#random.chance(withhold)) {
      faults.count("withheld");
      return undefined;
    }
    if (!this.#random.chance(mutate)) return message;
    faults.count(`mutated-${message.type}`);
    return this.#adversary.mutate(message);
  }

  /** A liar says something to somebody. */
  lie(isUp: (index: number) => boolean): void {
    const [liar] = this.#liars;
    if (liar === undefined) return;
    const from = this.#members.indexOf(liar);
    const message = this.#adversary.lie(liar);
    const to = this.#random.below(this.#members.length);
    if (message === undefined || to === from || !isUp(from)) return;
    this.#ports.faults.count(`lie-${message.type}`);
    this.#network.send(from, to, message);
  }

  /** A liar asks others at once for what a coordinator asks it for, as if it were the coordinator. */
  #usurp(liar: number, message: Message): void {
    const name = this.#members[liar];
    if (message.type !== "EndorsementRequest" || name === undefined) return;
    if (!this.#random.chance(this.#ports.plan().mutate)) return;
    this.#ports.faults.count("usurped");
    for (const [index] of this.#members.entries())
      if (index !== liar)
        this.#network.send(liar, index, { ...message, coordinator: name });
  }

  #deliver(to: number, fromIndex: number, message: Message): void {
    const from = this.#members[fromIndex];
    const receiver = this.#members[to];
    if (from === undefined || receiver === undefined) return;
    if (this.#liars.has(receiver)) {
      this.#adversary.observe(message);
      this.#usurp(to, message);
    }
    // The edge of a node checks signatures before the protocol sees a message.
    if (
      message.type === "Endorsement" &&
      !isSigned(message.signature, from, message.digest)
    )
      return;
    if (
      message.type === "TransactionPrepared" &&
      !message.endorsements.every(({ endorser, digest, signature }) =>
        isSigned(signature, endorser, digest),
      )
    )
      return;
    if (
      message.type === "FulfilmentProof" &&
      message.step.sender === receiver &&
      !isSigned(message.step.signature, receiver, this.#stepHash(message.step))
    )
      return;
    this.#ports.tell(to, { type: "MessageReceived", from, message });
  }
}

function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value))
    return;
  Object.freeze(value);
  for (const part of Object.values(value)) freeze(part);
}
