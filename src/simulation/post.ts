import type { Hashing } from "../protocol/config.ts";
import type { Event } from "../protocol/events.ts";
import type { NodeName } from "../protocol/ids.ts";
import type { Message } from "../protocol/messages.ts";
import type { DispatchRecord, Prepared } from "../protocol/records.ts";
import type { FaultCounter, FaultPlan } from "./faults.ts";
import { isSigned, sign } from "./hashing.ts";
import { createLiar } from "./liars/create.ts";
import type { Liar } from "./liars/liar.ts";
import { Violation } from "./violation.ts";
import { Network } from "./network.ts";
import type { SimulatedNode } from "./node.ts";
import type { Queue } from "./queue.ts";
import { Random } from "./random.ts";
import type { Settings } from "./settings.ts";

/** What carrying messages needs of the world. */
export interface PostPorts {
  readonly queue: Queue;
  readonly faults: FaultCounter;
  readonly plan: () => FaultPlan;
  readonly node: (index: number) => SimulatedNode | undefined;
  readonly tell: (index: number, event: Event) => void;
  /** Told of all that liars say. */
  readonly said: (message: Message) => void;
  /** A liar submits a bundle. */
  readonly execute: (prepared: Prepared) => void;
}

/** Carries messages between nodes. What a liar says and hears passes through it first. */
export class Post {
  readonly #members: readonly NodeName[];
  readonly #liars = new Map<NodeName, Liar>();
  readonly #network: Network<Message>;
  readonly #isFreezing: boolean;
  readonly #stepHash: Hashing["stepHash"];
  readonly #ports: PostPorts;

  constructor(
    options: {
      readonly settings: Settings;
      readonly liars: ReadonlySet<NodeName>;
      readonly plan: FaultPlan;
    },
    ports: PostPorts,
  ) {
    const { settings, liars, plan } = options;
    const { seed, config } = settings;
    const random = new Random(seed, "post");
    this.#members = config.members;
    this.#stepHash = config.hashing.stepHash;
    this.#isFreezing = random.chance(0.1);
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
    for (const name of liars)
      this.#liars.set(name, this.#createLiar(name, settings, random));
  }

  #createLiar(self: NodeName, settings: Settings, random: Random): Liar {
    const { queue, faults, plan, node, execute } = this.#ports;
    const index = this.#members.indexOf(self);
    return createLiar({
      self,
      keys: {
        signStep: (hash) => sign(self, hash),
        signDigest: (digest) => sign(self, digest),
      },
      settings,
      makeUp: settings.domain.makeUp,
      liar: settings.liar,
      random,
      queue,
      faults,
      plan,
      height: () => node(index)?.height ?? 0,
      boot: () => node(index)?.boot ?? 0,
      isUp: () => node(index)?.isUp === true,
      isLying: () => plan().liars > 0,
      say: (to, message) => {
        this.#say(index, to, message);
      },
      execute,
    });
  }

  start(): void {
    this.#network.start();
    for (const { start } of this.#liars.values()) start?.();
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
    const liar = this.#liars.get(node.name);
    if (liar === undefined) {
      this.#network.send(node.index, to, message);
      return;
    }
    for (const said of liar.twist(toName, message))
      this.#say(node.index, said.to, said.message);
  }

  #say(liar: number, to: NodeName, message: Message): void {
    this.#ports.said(message);
    this.#network.send(liar, this.#members.indexOf(to), message);
  }

  /** Whether what a node submits gets anywhere. */
  maySubmit({ name }: SimulatedNode, dispatch: DispatchRecord): boolean {
    return this.#liars.get(name)?.maySubmit?.(dispatch) ?? true;
  }

  /** Liars say something to somebody, if they are of that kind. */
  lie(): void {
    for (const { lie } of this.#liars.values()) lie?.();
  }

  #deliver(to: number, fromIndex: number, message: Message): void {
    const from = this.#members[fromIndex];
    const receiver = this.#members[to];
    if (from === undefined || receiver === undefined) return;
    this.#liars.get(receiver)?.hear(from, message);
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
