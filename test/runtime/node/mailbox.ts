import { expect } from "chai";

import type { Event } from "../../../src/protocol/events.ts";
import type { NodeName } from "../../../src/protocol/ids.ts";
import { encodeBody } from "../../../src/runtime/node/body.ts";
import type { GroupRunner } from "../../../src/runtime/node/group-runner.ts";
import { Mailbox } from "../../../src/runtime/node/mailbox.ts";
import { Pulse } from "../../../src/runtime/node/pulse.ts";
import { Turns } from "../../../src/runtime/node/turns.ts";
import { openStore, type Store } from "../../../src/runtime/store/store.ts";
import { lonelyGroup, lonelyRunner } from "../../helpers/group-runner.ts";
import { nodeName } from "../../helpers/stores.ts";

const mallory = nodeName("mallory");
const bob = nodeName("bob");
/** More than a node lets wait of all its peers together. */
const FLOOD = 60_000;

describe("A mailbox that one member floods", () => {
  let store: Store;
  let runner: GroupRunner;
  let receive: (from: NodeName, bodies: string) => void;
  let mailbox: Mailbox;
  let heard: Map<NodeName, number>;

  beforeEach(() => {
    store = openStore({ file: ":memory:" });
    const stored = lonelyGroup(1);
    const members = [...stored.members, bob, mallory];
    runner = lonelyRunner(
      { ...stored, members },
      { store, pulse: new Pulse(0) },
    );
    heard = new Map();
    const turns = new Turns({
      store,
      onFatal: (error) => {
        throw error;
      },
    });
    mailbox = new Mailbox({
      ticks: () => 0,
      store,
      turns,
      directory: {
        names: () => [],
        endorserOf: () => undefined,
        isSignedBy: async () => await Promise.resolve(false),
      },
      connect: (arrive) => {
        receive = arrive;
        return {
          send: () => undefined,
          stop: async () => {
            await Promise.resolve();
          },
          dropped: () => ({}),
          marks: () => new Map(),
        };
      },
      runner: () => runner,
      // The loop of the node has more to do than it can.
      tell: (_, event, onTaken) => {
        turns.add({
          run: () => {
            onTaken();
          },
        });
        count(event);
      },
      fail: (error) => {
        throw error;
      },
      onAsk: () => true,
      onTell: () => undefined,
      onOffer: () => undefined,
      onJoined: () => undefined,
      onGroups: () => true,
      onPeerStarted: () => undefined,
      userKeys: { answer: () => true, learn: () => true },
    });
    mailbox.open();
  });

  afterEach(() => {
    store.close();
  });

  function count(event: Event): void {
    if (event.type !== "MessageReceived") return;
    heard.set(event.from, (heard.get(event.from) ?? 0) + 1);
  }

  const wire = (): string =>
    encodeBody({
      type: "message",
      group: runner.stored.address,
      message: { type: "HandoverRequest", height: 1 },
    });

  it("hears the others all the same", () => {
    for (let i = 0; i < FLOOD; i++) receive(mallory, wire());
    receive(bob, wire());
    expect(heard.get(bob)).to.equal(1);
    expect(heard.get(mallory)).to.be.lessThan(5_000);
    expect(mailbox.dropped()["too many"]).to.be.greaterThan(FLOOD - 5_000);
  });

  it("hears that member again when its messages have had their turns", async () => {
    for (let i = 0; i < FLOOD; i++) receive(mallory, wire());
    const before = heard.get(mallory) ?? 0;
    await new Promise((resolve) => setTimeout(resolve, 0));
    await new Promise((resolve) => setImmediate(resolve));
    receive(mallory, wire());
    expect(heard.get(mallory)).to.equal(before + 1);
  });
});
