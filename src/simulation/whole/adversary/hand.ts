import { SigningKey } from "ethers";

import {
  type Address,
  ledgerDomain,
  parseAddress,
} from "../../../ledger/index.ts";
import type {
  Digest,
  GroupAddress,
  IntentId,
  NodeName,
} from "../../../protocol/ids.ts";
import type { Message } from "../../../protocol/messages.ts";
import type { Bundle } from "../../../protocol/transition.ts";
import { hashingOf } from "../../../domains/states/arrange.ts";
import { createState } from "../../../domains/states/content.ts";
import type { ChainClient } from "../../../chain/ports.ts";
import { signTogether } from "../../../keys/step-signatures.ts";
import { decodeBody, encodeBody } from "../../../node/body.ts";
import type { NodeGroup } from "../../../node/service.ts";
import { ticksOf } from "../../../node/settings.ts";
import type { SimulatedLedger } from "../../chain-rpc/ledger.ts";
import type { FaultCounter } from "../../faults.ts";
import { createLiar } from "../../liars/create.ts";
import type { Liar } from "../../liars/liar.ts";
import { everyMs } from "../../liars/liar.ts";
import type { Queue } from "../../queue.ts";
import { Random } from "../../random.ts";
import type { HostKeys, SimulatedHost } from "../host.ts";
import type { WholeSettings } from "../settings.ts";
import { openLetter, Sealer } from "./envelopes.ts";
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

/** Bundles that a liar remembers. */
const BUNDLES_MAX = 256;

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
  readonly #liars = new Map<GroupAddress, Liar>();
  readonly #bundles = new Map<string, Bundle>();
  readonly #withheld = new Map<string, boolean>();
  readonly #payloads: string[] = ["sing a song"];

  constructor(settings: WholeSettings, ports: HandPorts) {
    const { host, keys, ledger } = ports;
    this.#settings = settings;
    this.#ports = ports;
    this.#random = new Random(settings.seed, `hand ${host.name}`);
    this.#sealer = new Sealer({ sign: keys.identity.sign });
    this.#pen = new Pen({ seed: settings.seed, name: host.name }, { ledger });
  }

  /** From now on it lies, in groups that exist by now. */
  start(): void {
    const { host } = this.#ports;
    for (const group of host.node?.groups() ?? []) this.#liarIn(group.address);
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
    for (const text of letter?.texts ?? []) {
      const decoded = decodeBody(text);
      if (decoded.type !== "body" || decoded.body.type !== "message") continue;
      const { group, message } = decoded.body;
      if (letter !== undefined)
        this.#liarIn(group)?.hear(letter.header.from, message);
      this.#note(message);
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

  #twist(to: NodeName, text: string): string[] {
    const { isLying, faults } = this.#ports;
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
    this.#note(message);
    const liar = this.#liarIn(group);
    if (liar === undefined) return [text];
    const said = liar.twist(to, message);
    if (this.#random.chance(0.03)) this.#replay(group, to, message);
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
    const others = [...this.#liars.keys()].filter((one) => one !== from);
    if (others.length === 0) return;
    this.#ports.faults.count("replayed-in-group");
    this.#say(this.#random.pick(others), to, message);
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

  #note(message: Message): void {
    if (message.type === "DelegationRequest")
      for (const { payload } of message.intents)
        this.#payloads[this.#random.below(16)] = payload;
    if (message.type !== "EndorsementRequest") return;
    const { bundle } = message;
    const key = keyOf(
      bundle.steps.map(({ intentId }) => intentId),
      bundle.validUntil,
    );
    this.#bundles.set(key, bundle);
    for (const oldest of this.#bundles.keys()) {
      if (this.#bundles.size <= BUNDLES_MAX) break;
      this.#bundles.delete(oldest);
    }
  }

  /** The hash that its node believes in, if its transaction goes nowhere. */
  #withhold(raw: string): string | undefined {
    const { ledger, isLying, faults } = this.#ports;
    if (!isLying()) return undefined;
    const executed = executedBy(ledger, raw);
    if (executed === undefined) return undefined;
    const key = keyOf(executed.intents, executed.validUntil);
    const bundle = this.#bundles.get(key);
    const liar = this.#liars.get(executed.group);
    if (bundle === undefined || liar?.maySubmit === undefined) return undefined;
    const isWithheld =
      this.#withheld.get(key) ??
      !liar.maySubmit({
        kind: "dispatch",
        bundle,
        endorsements: [],
        acknowledged: [],
      });
    this.#withheld.set(key, isWithheld);
    if (!isWithheld) return undefined;
    faults.count("transaction-withheld");
    return executed.hash;
  }

  #liarIn(address: GroupAddress): Liar | undefined {
    const known = this.#liars.get(address);
    if (known !== undefined) return known;
    const group = this.#ports.host.node?.group(address);
    if (group === undefined) return undefined;
    const liar = this.#create(group);
    this.#liars.set(address, liar);
    liar.start?.();
    const { lieEveryMs } = this.#settings.plan;
    const { queue, isLying, host } = this.#ports;
    const isUp = (): boolean => host.isUp;
    if (liar.lie !== undefined && lieEveryMs > 0)
      everyMs({ queue, isLying, isUp }, lieEveryMs, liar.lie);
    return liar;
  }

  #create(group: NodeGroup): Liar {
    const { host, keys, queue, faults, isLying, ledger } = this.#ports;
    const { seed, node: settings, blockMs, plan, liar } = this.#settings;
    const { address } = group;
    const random = new Random(seed, `liar ${host.name} ${address}`);
    const { chainId } = ledger.options;
    const domain = ledgerDomain({ chainId, group: parseAddress(address) });
    const hashing = hashingOf({ domain, epoch: 0n });
    const key = new SigningKey(`0x${keys.secret}`);
    return createLiar({
      self: host.name,
      keys: {
        signStep: (hash) => signTogether([hash], keys.identity.sign)[0] ?? "",
        signDigest: (digest: Digest) => key.sign(digest).compactSerialized,
      },
      settings: {
        seed,
        tickMs: settings.tickMs,
        blockMs,
        config: {
          ...ticksOf(settings),
          members: group.members,
          committee: group.endorsers,
          threshold: group.threshold,
          hashing,
        },
      },
      makeUp: {
        payload: () => random.pick(Object.values(this.#payloads)),
        state: (intentId: IntentId) => {
          const [known] = host.node?.states(address) ?? [];
          const origin = { intentId, index: random.below(4) };
          const salt = `0x${random.word().toString(16).padStart(32, "0")}`;
          return known && createState(known, origin, salt);
        },
      },
      liar,
      random,
      queue,
      faults,
      plan: () => plan,
      height: () => host.node?.height() ?? 0,
      boot: () => host.node?.status().boot ?? 0,
      isUp: () => host.isUp,
      isLying,
      say: (to, message) => {
        this.#say(address, to, message);
      },
      execute: (prepared) => {
        const { endorserOf, fail } = this.#ports;
        const means = { hashing, endorserOf };
        this.#pen.execute(group, prepared, means).catch(fail);
      },
    });
  }
}

function keyOf(intents: readonly string[], validUntil: number): string {
  return `${[...intents].sort().join(" ")} ${validUntil}`;
}
