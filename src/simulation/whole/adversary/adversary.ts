import type { ChainClient } from "../../../chain/ports.ts";
import { createEndorser } from "../../../keys/secp256k1.ts";
import type { Address } from "../../../ledger/index.ts";
import type { NodeName } from "../../../protocol/ids.ts";
import type { SimulatedLedger } from "../../chain-rpc/ledger.ts";
import type { FaultCounter } from "../../faults.ts";
import type { Queue } from "../../queue.ts";
import { Random } from "../../random.ts";
import type { SimulationResult } from "../../simulate.ts";
import type { HostKeys, SimulatedHost } from "../host.ts";
import type { WholeSettings } from "../settings.ts";
import type { WholeGroup } from "../users.ts";
import { Hand } from "./hand.ts";
import { Outsider } from "./outsider.ts";

interface AdversaryPorts {
  readonly queue: Queue;
  readonly faults: FaultCounter;
  readonly ledger: SimulatedLedger;
  readonly hosts: ReadonlyMap<NodeName, SimulatedHost>;
  readonly keys: ReadonlyMap<NodeName, HostKeys>;
  readonly say: (name: string, what: string) => void;
  /** Puts an envelope on the network. */
  readonly carry: (from: NodeName, to: NodeName, wire: Uint8Array) => void;
  readonly fail: (error: unknown) => void;
}

/** All that works against the groups: members that lie, fewer than would stop a group for good, and somebody on the network. */
export class Adversary {
  readonly liars = new Set<NodeName>();
  /** Liars that never come back. */
  readonly gone = new Set<NodeName>();
  readonly #settings: WholeSettings;
  readonly #ports: AdversaryPorts;
  readonly #random: Random;
  readonly #hands = new Map<NodeName, Hand>();
  readonly #addresses = new Map<NodeName, Address>();
  readonly #outsider: Outsider;
  #isLying = false;

  constructor(settings: WholeSettings, ports: AdversaryPorts) {
    this.#settings = settings;
    this.#ports = ports;
    this.#random = new Random(settings.seed, "adversary of all");
    for (const [name, { secret }] of ports.keys)
      this.#addresses.set(name, createEndorser(`0x${secret}`).address);
    this.#outsider = new Outsider(settings, {
      ...ports,
      isActive: () => this.#isLying && settings.plan.liars > 0,
    });
  }

  get isLying(): boolean {
    return this.#isLying && this.liars.size > 0;
  }

  /** The first of those that lie. */
  get described(): SimulationResult["liar"] {
    if (this.liars.size === 0) return undefined;
    const { kind, isLasting } = this.#settings.liar;
    return { name: [...this.liars].join(", "), kind, isLasting };
  }

  /** The groups are there, and things begin to go wrong. */
  start(groups: readonly WholeGroup[]): void {
    const { plan, names, liar } = this.#settings;
    if (plan.liars === 0) return;
    this.#isLying = true;
    for (const name of this.#random.shuffle(names))
      if (this.liars.size < liar.count && canBear(groups, this.liars, name))
        this.liars.add(name);
    for (const name of this.liars) this.#addHand(name);
    if (liar.vanishes)
      this.#ports.ledger.onHead(() => {
        this.#vanish();
      });
  }

  /** Everything else heals. */
  heal(): void {
    if (!this.#settings.liar.isLasting) this.stop();
  }

  /** Everybody tells the truth from now on. */
  stop(): void {
    if (this.isLying) this.#ports.say("liars", "tell the truth");
    this.#isLying = false;
  }

  /** Whether somebody else takes care of an envelope that a node sends. */
  send(from: NodeName, to: NodeName, wire: Uint8Array): boolean {
    const hand = this.#hands.get(from);
    hand?.send(to, wire);
    if (hand === undefined) this.#outsider.see(from, to, wire);
    return hand !== undefined;
  }

  /** An envelope arrives. */
  hear(to: NodeName, wire: Uint8Array): void {
    this.#hands.get(to)?.hear(wire);
  }

  clientOf(name: NodeName, client: ChainClient): ChainClient {
    return {
      ...client,
      request: async (method, params) =>
        await (this.#hands.get(name)?.clientOf(client) ?? client).request(
          method,
          params,
        ),
    };
  }

  #addHand(name: NodeName): void {
    const { hosts, keys, carry, say } = this.#ports;
    const host = hosts.get(name);
    const own = keys.get(name);
    if (host === undefined || own === undefined) return;
    say(name, `lies: ${this.#settings.liar.kind}`);
    const hand = new Hand(this.#settings, {
      ...this.#ports,
      host,
      keys: own,
      isLying: () => this.#isLying && !this.gone.has(name),
      endorserOf: (node) => {
        const address = this.#addresses.get(node);
        if (address === undefined) throw new Error(`${node} has no key.`);
        return address;
      },
      carry: (to, wire) => {
        carry(name, to, wire);
      },
    });
    this.#hands.set(name, hand);
    hand.start();
  }

  /** A liar has something on the ledger: it is never heard of again. */
  #vanish(): void {
    const { ledger, hosts, faults, say } = this.#ports;
    if (!this.#isLying) return;
    for (const name of this.liars) {
      const payer = this.#addresses.get(name);
      const isThere = ledger.head.transactions.some(
        ({ transaction }) => transaction.from === payer,
      );
      if (!isThere || this.gone.has(name)) continue;
      this.gone.add(name);
      faults.count("vanished");
      say(name, "vanishes");
      hosts.get(name)?.crash({ isKept: true });
    }
  }
}

/** Whether every group goes on if one more of its members lies. */
function canBear(
  groups: readonly WholeGroup[],
  liars: ReadonlySet<NodeName>,
  name: NodeName,
): boolean {
  return groups.every(({ endorsers, threshold, trial }) => {
    const honest = endorsers.filter((one) => one !== name && !liars.has(one));
    // Where the notary alone coordinates, it must be honest.
    return (
      honest.length >= threshold &&
      (trial.domain.mode !== "remote" || honest.length > 0)
    );
  });
}
