import type { NodeName } from "../protocol/ids.ts";
import type { Identity, Registry } from "../keys/identity.ts";
import type { Receive, Transport } from "./ports.ts";
import type { Carrier, Connect } from "./carrier.ts";
import {
  createSeal,
  type DropReason,
  EnvelopeOpener,
  isTooLarge,
  type Opened,
  type Seal,
  type VerifyEnvelope,
} from "./envelope.ts";
import { HeldBodies } from "./held-bodies.ts";
import type { NetworkId } from "./network-id.ts";
import { createSession, type Session, unknownSession } from "./session.ts";

/** One node on the network. */
export interface Member {
  readonly name: NodeName;
  readonly network: NetworkId;
  /** Grows with every start, durably. */
  readonly boot: number;
  readonly identity: Identity;
  /** The public keys of all nodes, this one among them. */
  readonly registry: Registry<NodeName>;
  /** The boots in which peers were heard before this start. */
  readonly boots?: ReadonlyMap<NodeName, number> | undefined;
  /** Drawn at random with every start; only tests choose one. */
  readonly session?: Session;
  /** Without it, signatures are those of Ed25519. */
  readonly verify?: VerifyEnvelope | undefined;
}

/** A transport that proves who sent what. */
export interface SealedTransport extends Transport {
  /** Bodies that were dropped here, by reason: on arrival, or before they left. */
  readonly dropped: () => Readonly<Partial<Record<Dropped, number>>>;
}

type Dropped = DropReason | "misaddressed" | "too-large-to-send" | "unheard";

interface SealedPorts {
  readonly connect: Connect;
  readonly receive: Receive;
  /** A peer is heard in a later boot than ever before. */
  readonly onBoot?: ((peer: NodeName, boot: number) => void) | undefined;
  /** Milliseconds since any moment. */
  readonly now?: (() => number) | undefined;
}

/** Between two greetings of a peer that does not answer. Each costs a signature, and so does the answer. */
const GREETING_MS = 100;

/**
 * Puts envelopes around what a carrier moves. Every envelope names the session of its receiver, so nodes greet each other when
 * they start, and when one of them writes to a session that is over.
 */
export function createSealedTransport(
  member: Member,
  ports: SealedPorts,
): SealedTransport {
  const sealed = new Sealed(member, ports);
  return {
    send: (to, body) => {
      sealed.send(to, body);
    },
    stop: async () => {
      await sealed.stop();
    },
    dropped: () => sealed.dropped(),
  };
}

class Sealed {
  readonly #ports: SealedPorts;
  readonly #seal: Seal;
  readonly #opener: EnvelopeOpener;
  readonly #carrier: Carrier;
  readonly #held = new HeldBodies();
  /** When peers were greeted that have not answered. */
  readonly #greeted = new Map<NodeName, number>();
  readonly #dropped: Partial<Record<Dropped, number>> = {};
  #isStopped = false;

  constructor(member: Member, ports: SealedPorts) {
    const own = {
      ...member,
      session: member.session ?? createSession(Date.now()),
    };
    this.#ports = ports;
    this.#seal = createSeal(own);
    this.#opener = new EnvelopeOpener(own);
    this.#carrier = ports.connect(own.name, (wire) => {
      this.#arrive(wire);
    });
    for (const peer of own.registry.keys())
      if (peer !== own.name) this.#greet(peer);
  }

  send(to: NodeName, body: string): void {
    if (this.#isStopped) return;
    if (isTooLarge(body)) this.#count("too-large-to-send");
    else if (this.#opener.sessionOf(to) !== undefined) this.#carry(to, body);
    else this.#hold(to, body);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#carrier.stop();
  }

  dropped(): Readonly<Partial<Record<Dropped, number>>> {
    return { ...this.#dropped };
  }

  #arrive(wire: Uint8Array): void {
    if (this.#isStopped) return;
    const opened = this.#opener.open(wire);
    if (opened.type === "dropped") {
      this.#count(opened.reason);
      return;
    }
    const { from } = opened;
    if (opened.isNewBoot) this.#ports.onBoot?.(from, this.#opener.bootOf(from));
    this.#take(opened);
    for (const body of this.#held.take(from)) this.#carry(from, body);
  }

  #take(opened: Exclude<Opened, { readonly type: "dropped" }>): void {
    const { from } = opened;
    switch (opened.type) {
      case "body":
        this.#ports.receive(from, opened.body);
        return;
      case "greeting":
        return;
      case "misaddressed":
        if (!opened.isGreeting) this.#count("misaddressed");
        this.#carry(from, "");
    }
  }

  /** The peer may have missed earlier greetings, or have come up only now. */
  #hold(to: NodeName, body: string): void {
    const lost = this.#held.add(to, body);
    if (lost > 0) this.#count("unheard", lost);
    const last = this.#greeted.get(to);
    if (last === undefined || this.#now() - last >= GREETING_MS)
      this.#greet(to);
  }

  #greet(peer: NodeName): void {
    this.#greeted.set(peer, this.#now());
    this.#carry(peer, "");
  }

  #carry(name: NodeName, body: string): void {
    const session = this.#opener.sessionOf(name) ?? unknownSession;
    const wire = this.#seal({ name, session }, body);
    this.#carrier.carry(name, wire);
  }

  #count(reason: Dropped, by = 1): void {
    this.#dropped[reason] = (this.#dropped[reason] ?? 0) + by;
  }

  #now(): number {
    return (this.#ports.now ?? (() => performance.now()))();
  }
}
