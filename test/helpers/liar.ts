import { limits } from "../../src/protocol/limits.ts";
import type { Random } from "./random.ts";

/** What a lying member may say: anything at all, much of it almost true. */
export interface Liar {
  /** It heard something that honest nodes say: words to lie with. */
  readonly hear: (body: string) => void;
  /** The next lie. */
  readonly lie: () => string;
}

/** Bodies of others that it remembers. */
const SAMPLES = 400;
const WORDS = 2_000;

type Json = null | boolean | number | string | Json[] | JsonObject;
interface JsonObject {
  [name: string]: Json;
}

/** A member of a group that knows all that is said in it. */
export function createLiar(
  options: {
    readonly group: string;
    readonly names: readonly string[];
    /** Who it is. */
    readonly self: string;
  },
  { random, sign, digestOf }: Ports,
): Liar {
  const { group, names, self } = options;
  const samples: string[] = [];
  const words: string[] = [];
  const keys: string[] = ["alice:1:1"];

  const word = (): string => {
    if (random.chance(0.05)) return `0x${random.pick(["00", "ff"]).repeat(32)}`;
    return words.length > 0 && random.chance(0.6)
      ? random.pick(words)
      : random.bytes32();
  };
  const key = (): string =>
    random.chance(0.7) ? random.pick(keys) : `${self}:1:${random.below(1_000)}`;
  const name = (): string => random.pick([...names, "mallory", "x"]);
  const userName = (): string =>
    random.pick(["user", "__proto__", "", "a@b", `u${random.below(1_000)}`]);
  const height = (): number =>
    random.pick([0, 1, 5, 20, 60, 1_000_000, 2 ** 53 - 1]);
  const many = <Item>(make: () => Item, most = 4): Item[] =>
    Array.from({ length: random.below(most + 1) }, make);
  const place = (): string =>
    random.chance(0.5)
      ? `0x${random.bytes32().slice(2)}${"0".repeat(24)}`
      : `0x${"ab".repeat(1 + random.below(64))}`;
  const placed = (): Json => ({ id: word(), place: place() });
  const content = (): string =>
    random.pick([
      "",
      "{}",
      "[",
      '{"__proto__":{"polluted":true}}',
      `{"intent":"${word()}","index":0,"salt":"","schema":"coin","label":"pot","data":{"account":"pot","amount":"1"}}`,
    ]);
  const state = (): Json => ({ id: word(), content: content() });
  const payload = (): string =>
    random.pick([
      "",
      "null",
      '{"type":"transfer","from":"pot","to":"dave","amount":"1"}',
      '{"type":"mint","to":"__proto__","amount":"99999999999999999999"}',
    ]);
  const intent = (): Json => ({
    id: word(),
    payload: payload(),
    dependsOn: many(word),
    touches: random.chance(0.5) ? null : many(name),
    isPrepareOnly: random.chance(0.2),
  });
  const step = (): Json => ({
    intentId: word(),
    sender: name(),
    payload: payload(),
    inputs: many(word),
    reads: many(word, 1),
    outputs: many(state),
    found: many(placed),
    signature: random.pick(["", "AAAA", "nonsense"]),
  });
  /** Nonsense with the right digest gets further. */
  const sealed = (nonsense: JsonObject): Json => {
    const digest = random.chance(0.7) ? digestOf(nonsense) : undefined;
    return { ...nonsense, digest: digest ?? word() };
  };
  const bundle = (): Json =>
    sealed({
      steps: many(step),
      places: many(placed),
      validUntil: height(),
    });
  const view = (): Json => ({ created: many(state), spent: many(word) });
  const signature = (digest: string): string =>
    random.pick([
      () => "",
      () => "0x",
      () => `0x${random.bytes32().slice(2).repeat(2)}1b`,
      () => sign(digest),
      () => sign(random.bytes32()),
    ])();
  const endorsement = (): Json => {
    const digest = word();
    return { endorser: name(), digest, signature: signature(digest) };
  };
  const stages = ["pooled", "assembling", "submitted", "confirmed", "reverted"];
  const ids = (): Json => many(word, random.chance(0.02) ? 1_001 : 4);

  const messages: Readonly<Record<string, () => JsonObject>> = {
    DelegationRequest: () => ({
      key: key(),
      height: height(),
      intents: many(intent),
    }),
    DelegationAccepted: () => ({ key: key(), ids: ids(), height: height() }),
    DelegationRejected: () => ({
      key: key(),
      ids: ids(),
      height: height(),
      reason: random.pick(["not-coordinator", "sender-behind", "busy"]),
      active: random.chance(0.5) ? name() : null,
    }),
    DelegationReturned: () => ({ ids: ids(), height: height() }),
    AssembleRequest: () => ({
      key: key(),
      ids: many(word, 16),
      height: height(),
      view: view(),
    }),
    AssembleResponse: () => ({
      key: key(),
      outcomes: many(() =>
        random.chance(0.5)
          ? { type: "assembled", id: word(), step: step() }
          : {
              type: random.pick(["reverted", "parked", "postponed"]),
              id: word(),
              reason: "",
            },
      ),
    }),
    EndorsementRequest: () => ({
      key: key(),
      coordinator: random.chance(0.7) ? self : name(),
      height: height(),
      bundle: bundle(),
      view: view(),
    }),
    Endorsement: () => {
      const digest = word();
      return { key: key(), digest, signature: signature(digest) };
    },
    Refusal: () => ({
      key: key(),
      digest: word(),
      height: height(),
      reason: "invalid",
      detail: "because",
      faults: many(() => ({ intentId: word(), detail: "because" })),
    }),
    DispatchPermissionRequest: () => ({ key: key(), bundle: bundle() }),
    DispatchPermission: () => ({ key: key(), digest: word(), ids: ids() }),
    DispatchDenial: () => ({
      key: key(),
      digest: word(),
      denied: many(() => ({
        id: word(),
        reason: random.pick(["unknown", "settled", "changed"]),
      })),
    }),
    Dispatched: () => ({ digest: word(), ids: ids() }),
    DispatchedAck: () => ({ digest: word(), ids: ids() }),
    TransactionPrepared: () => ({
      key: key(),
      bundle: bundle(),
      endorsements: many(endorsement, random.chance(0.05) ? 256 : 4),
    }),
    TransactionPreparedAck: () => ({ key: key(), digest: word() }),
    TransactionReverted: () => ({
      digest: word(),
      ids: ids(),
      reason: "I say so",
    }),
    TransactionRefused: () => ({ key: key(), id: word(), reason: "I say so" }),
    DependencyQuery: () => ({ ids: ids() }),
    DependencyFailed: () => ({ ids: ids() }),
    Heartbeat: () => ({
      state: random.pick(["Elect", "Prepared", "Active", "Flush", "Closing"]),
      boot: height(),
      height: height(),
      transactions: many(() => ({ id: word(), stage: random.pick(stages) })),
      isComplete: random.chance(0.5),
    }),
    HandoverRequest: () => ({ height: height() }),
    Handover: () => ({
      key: key(),
      context: view(),
      places: many(placed, random.chance(0.02) ? 5_000 : 4),
      flush: many(word),
      digests: many(word),
      flushUntil: height(),
    }),
    HandoverAck: () => ({ key: key() }),
  };

  const wire = (message: Json, version: Json = 1): string =>
    group + JSON.stringify({ version, message });
  const fresh = (): JsonObject => {
    const type = random.pick(Object.keys(messages));
    return { type, ...messages[type]?.() };
  };

  /** Changes some leaves of what somebody really said, and leaves the shape. */
  const twist = (value: Json): Json => {
    if (Array.isArray(value)) {
      if (random.chance(0.05)) return [];
      const twisted = value.map(twist);
      return random.chance(0.05) ? [...twisted, ...twisted] : twisted;
    }
    if (typeof value === "object" && value !== null) {
      const twisted = Object.fromEntries(
        Object.entries(value).map(([field, inner]) => [field, twist(inner)]),
      );
      return "steps" in twisted && "digest" in twisted
        ? sealed(twisted)
        : twisted;
    }
    if (!random.chance(0.15)) return value;
    if (typeof value === "number") return random.pick([height(), -1, 1.5]);
    if (typeof value === "boolean") return !value;
    if (typeof value !== "string") return name();
    if (/^0x[0-9a-f]{64}$/.test(value)) return word();
    return random.pick([key(), name(), value, "", value.slice(1)]);
  };

  const offer = (): Json => ({
    type: "offer",
    offer: {
      id: word(),
      address: `0x${random.bytes32().slice(2, 42)}`,
      name: "trap",
      domain: random.pick(["group-token", "nothing", "__proto__"]),
      members: random.chance(0.7) ? [...names] : many(name, 255),
      threshold: height(),
      policy: "sticky",
      configuration: random.chance(0.5) ? {} : { constructor: "x" },
      createdBlock: height(),
    },
  });

  const poisons = [
    '{"__proto__":{"polluted":true},"type":"ask"}',
    '{"type":"__proto__"}',
    '{"type":"constructor","group":{}}',
    `${group}{"version":1,"message":{"type":"toString"}}`,
    `${group}{"version":1,"message":{"__proto__":{"type":"HandoverAck","key":"k"}}}`,
    `${group}{"version":1,"__proto__":{"polluted":true},"message":{"type":"HandoverAck","key":"k","constructor":{"prototype":{"polluted":true}}}}`,
    `${group}{"version":{"__proto__":1},"message":null}`,
    `${group}[[[[[[[[]]]]]]]]`,
    `${group}${"[".repeat(20_000)}`,
  ];
  const stranger = `0x${"12".repeat(20)}`;

  const lies: readonly (() => string)[] = [
    ...Array.from({ length: 6 }, () => () => wire(fresh())),
    ...Array.from({ length: 4 }, () => () => {
      const sample = samples.length > 0 ? random.pick(samples) : "{}";
      const isMessage = sample.startsWith("0x");
      const head = isMessage ? sample.slice(0, 42) : "";
      return (
        head +
        JSON.stringify(twist(JSON.parse(sample.slice(head.length)) as Json))
      );
    }),
    () => {
      const sample = samples.length > 0 ? random.pick(samples) : "{}";
      const at = random.below(sample.length);
      return (
        sample.slice(0, at) +
        random.pick(["", "}", '"', "\u0000", "9"]) +
        sample.slice(at + 1)
      );
    },
    () => random.pick(poisons),
    () => wire(fresh(), random.pick([0, 2, "1", null])),
    () => wire({ ...fresh(), type: random.pick(["Bribe", "", "Handover "]) }),
    () => stranger + wire(fresh()).slice(42),
    () => JSON.stringify(offer()),
    () =>
      JSON.stringify({ type: "joined", group: random.pick([group, stranger]) }),
    () => JSON.stringify({ type: "ask", group, states: many(word, 70) }),
    () => JSON.stringify({ type: "key-wanted", name: userName() }),
    () =>
      JSON.stringify({
        type: "key",
        name: userName(),
        publicKey: random.pick([
          `0x04${"11".repeat(64)}`,
          `0x04${random.bytes32().slice(2).repeat(2)}`,
          `0x02${random.bytes32().slice(2)}`,
          "0x",
        ]),
      }),
    () =>
      JSON.stringify({
        type: "tell",
        group,
        states: many(() => ({
          ledgerId: word(),
          id: word(),
          content: content(),
        })),
      }),
    () =>
      random.chance(0.02)
        ? wire({ type: "HandoverAck", key: "x".repeat(limits.messageBytes) })
        : String.fromCharCode(...many(() => random.below(65_536), 40)),
  ];

  return {
    hear: (bodies) => {
      const body = random.pick(bodies.split("\n"));
      if (samples.length >= SAMPLES && !random.chance(0.1)) return;
      if (samples.length < SAMPLES) samples.push(body);
      else samples[random.below(SAMPLES)] = body;
      for (const [found] of body.matchAll(/0x[0-9a-f]{64}(?![0-9a-f])/g))
        if (words.length < WORDS) words.push(found);
        else words[random.below(WORDS)] = found;
      for (const [, found] of body.matchAll(/"key":"([^"]+)"/g))
        if (found !== undefined && keys.length < WORDS) keys.push(found);
    },
    lie: () => random.pick(lies)(),
  };
}

interface Ports {
  readonly random: Random;
  /** Endorses a digest as the liar: what it signs is its own. */
  readonly sign: (digest: string) => string;
  /** The digest of a bundle, if it is one at all. */
  readonly digestOf: (bundle: unknown) => string | undefined;
}
