import { expect } from "chai";

import type { Event } from "../../src/protocol/events.ts";
import type { NodeName } from "../../src/protocol/ids.ts";
import { encodeBody } from "../../src/node/body.ts";
import type { GroupRunner } from "../../src/node/group-runner.ts";
import { Mailbox } from "../../src/node/mailbox.ts";
import { GroupSchedule } from "../../src/node/group-schedule.ts";
import { PeerLink } from "../../src/node/peer-link.ts";
import { type Charge, PeerQuotas } from "../../src/node/peer-quotas.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { lonelyGroup, lonelyRunner } from "../helpers/group-runner.ts";
import { nodeName } from "../helpers/stores.ts";

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
  let quotas: PeerQuotas;
  let posted: Charge[];

  beforeEach(() => {
    store = openStore({ file: ":memory:" });
    const stored = lonelyGroup(1);
    const members = [...stored.members, bob, mallory];
    runner = lonelyRunner(
      { ...stored, members },
      { store, schedule: new GroupSchedule(0) },
    );
    heard = new Map();
    // The loop of the node has more to do than it can.
    quotas = new PeerQuotas();
    posted = [];
    const link = new PeerLink({
      connect: (arrive) => {
        receive = arrive;
        return {
          send: () => undefined,
          stop: async () => {
            await Promise.resolve();
          },
          dropped: () => ({}),
        };
      },
    });
    mailbox = new Mailbox({
      link,
      quotas,
      schedule: { ticks: 0 },
      loop: { post: () => undefined },
      directory: {
        names: () => [],
        endorserOf: () => undefined,
        isSignedBy: async () => await Promise.resolve(false),
      },
      roster: { find: () => runner },
      post: (_, event, charge) => {
        if (charge !== undefined) posted.push(charge);
        count(event);
      },
      fail: (error) => {
        throw error;
      },
      catchUp: { answer: () => true, learn: () => true },
      membership: { consider: () => undefined, joined: () => undefined },
      rejoining: { receive: () => true, peerStarted: () => undefined },
      userKeys: { answer: () => true, learn: () => true },
    });
    mailbox.start();
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

  it("hears that member again when its messages have had their turns", () => {
    for (let i = 0; i < FLOOD; i++) receive(mallory, wire());
    const before = heard.get(mallory) ?? 0;
    for (const charge of posted) quotas.release(charge);
    receive(mallory, wire());
    expect(heard.get(mallory)).to.equal(before + 1);
  });
});
