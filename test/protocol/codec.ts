import { expect } from "chai";
import fc from "fast-check";

import {
  bundleText,
  decodeBundle,
  decodeMessage,
  encodeMessage,
  wireVersion,
} from "../../src/protocol/codec.ts";
import {
  type IntentId,
  parseDigest,
  parseIntentId,
  parseNodeName,
  parsePlace,
  parseRequestKey,
  parseStateId,
  parseStepHash,
} from "../../src/protocol/ids.ts";
import { limits } from "../../src/protocol/limits.ts";
import type { Message } from "../../src/protocol/messages.ts";
import type { Bundle, Step } from "../../src/protocol/transition.ts";

/** Values of a branded type, made from texts that its parser takes. */
function parsed<Value>(
  parse: (value: unknown) => Value | undefined,
  texts: fc.Arbitrary<string>,
): fc.Arbitrary<Value> {
  return texts.map((value) => {
    const result = parse(value);
    if (result === undefined) throw new Error(`${value} is not accepted`);
    return result;
  });
}

const hexWord = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => `0x${Buffer.from(bytes).toString("hex")}`);
const intentId = parsed(parseIntentId, hexWord);
const stateId = parsed(parseStateId, hexWord);
const digest = parsed(parseDigest, hexWord);
const nodeName = parsed(
  parseNodeName,
  fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,20}$/),
);
const key = parsed(
  parseRequestKey,
  fc.stringMatching(/^[A-Za-z0-9.:_-]{1,40}$/),
);
const height = fc.maxSafeNat();
const ids = fc.array(intentId, { maxLength: 4 });
const words = fc.string({ maxLength: 40 });
const state = fc.record({ id: stateId, content: words });
const placed = fc.record({
  id: stateId,
  place: parsed(parsePlace, fc.stringMatching(/^0x[0-9a-f]{2,128}$/)),
});
const hexText = (bytes: { minLength: number; maxLength: number }) =>
  fc
    .uint8Array(bytes)
    .map((value) => `0x${Buffer.from(value).toString("hex")}`);
const calls = fc.array(
  fc.record({
    target: hexText({ minLength: 20, maxLength: 20 }),
    data: hexText({ minLength: 0, maxLength: 40 }),
    gasMin: fc.nat(limits.callsGas),
  }),
  { maxLength: 2 },
);
const step = fc.record({
  intentId,
  laneSalt: words,
  sender: nodeName,
  payload: words,
  inputs: fc.array(stateId, { maxLength: 3 }),
  reads: fc.array(stateId, { maxLength: 3 }),
  outputs: fc.array(state, { maxLength: 3 }),
  infos: fc.array(state, { maxLength: 2 }),
  calls,
  found: fc.array(placed, { maxLength: 3 }),
  validUntil: height,
  salt: words,
  signature: words,
});
const outline = fc.record({
  steps: fc.array(
    fc.record({
      intentId,
      inputs: fc.array(stateId, { maxLength: 3 }),
      reads: fc.array(stateId, { maxLength: 3 }),
      outputs: fc.array(fc.record({ id: stateId }), { maxLength: 3 }),
      calls,
      hash: parsed(parseStepHash, hexWord),
    }),
    { maxLength: 3 },
  ),
  places: fc.array(placed, { maxLength: 3 }),
  validUntil: height,
  digest,
});
const bundle = fc.record({
  steps: fc.array(step, { maxLength: 3 }),
  places: fc.array(placed, { maxLength: 3 }),
  validUntil: height,
  digest,
});
const view = fc.record({
  created: fc.array(state, { maxLength: 3 }),
  spent: fc.array(stateId, { maxLength: 3 }),
});
const intent = fc.record({
  id: intentId,
  laneSalt: words,
  payload: words,
  dependsOn: ids,
  touches: fc.option(fc.array(words, { maxLength: 3 }), { nil: undefined }),
  isPrepareOnly: fc.boolean(),
});
const type = <const Type extends Message["type"]>(
  name: Type,
): fc.Arbitrary<Type> => fc.constant(name);

const messages: Readonly<Record<Message["type"], fc.Arbitrary<Message>>> = {
  DelegationRequest: fc.record({
    type: type("DelegationRequest"),
    key,
    height,
    intents: fc.array(intent, { maxLength: 3 }),
  }),
  DelegationAccepted: fc.record({
    type: type("DelegationAccepted"),
    key,
    ids,
    height,
  }),
  DelegationRejected: fc.record({
    type: type("DelegationRejected"),
    key,
    ids,
    height,
    reason: fc.constantFrom(
      "not-coordinator",
      "coordinator-behind",
      "sender-behind",
      "busy",
    ),
    active: fc.option(nodeName, { nil: undefined }),
  }),
  DelegationReturned: fc.record({
    type: type("DelegationReturned"),
    ids,
    height,
  }),
  AssembleRequest: fc.record({
    type: type("AssembleRequest"),
    key,
    ids,
    height,
    view,
  }),
  AssembleResponse: fc.record({
    type: type("AssembleResponse"),
    key,
    outcomes: fc.array(
      fc.oneof(
        fc.record({
          type: fc.constant("assembled" as const),
          id: intentId,
          step,
        }),
        fc.record({
          type: fc.constantFrom("reverted", "parked", "postponed", "error"),
          id: intentId,
          reason: words,
        }),
        fc.record({ type: fc.constant("unknown" as const), id: intentId }),
      ),
      { maxLength: 4 },
    ),
  }),
  EndorsementRequest: fc.record({
    type: type("EndorsementRequest"),
    key,
    coordinator: nodeName,
    height,
    bundle,
    view,
  }),
  Endorsement: fc.record({
    type: type("Endorsement"),
    key,
    digest,
    signature: words,
  }),
  Refusal: fc.record({
    type: type("Refusal"),
    key,
    digest,
    height,
    reason: fc.constantFrom("not-coordinator", "busy", "invalid"),
    detail: words,
    faults: fc.array(fc.record({ intentId, detail: words }), {
      maxLength: 4,
    }),
  }),
  DispatchPermissionRequest: fc.record({
    type: type("DispatchPermissionRequest"),
    key,
    ids,
    bundle: outline,
  }),
  DispatchPermission: fc.record({
    type: type("DispatchPermission"),
    key,
    digest,
    ids,
  }),
  DispatchDenial: fc.record({
    type: type("DispatchDenial"),
    key,
    digest,
    denied: fc.array(
      fc.record({
        id: intentId,
        reason: fc.constantFrom(
          "not-delegate",
          "unknown",
          "settled",
          "changed",
          "prepare-only",
        ),
      }),
      { maxLength: 3 },
    ),
  }),
  Dispatched: fc.record({ type: type("Dispatched"), digest, ids }),
  DispatchedAck: fc.record({ type: type("DispatchedAck"), digest, ids }),
  TransactionPrepared: fc.record({
    type: type("TransactionPrepared"),
    key,
    bundle,
    endorsements: fc.array(
      fc.record({ endorser: nodeName, digest, signature: words }),
      { maxLength: 3 },
    ),
  }),
  TransactionPreparedAck: fc.record({
    type: type("TransactionPreparedAck"),
    key,
    digest,
  }),
  TransactionReverted: fc.record({
    type: type("TransactionReverted"),
    digest,
    ids,
    reason: words,
  }),
  TransactionRefused: fc.record({
    type: type("TransactionRefused"),
    key,
    id: intentId,
    reason: words,
  }),
  DependencyQuery: fc.record({ type: type("DependencyQuery"), ids }),
  DependencyFailed: fc.record({ type: type("DependencyFailed"), ids }),
  FulfilmentQuery: fc.record({
    type: type("FulfilmentQuery"),
    id: intentId,
    digest,
  }),
  FulfilmentProof: fc.record({
    type: type("FulfilmentProof"),
    bundle: outline,
    step,
  }),
  Heartbeat: fc.record({
    type: type("Heartbeat"),
    state: fc.constantFrom("Elect", "Prepared", "Active", "Flush", "Closing"),
    boot: height,
    beat: height,
    height,
    transactions: fc.array(
      fc.record({
        id: intentId,
        stage: fc.constantFrom("pooled", "prepared", "submitted", "confirmed"),
      }),
      { maxLength: 4 },
    ),
    isComplete: fc.boolean(),
  }),
  Suspicion: fc.record({ type: type("Suspicion"), key, of: nodeName }),
  Leaving: fc.record({ type: type("Leaving"), isOver: fc.boolean() }),
  HandoverRequest: fc.record({ type: type("HandoverRequest"), height }),
  Handover: fc.record({
    type: type("Handover"),
    key,
    height,
    context: view,
    places: fc.array(placed, { maxLength: 3 }),
    flush: ids,
    digests: fc.array(digest, { maxLength: 3 }),
    flushUntil: height,
  }),
  HandoverAck: fc.record({ type: type("HandoverAck"), key }),
};

const anyMessage = fc.oneof(...Object.values(messages));

/** Every place in a value, as a path. */
function places(
  value: unknown,
  path: readonly (string | number)[] = [],
): (readonly (string | number)[])[] {
  if (typeof value !== "object" || value === null) return [path];
  return [
    path,
    ...Object.entries(value).flatMap(([name, inner]) =>
      places(inner, [...path, name]),
    ),
  ];
}

/** The value with something else at one place. */
function withAt(
  value: unknown,
  [name, ...rest]: readonly (string | number)[],
  replacement: unknown,
): unknown {
  if (name === undefined) return replacement;
  const inner = (value as Record<string, unknown>)[name];
  const changed = withAt(inner, rest, replacement);
  if (Array.isArray(value))
    return value.map((item: unknown, index) =>
      String(index) === String(name) ? changed : item,
    );
  return { ...(value as object), [name]: changed };
}

/** The id with a number in one of two lanes. The counted digits go over into those before them. */
function idIn(lane: number, number: number): IntentId {
  const digits = (BigInt(lane) * 2n ** 64n + BigInt(number)).toString(16);
  const id = parseIntentId(`0x${digits.padStart(64, "0")}`);
  if (id === undefined) throw new Error(`${digits} is too long`);
  return id;
}

function aHeartbeat(
  transactions: Extract<Message, { type: "Heartbeat" }>["transactions"],
): Message {
  return {
    type: "Heartbeat",
    state: "Active",
    boot: 1,
    beat: 2,
    height: 3,
    transactions,
    isComplete: true,
  };
}

/** A step that goes on from another one in some ways. */
function stepAfter(
  before: Step | undefined,
  drawn: Step,
  [next, salt, sender, payload, input, read, block, both]: readonly boolean[],
): Step {
  if (before === undefined) return drawn;
  const digits = (BigInt(before.intentId) + 1n).toString(16);
  const outputs = before.outputs.map(({ id }) => id);
  return {
    ...drawn,
    intentId:
      next === true
        ? (parseIntentId(`0x${digits.padStart(64, "0").slice(-64)}`) ??
          drawn.intentId)
        : drawn.intentId,
    laneSalt: salt === true ? before.laneSalt : drawn.laneSalt,
    sender: sender === true ? before.sender : drawn.sender,
    payload: payload === true ? before.payload : drawn.payload,
    inputs:
      input === true
        ? [...outputs.toReversed(), ...(both === true ? drawn.inputs : [])]
        : drawn.inputs,
    reads: read === true ? [...drawn.reads, ...outputs] : drawn.reads,
    validUntil: block === true ? before.validUntil : drawn.validUntil,
  };
}

/** A bundle of steps of one sender, each of which spends what the one before creates. */
function chainOf(count: number, payload: string): Bundle {
  const word = (number: number): string =>
    `0x${number.toString(16).padStart(64, "0")}`;
  const steps = Array.from({ length: count }, (_, i): Step => {
    const [sender] = fc.sample(nodeName, { numRuns: 1, seed: 1 });
    const [input, output] = [word(i), word(i + 1)].map((id) =>
      requireSome(parseStateId(id)),
    );
    return {
      intentId: idIn(1, i),
      laneSalt: "the salt of a lane",
      sender: requireSome(sender),
      payload,
      inputs: [requireSome(input)],
      reads: [],
      outputs: [{ id: requireSome(output), content: "content" }],
      infos: [],
      calls: [],
      found: [],
      validUntil: 7,
      salt: "salt",
      signature: "signature",
    };
  });
  const seal = requireSome(parseDigest(word(0)));
  return { steps, places: [], validUntil: 7, digest: seal };
}

/** The messages that carry the steps of a bundle. */
function messagesOf(whole: Bundle): readonly Message[] {
  const [some, coordinator] = [
    parseRequestKey("key"),
    parseNodeName("node"),
  ] as const;
  const request = requireSome(some);
  return [
    {
      type: "EndorsementRequest",
      key: request,
      coordinator: requireSome(coordinator),
      height: 1,
      bundle: whole,
      view: { created: [], spent: [] },
    },
    {
      type: "TransactionPrepared",
      key: request,
      bundle: whole,
      endorsements: [],
    },
    {
      type: "AssembleResponse",
      key: request,
      outcomes: whole.steps.flatMap((one) => [
        { type: "assembled", id: one.intentId, step: one },
        { type: "unknown", id: one.intentId },
      ]),
    },
    {
      type: "DispatchPermissionRequest",
      key: request,
      ids: whole.steps.map(({ intentId: id }) => id),
      bundle: {
        ...whole,
        steps: whole.steps.map(
          ({ intentId: id, inputs, reads, outputs, calls: all }) => ({
            intentId: id,
            inputs,
            reads,
            outputs: outputs.map((output) => ({ id: output.id })),
            calls: all,
            hash: requireSome(parseStepHash(id)),
          }),
        ),
      },
    },
  ];
}

function wireOf(message: unknown): string {
  return JSON.stringify({ version: wireVersion, message });
}

function requireSome<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("There is none.");
  return value;
}

describe("codec of messages", () => {
  it("reads every message that it writes", () => {
    fc.assert(
      fc.property(anyMessage, (message) => {
        expect(decodeMessage(encodeMessage(message))).to.deep.equal({
          type: "message",
          message,
        });
      }),
      { numRuns: 1_000 },
    );
  });

  it("never throws, and takes nothing that has another shape, whatever is changed in a message", () => {
    const hostile = fc.oneof(
      fc.constantFrom(
        null,
        -1,
        1.5,
        2 ** 53,
        "",
        "0x",
        "__proto__",
        true,
        [],
        {},
        [[]],
        { type: "Heartbeat" },
      ),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(anyMessage, fc.nat(), hostile, (message, pick, value) => {
        const all = places(message);
        const path = all[pick % all.length] ?? [];
        const decoded = decodeMessage(
          JSON.stringify({
            version: wireVersion,
            message: withAt(message, path, value),
          }),
        );
        if (decoded.type === "dropped") return;
        // What is read is a message again: reading it once more gives the same.
        expect(decodeMessage(encodeMessage(decoded.message))).to.deep.equal(
          decoded,
        );
      }),
      { numRuns: 3_000 },
    );
  });

  it("writes ids that follow each other as runs, and reads them as they were", () => {
    const first = fc.constantFrom(0, 7, 0xff, 2 ** 32 - 3);
    const run = fc.record({ lane: fc.nat(1), first, count: fc.nat(5) });
    const stage = fc.constantFrom("pooled" as const, "dispatched" as const);
    fc.assert(
      fc.property(fc.array(fc.tuple(run, stage)), (runs) => {
        const transactions = runs.flatMap(([{ count, ...place }, said]) =>
          Array.from({ length: count }, (_, i) => ({
            id: idIn(place.lane, place.first + i),
            stage: said,
          })),
        );
        const all: readonly Message[] = [
          { type: "DependencyQuery", ids: transactions.map(({ id }) => id) },
          aHeartbeat(transactions),
        ];
        for (const message of all)
          expect(decodeMessage(encodeMessage(message))).to.deep.equal({
            type: "message",
            message,
          });
      }),
    );
    const many = Array.from({ length: 500 }, (_, i) => idIn(1, i));
    const ids = encodeMessage({ type: "DependencyQuery", ids: many });
    expect(ids).to.have.length.below(200);
    const listed = many.map((id) => ({ id, stage: "pooled" as const }));
    expect(encodeMessage(aHeartbeat(listed))).to.have.length.below(300);
  });

  it("takes no run that is longer than a list may be, or that ends behind the last id", () => {
    const read = (...ids: readonly unknown[]): string =>
      decodeMessage(
        JSON.stringify({
          version: wireVersion,
          message: { type: "DependencyQuery", ids },
        }),
      ).type;
    const id = idIn(1, 5);
    expect(read(`${id}+${limits.heartbeat - 1}`)).to.equal("message");
    expect(read(`${id}+${limits.heartbeat}`)).to.equal("dropped");
    expect(read(`${id}+1`, `${id}+${limits.heartbeat - 2}`)).to.equal(
      "dropped",
    );
    expect(read(`${id}+999999999`)).to.equal("dropped");
    expect(read(`${idIn(1, 2 ** 32 - 1)}+1`)).to.equal("dropped");
    for (const more of ["0", "01", "-1", "1.5", "", "1e3", " 1"])
      expect(read(`${id}+${more}`), more).to.equal("dropped");
    expect(read(...Array<string>(limits.heartbeat + 1).fill(id))).to.equal(
      "dropped",
    );
  });

  it("writes steps that go on from each other without what they have in common, and reads them as they were", () => {
    const bits = fc.array(fc.boolean(), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(step, bits), { maxLength: 5 }),
        bundle,
        (drawn, drawnBundle) => {
          const steps: Step[] = [];
          for (const [one, same] of drawn)
            steps.push(stepAfter(steps.at(-1), one, same));
          const whole = { ...drawnBundle, steps };
          for (const message of messagesOf(whole))
            expect(decodeMessage(encodeMessage(message))).to.deep.equal({
              type: "message",
              message,
            });
          expect(decodeBundle(bundleText(whole))).to.deep.equal(whole);
        },
      ),
      { numRuns: 150 },
    );
  });

  it("takes a few characters for what all steps of a sender have in common", () => {
    const chain = chainOf(50, "x".repeat(1_000));
    for (const message of messagesOf(chain))
      expect(encodeMessage(message), message.type).to.have.length.below(
        2_000 + 50 * 300,
      );
  });

  it("reads steps with the names of their fields too, among rows", () => {
    const { steps } = chainOf(3, "x");
    const [request] = messagesOf({ ...chainOf(3, "x"), steps });
    const { message } = JSON.parse(encodeMessage(requireSome(request))) as {
      message: { bundle: { steps: unknown[] } };
    };
    message.bundle.steps[0] = steps[0];
    // The row after it says nothing of its own any more.
    expect(decodeMessage(wireOf(message)).type).to.equal("dropped");
    message.bundle.steps[1] = steps[1];
    message.bundle.steps[2] = steps[2];
    expect(decodeMessage(wireOf(message))).to.deep.equal({
      type: "message",
      message: request,
    });
  });

  it("takes no short message for a long bundle, and no row that goes on from nothing", () => {
    const length = limits.contentBytes;
    const many = Math.floor(limits.messageBytes / length);
    const read = (count: number): string =>
      decodeMessage(
        encodeMessage(
          requireSome(messagesOf(chainOf(count, "x".repeat(length)))[0]),
        ),
      ).type;
    expect(many).to.be.below(limits.bundle);
    expect(read(many)).to.equal("message");
    expect(read(many + 1)).to.equal("dropped");
    const [request] = messagesOf(chainOf(2, "x"));
    const rows = (change: (steps: unknown[][]) => void): string => {
      const { message } = JSON.parse(encodeMessage(requireSome(request))) as {
        message: { bundle: { steps: unknown[][] } };
      };
      change(message.bundle.steps);
      return decodeMessage(wireOf(message)).type;
    };
    expect(rows(() => undefined)).to.equal("message");
    expect(rows((steps) => steps.shift())).to.equal("dropped");
    for (const input of [1, -1, 0.5, "__proto__", null])
      expect(rows((steps) => steps[1]?.splice(4, 1, [input]))).to.equal(
        "dropped",
      );
    expect(rows((steps) => steps[1]?.push("more"))).to.equal("dropped");
    expect(rows((steps) => steps[1]?.splice(6, 1, ["odd"]))).to.equal(
      "dropped",
    );
  });

  it("never throws on bytes that are no message", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (wire) => {
        expect(decodeMessage(wire).type).to.equal("dropped");
      }),
    );
    expect(decodeMessage("[".repeat(100_000)).type).to.equal("dropped");
  });

  it("drops what is too large, of another version, or of an unknown type, and says why", () => {
    const wire = (version: unknown, message: unknown): string =>
      JSON.stringify({ version, message });
    const dropped = (reason: string): object => ({ type: "dropped", reason });
    expect(decodeMessage(" ".repeat(limits.messageBytes + 1))).to.deep.equal(
      dropped("oversized"),
    );
    expect(
      decodeMessage(
        wire(wireVersion + 1, { type: "HandoverRequest", height: 1 }),
      ),
    ).to.deep.equal(dropped("version"));
    expect(decodeMessage(wire("1", {}))).to.deep.equal(dropped("malformed"));
    expect(decodeMessage(wire(wireVersion, { type: "Coup" }))).to.deep.equal(
      dropped("unknown"),
    );
    expect(
      decodeMessage(wire(wireVersion, { type: "constructor" })),
    ).to.deep.equal(dropped("unknown"));
    expect(
      decodeMessage(wire(wireVersion, { type: "HandoverRequest", height: -1 })),
    ).to.deep.equal(dropped("malformed"));
  });

  it("drops fields that it does not know, so that newer nodes may add some", () => {
    const message = {
      type: "HandoverRequest",
      height: 7,
      more: "x",
      __proto__: { height: 9 },
    };
    const decoded = decodeMessage(
      `{"version":${wireVersion},"message":${JSON.stringify(message)}}`,
    );
    expect(decoded).to.deep.equal({
      type: "message",
      message: { type: "HandoverRequest", height: 7 },
    });
  });
});
