import { SigningKey } from "ethers";

import {
  type Address,
  ledgerDomain,
  parseAddress,
} from "../../../ledger/index.ts";
import type { Digest, GroupAddress, NodeName } from "../../../protocol/ids.ts";
import type { Message } from "../../../protocol/messages.ts";
import type { Prepared } from "../../../protocol/records.ts";
import type { Bundle } from "../../../protocol/transition.ts";
import { hashingOf } from "../../../domains/states/arrange.ts";
import type { ChainClient } from "../../../chain/ports.ts";
import { decodeBody, encodeBody } from "../../../node/body.ts";
import type { SimulatedLedger } from "../../chain-rpc/ledger.ts";
import type { FaultCounter } from "../../faults.ts";
import { everyMs } from "../../liars/liar.ts";
import type { Queue } from "../../queue.ts";
import { Random } from "../../random.ts";
import type { HostKeys, SimulatedHost } from "../host.ts";
import type { WholeSettings } from "../settings.ts";
import { type CollectedBundle, Collection } from "./collection.ts";
import { openLetter, Sealer } from "./envelopes.ts";
import { foreignRequest } from "./foreign-steps.ts";
import { createGroupLiar, type LiarsGroup } from "./group-liar.ts";
import { Pen } from "./pen.ts";
import { executedBy } from "./submissions.ts";

interface HandPorts {
  readonly host: SimulatedHost;
  readonly keys: HostKeys;
  readonly ledger: SimulatedLedger;
  readonly queue: Queue;
  readonly faults: FaultCounter;
  readonly isLying: () => boolean;
  readonly endorserOf: (name: NodeName) => Address;
  /** Gets what goes wrong where it must not. */
  readonly fail: (error: unknown) => void;
  /** Puts an envelope on the network. */
  readonly carry: (to: NodeName, wire: Uint8Array) => void;
}

/** Bundles of other groups whose steps it asks for at a time. */
const FOREIGN = 3;
/** Messages of a flood: more than a node keeps of one peer. */
const FLOOD = 6_000;
/** Bodies in one of its envelopes. */
const FLOOD_BODIES = 1_000;
/** Floods of one run. */
const FLOODS_MAX = 3;

/**
 * The hand of a member that lies: all that its node sends, hears and submits passes through it. It opens envelopes, alters what is in
 * them and closes them with the member's own key; it keeps transactions back, and submits bundles itself. In each group it is a liar of
 * the kind that the run has.
 */
export class Hand {
  readonly #settings: WholeSettings;
  readonly #ports: HandPorts;
  readonly #random: Random;
  readonly #sealer: Sealer;
  readonly #pen: Pen;
  readonly #groups = new Map<GroupAddress, LiarsGroup>();
  readonly #collection = new Collection();
  readonly #withheld = new Map<Digest, boolean>();
  readonly #payloads: string[] = ["sing a song"];
  readonly #signDigest: (digest: Digest) => string;
  /** Bundles that are asked for in a group for which nobody signed their steps. */
  readonly #foreign = new Set<Digest>();
  #floods = 0;

  constructor(settings: WholeSettings, ports: HandPorts) {
    const { host, keys, ledger } = ports;
    this.#settings = settings;
    this.#ports = ports;
    this.#random = new Random(settings.seed, `hand ${host.name}`);
    this.#sealer = new Sealer({ sign: keys.identity.sign });
    this.#pen = new Pen({ seed: settings.seed, name: host.name }, { ledger });
    const key = new SigningKey(`0x${keys.secret}`);
    this.#signDigest = (digest) => key.sign(digest).compactSerialized;
  }

  /** From now on it lies, in groups that exist by now. */
  start(): void {
    const { host } = this.#ports;
    for (const group of host.node?.groups() ?? []) this.#groupAt(group.address);
  }

  /** Its node sends an envelope. */
  send(to: NodeName, wire: Uint8Array): void {
    const letter = openLetter(wire);
    if (letter === undefined) return;
    this.#sealer.see(letter.header);
    const kept: string[] = [];
    for (const text of letter.texts) kept.push(...this.#twist(to, text));
    // An empty envelope is a greeting, which is the truth.
    if (kept.length > 0 || letter.texts.length === 0) this.#post(to, kept);
  }

  /** An envelope comes for its node, which gets it too. */
  hear(wire: Uint8Array): void {
    if (!this.#ports.isLying()) return;
    const letter = openLetter(wire);
    if (letter === undefined) return;
    const { from } = letter.header;
    for (const text of letter.texts) {
      const decoded = decodeBody(text);
      if (decoded.type !== "body" || decoded.body.type !== "message") continue;
      const { group, message } = decoded.body;
      this.#groupAt(group)?.liar.hear(from, message);
      this.#note(group, from, message);
    }
  }

  /** The way of its node to the chain. */
  clientOf(client: ChainClient): ChainClient {
    return {
      ...client,
      request: async (method, params) => {
        const [raw] = params;
        if (method !== "eth_sendRawTransaction" || typeof raw !== "string")
          return await client.request(method, params);
        return this.#withhold(raw) ?? (await client.request(method, params));
      },
    };
  }

  /** Whether it can submit a bundle, with its own endorsement if it may endorse. */
  #isEndorsed({ group: address, endorsements }: CollectedBundle): boolean {
    const { group } = this.#groups.get(address) ?? {};
    if (group === undefined) return false;
    const own = group.endorsers.includes(this.#ports.host.name) ? 1 : 0;
    return endorsements.size + own >= group.threshold;
  }

  #twist(to: NodeName, text: string): string[] {
    const { isLying, faults, host } = this.#ports;
    const { withhold } = this.#settings.plan;
    if (!isLying()) return [text];
    const decoded = decodeBody(text);
    if (decoded.type !== "body") return [text];
    const { body } = decoded;
    if (body.type === "tell" || body.type === "groups-told") {
      if (!this.#random.chance(Math.max(withhold, 0.5))) return [text];
      faults.count("content-withheld");
      return [];
    }
    if (body.type !== "message") return [text];
    const { group, message } = body;
    this.#note(group, host.name, message);
    const own = this.#groupAt(group);
    if (own === undefined) return [text];
    const said = own.liar.twist(to, message);
    if (this.#random.chance(0.03)) this.#replay(group, to, message);
    this.#flood(to, text);
    const here: string[] = [];
    for (const one of said)
      if (one.to !== to) this.#say(group, one.to, one.message);
      else if (one.message === message) here.push(text);
      else
        here.push(encodeBody({ type: "message", group, message: one.message }));
    return here;
  }

  /** Says in another group what was meant for this one: the same members sign with the same keys there. */
  #replay(from: GroupAddress, to: NodeName, message: Message): void {
    const others = [...this.#groups.keys()].filter((one) => one !== from);
    if (others.length === 0) return;
    this.#ports.faults.count("replayed-in-group");
    this.#say(this.#random.pick(others), to, message);
  }

  /** Has a step endorsed in every other group of its sender. */
  #askAbroad(from: GroupAddress, bundle: Bundle): void {
    for (const [address, own] of this.#groups)
      if (address !== from) this.#askFor(own, bundle);
  }

  /** It coordinates a group, so endorsers may listen: has steps of other groups endorsed there. */
  #askHere(address: GroupAddress): void {
    const own = this.#groups.get(address);
    if (own === undefined) return;
    for (const { bundle } of this.#collection.ofOthers(address, FOREIGN))
      this.#askFor(own, bundle);
  }

  #askFor(own: LiarsGroup, bundle: Bundle): void {
    const { host, faults } = this.#ports;
    const height = host.node?.height() ?? 0;
    const means = { self: host.name, random: this.#random, height };
    const request = foreignRequest(bundle, own, means);
    if (request === undefined) return;
    const { address, endorsers } = own.group;
    faults.count("asked-in-group");
    this.#foreign.add(request.bundle.digest);
    this.#collection.add(address, request.bundle);
    for (const endorser of endorsers) this.#say(address, endorser, request);
  }

  /** Says the same thing again, far more often than a node can hear. */
  #flood(to: NodeName, text: string): void {
    const { liar } = this.#settings;
    if (liar.kind !== "flooder" || this.#floods >= FLOODS_MAX) return;
    if (text.length > 1_000 || !this.#random.chance(0.02)) return;
    this.#floods += 1;
    this.#ports.faults.count("flood");
    const texts = Array<string>(FLOOD_BODIES).fill(text);
    for (let i = 0; i < FLOOD; i += FLOOD_BODIES) this.#post(to, texts);
  }

  #say(group: GroupAddress, to: NodeName, message: Message): void {
    const { isLying, host } = this.#ports;
    if (!isLying() || !host.isUp || to === host.name) return;
    this.#post(to, [encodeBody({ type: "message", group, message })]);
  }

  #post(to: NodeName, texts: readonly string[]): void {
    const wire = this.#sealer.seal(to, texts);
    if (wire !== undefined) this.#ports.carry(to, wire);
  }

  #note(group: GroupAddress, from: NodeName, message: Message): void {
    if (message.type === "DelegationRequest")
      for (const { payload } of message.intents)
        this.#payloads[this.#random.below(16)] = payload;
    const fresh = this.#collection.see(group, from, message);
    if (fresh !== undefined) {
      this.#askAbroad(group, fresh);
      if (from === this.#ports.host.name) this.#askHere(group);
    }
    if (message.type !== "Endorsement") return;
    const { digest } = message;
    const collected = this.#collection.get(digest);
    if (collected === undefined || !this.#foreign.has(digest)) return;
    if (!this.#isEndorsed(collected)) return;
    this.#foreign.delete(digest);
    this.#submit(collected);
  }

  #submit({ group: address, bundle, endorsements }: CollectedBundle): void {
    const { name } = this.#ports.host;
    const all = new Map(endorsements);
    if (this.#groups.get(address)?.group.endorsers.includes(name) === true) {
      const { digest } = bundle;
      const signature = this.#signDigest(digest);
      all.set(name, { endorser: name, digest, signature });
    }
    this.#execute(address, { bundle, endorsements: [...all.values()] });
  }

  #execute(address: GroupAddress, prepared: Prepared): void {
    const own = this.#groups.get(address);
    if (own === undefined) return;
    const { endorserOf, fail } = this.#ports;
    const means = { hashing: own.hashing, endorserOf };
    this.#pen.execute(own.group, prepared, means).catch(fail);
  }

  /** The hash that its node believes in, if its transaction goes nowhere. */
  #withhold(raw: string): string | undefined {
    const { ledger, isLying, faults } = this.#ports;
    if (!isLying()) return undefined;
    const executed = executedBy(ledger, raw);
    if (executed === undefined) return undefined;
    const { intents, validUntil } = executed;
    const bundle = this.#collection.find(intents, validUntil)?.bundle;
    if (bundle === undefined) return undefined;
    const liar = this.#groups.get(executed.group)?.liar;
    if (liar?.maySubmit === undefined) return undefined;
    const isWithheld =
      this.#withheld.get(bundle.digest) ??
      !liar.maySubmit({
        kind: "dispatch",
        bundle,
        endorsements: [],
        acknowledged: [],
      });
    this.#withheld.set(bundle.digest, isWithheld);
    if (!isWithheld) return undefined;
    faults.count("transaction-withheld");
    return executed.hash;
  }

  #groupAt(address: GroupAddress): LiarsGroup | undefined {
    const known = this.#groups.get(address);
    if (known !== undefined) return known;
    const { ledger, queue, isLying, host } = this.#ports;
    const group = host.node?.group(address);
    if (group === undefined) return undefined;
    const { chainId } = ledger.options;
    const domain = ledgerDomain({ chainId, group: parseAddress(address) });
    const hashing = hashingOf({ domain, epoch: 0n });
    const ports = {
      ...this.#ports,
      signDigest: this.#signDigest,
      payloads: this.#payloads,
      say: (to: NodeName, message: Message) => {
        this.#say(address, to, message);
      },
      execute: (prepared: Prepared) => {
        this.#execute(address, prepared);
      },
    };
    const liar = createGroupLiar(this.#settings, { group, hashing }, ports);
    const own = { group, hashing, liar };
    this.#groups.set(address, own);
    liar.start?.();
    const { lieEveryMs } = this.#settings.plan;
    const isUp = (): boolean => host.isUp;
    if (liar.lie !== undefined && lieEveryMs > 0)
      everyMs({ queue, isLying, isUp }, lieEveryMs, liar.lie);
    return own;
  }
}
