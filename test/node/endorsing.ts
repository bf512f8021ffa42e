import { expect } from "chai";

import {
  intentsHash,
  parseIntentId,
  type StateId as LedgerId,
} from "../../src/ledger/index.ts";
import type { Event } from "../../src/protocol/events.ts";
import type { IntentId, Place } from "../../src/protocol/ids.ts";
import { digestOf } from "../../src/protocol/outline.ts";
import type { Bundle, State } from "../../src/protocol/transition.ts";
import { createEndorser } from "../../src/keys/secp256k1.ts";
import { CatchUp } from "../../src/node/catch-up.ts";
import { Endorsing } from "../../src/node/endorsing.ts";
import type { GroupRunner } from "../../src/node/group-runner.ts";
import { GroupSchedule } from "../../src/node/group-schedule.ts";
import { createState } from "../../src/domains/states/content.ts";
import { ledgerIdOf, placeOf } from "../../src/domains/states/place.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { keyOf } from "../helpers/cluster.ts";
import { FakeTimers } from "../helpers/fake-timers.ts";
import { createTestLoop } from "../helpers/node-loop.ts";
import { lonelyGroup, lonelyRunner } from "../helpers/group-runner.ts";
import { aStep, emptyView } from "../helpers/simulated-group.ts";
import { intentId, nodeName, word } from "../helpers/stores.ts";

const coordinator = nodeName("bob");
const sender = nodeName("carol");
const WAIT_MS = 2_500;

describe("An endorser that lacks the content of a state", () => {
  let store: Store;
  let runner: GroupRunner;
  let catchUp: CatchUp;
  let endorsing: Endorsing;
  let timers: FakeTimers;
  let asked: string[];
  let told: Extract<Event, { readonly type: "EndorsementDone" }>[];
  let place: Place;
  let lost: State;

  beforeEach(() => {
    store = openStore({ file: ":memory:" });
    timers = new FakeTimers();
    asked = [];
    told = [];
    const fail = (error: unknown): void => {
      throw error;
    };
    runner = lonelyRunner(lonelyGroup(1), {
      store,
      schedule: new GroupSchedule(0),
    });
    const { loop, start } = createTestLoop(store);
    catchUp = new CatchUp(
      { self: nodeName("alice") },
      {
        store,
        timers,
        loop,
        send: (to) => {
          asked.push(to);
        },
      },
    );
    start({ steps: { catchUp }, effects: { catchUp } });
    endorsing = new Endorsing(
      { waitMs: WAIT_MS },
      {
        catchUp,
        timers,
        directory: {
          names: () => [],
          endorserOf: () => undefined,
          isSignedBy: async () => await Promise.resolve(false),
        },
        endorser: createEndorser(keyOf("alice")),
        onFact: () => undefined,
        onDomainError: fail,
        post: (_, event) => {
          if (event.type === "EndorsementDone") told.push(event);
        },
        fail,
      },
    );
    place = loseState();
  });

  afterEach(() => {
    store.close();
  });

  /** A block creates a state, and nobody has said what it means. */
  function loseState(): Place {
    const origin = { intentId: intentId(1), index: 0 };
    lost = createState({ schema: "s", label: "l", data: 1 }, origin);
    const hash = intentsHash([parseIntentId(intentId(1))]);
    const register = `0x${"07".repeat(8)}`;
    const at = placeOf({ intentsHash: hash, index: 0, register });
    const ledgerId = ledgerIdOf(lost.id, at);
    if (ledgerId === undefined) throw new Error("The place is malformed.");
    const { address } = runner.stored;
    store.write(() => {
      runner.book.apply(transitionOf(address, ledgerId), 1, []);
    });
    expect(runner.book.missing.size).to.equal(1);
    return at;
  }

  function endorse(id: IntentId, inputs: readonly State[]): Bundle {
    const unsealed = {
      steps: [
        aStep({ intentId: id, sender, inputs: inputs.map((one) => one.id) }),
      ],
      places: inputs.map((one) => ({ id: one.id, place })),
      validUntil: 100,
    };
    const { hashing } = runner.sequencer.config;
    const bundle = { ...unsealed, digest: digestOf(hashing, unsealed) };
    const view = emptyView;
    endorsing.endorse(runner, { type: "Endorse", coordinator, bundle, view });
    return bundle;
  }

  const soon = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
  };

  it("asks those who use it, waits, and then refuses the step that does", async () => {
    const { digest } = endorse(intentId(2), [lost]);
    expect(asked).to.deep.equal([sender, coordinator]);
    timers.advance(WAIT_MS - 1);
    await soon();
    expect(told).to.deep.equal([]);
    timers.advance(1);
    const detail = "the content of a state that it uses is missing here";
    expect(told).to.deep.equal([
      {
        type: "EndorsementDone",
        digest,
        outcome: {
          type: "refused",
          detail,
          faults: [{ intentId: intentId(2), detail }],
        },
      },
    ]);
  });

  it("checks what does not use it at once (L21)", async () => {
    endorse(intentId(2), [lost]);
    const { digest } = endorse(intentId(3), []);
    await soon();
    expect(told.map((event) => event.digest)).to.deep.equal([digest]);
  });

  it("checks what uses it as soon as somebody has told the content", async () => {
    const { digest } = endorse(intentId(2), [lost]);
    const [ledgerId] = runner.book.missing.keys();
    if (ledgerId === undefined) throw new Error("Nothing is missing.");
    catchUp.learn(runner, sender, {
      type: "tell",
      group: runner.stored.address,
      states: [{ ledgerId, ...lost }],
      denied: [],
    });
    while (told.length === 0) await soon();
    expect(told.map((event) => event.digest)).to.deep.equal([digest]);
    const [{ outcome } = { outcome: undefined }] = told;
    // It is the next thing that is wrong with it.
    expect(outcome).to.deep.include({ detail: "its sender did not sign it" });
  });
});

function transitionOf(
  group: GroupRunner["stored"]["address"],
  output: LedgerId,
): Parameters<GroupRunner["book"]["apply"]>[0] {
  return {
    group,
    transitionHash: word(5),
    intents: [intentId(1)],
    inputs: [],
    outputs: [output],
    transactionHash: word(6),
    transactionIndex: 0,
    logIndex: 0,
  };
}
