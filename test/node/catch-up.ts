import { expect } from "chai";

import type { NodeName } from "../../src/protocol/ids.ts";
import type { Body } from "../../src/node/body.ts";
import { CatchUp, type Group } from "../../src/node/catch-up.ts";
import { StateBook } from "../../src/domains/states/book.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { FakeTimers } from "../helpers/fake-timers.ts";
import { createTestLoop } from "../helpers/node-loop.ts";
import { whispers } from "../helpers/whispers.ts";
import {
  groupAt,
  intentId,
  ledgerId,
  nodeName,
  stateId,
  word,
} from "../helpers/stores.ts";

const address = groupAt(1);
const endorsers = ["alice", "bob", "carol"].map(nodeName);
const holder = nodeName("dave");
const other = nodeName("erin");

describe("a node that misses the content of a state", () => {
  let store: Store;
  let group: Group;
  let catchUp: CatchUp;
  let asked: { readonly to: NodeName; readonly body: Body }[];
  let learnt: number;
  let timers: FakeTimers;

  function aNode(self: NodeName): void {
    asked = [];
    learnt = 0;
    timers = new FakeTimers();
    const { loop, start } = createTestLoop(store);
    const book = new StateBook({ group: address }, { states: store.states });
    store.write(() => {
      book.apply(
        {
          group: address,
          transitionHash: word(5),
          intents: [intentId(1)],
          inputs: [],
          outputs: [ledgerId(1)],
          transactionHash: word(6),
          transactionIndex: 0,
          logIndex: 0,
        },
        1,
        [],
      );
    });
    group = {
      book,
      mayKnow: () => false,
      group: {
        address,
        id: word(1),
        name: "",
        domain: whispers,
        members: [...endorsers, holder, other],
        endorsers,
        threshold: 2,
        configuration: {},
      },
    };
    catchUp = new CatchUp(
      { self },
      {
        store,
        loop,
        timers,
        send: (to, body) => {
          asked.push({ to, body });
        },
      },
    );
    start({
      steps: { catchUp },
      effects: {
        catchUp,
        roster: {
          add: () => undefined,
          putAside: () => undefined,
          // Asked for once more is known.
          find: () => {
            learnt += 1;
            return undefined;
          },
        },
      },
    });
  }

  /** Somebody says that it may not see the state. */
  async function denied(...names: readonly string[]): Promise<void> {
    for (const name of names)
      catchUp.learn(group, nodeName(name), {
        type: "tell",
        group: address,
        states: [],
        denied: [ledgerId(1), ledgerId(2)],
      });
    await new Promise((resolve) => setImmediate(resolve));
  }

  beforeEach(() => {
    store = openStore({ file: ":memory:" });
  });
  afterEach(() => {
    store.close();
  });

  const askedNames = (): NodeName[] => asked.map(({ to }) => to);

  /** A block creates another state of which nothing is known. */
  function create(number: number): void {
    store.write(() => {
      group.book.apply(
        {
          group: address,
          transitionHash: word(100 + number),
          intents: [intentId(number)],
          inputs: [],
          outputs: [ledgerId(number)],
          transactionHash: word(1_000 + number),
          transactionIndex: 0,
          logIndex: 0,
        },
        number,
        [],
      );
    });
  }

  it("asks as many endorsers as it must believe, others each time", () => {
    aNode(holder);
    catchUp.ask(group);
    catchUp.retry([group]);
    expect(askedNames()).to.have.length(4);
    expect(new Set(askedNames())).to.deep.equal(new Set(endorsers));
  });

  it("asks every other member once endorsers have not told it", () => {
    aNode(holder);
    for (let retry = 0; retry < 64; retry++) catchUp.retry([group]);
    expect(new Set(askedNames())).to.deep.equal(new Set([...endorsers, other]));
    const first = askedNames().indexOf(other);
    for (const endorser of endorsers)
      expect(
        askedNames()
          .slice(0, first)
          .filter((name) => name === endorser),
      ).to.have.length(3);
  });

  it("asks less and less often, and never stops", () => {
    aNode(nodeName("carol"));
    const askedIn = (retries: number): number => {
      asked.length = 0;
      for (let retry = 0; retry < retries; retry++) catchUp.retry([group]);
      return new Set(asked.map(({ body }) => body)).size;
    };
    const early = askedIn(64);
    expect(early).to.be.lessThan(20);
    askedIn(64);
    const late = askedIn(64);
    expect(late).to.be.lessThan(early);
    expect(late).to.be.at.least(1);
  });

  it("asks for everything in turn, however much of it nobody tells", () => {
    aNode(nodeName("carol"));
    for (let number = 2; number <= 200; number++) create(number);
    for (let retry = 0; retry < 4; retry++) catchUp.retry([group]);
    const states = asked.flatMap(({ body }) =>
      body.type === "ask" ? body.states : [],
    );
    expect(new Set(states).size).to.equal(200);
    for (const { body } of asked)
      if (body.type === "ask") expect(body.states.length).to.be.at.most(64);
  });

  it("gives a state up when enough endorsers say that it is not for it", async () => {
    aNode(holder);
    await denied("alice", "alice", "alice");
    expect(group.book.missing.size).to.equal(1);
    await denied("bob");
    expect(group.book.missing.size).to.equal(0);
    expect(learnt).to.equal(1);
    group.book.reload();
    expect(group.book.missing.size).to.equal(0);
  });

  it("does not forget who denied a state when somebody tells nonsense about it", async () => {
    aNode(holder);
    await denied("alice");
    catchUp.learn(group, nodeName("carol"), {
      type: "tell",
      group: address,
      states: [{ ledgerId: ledgerId(1), id: stateId(1), content: "nonsense" }],
      denied: [],
    });
    await denied("bob");
    expect(group.book.missing.size).to.equal(0);
  });

  it("believes nobody who does not endorse", async () => {
    aNode(holder);
    await denied("erin", "mallory", "alice");
    expect(group.book.missing.size).to.equal(1);
  });

  it("gives nothing up when it endorses itself", async () => {
    aNode(nodeName("carol"));
    await denied("alice", "bob");
    expect(group.book.missing.size).to.equal(1);
  });

  it("answers one member a bounded number of times until the next retry", () => {
    aNode(nodeName("carol"));
    const question = {
      type: "ask",
      group: address,
      states: [ledgerId(1)],
    } as const;
    const answers = Array.from({ length: 100 }, () =>
      catchUp.answer(group, holder, question),
    );
    expect(answers.filter((isAnswered) => isAnswered)).to.have.length(16);
    expect(catchUp.answer(group, other, question)).to.equal(true);
    catchUp.retry([group]);
    expect(catchUp.answer(group, holder, question)).to.equal(true);
  });

  describe("and checks a step that uses it", () => {
    let done: string[];
    let coordinator = other;
    const check = (name: string, ...states: readonly number[]): void => {
      catchUp.whenKnown(
        group,
        {
          states: new Set(states.map(ledgerId)),
          coordinator,
          users: [holder],
          waitMs: 1_000,
        },
        () => done.push(name),
      );
    };

    beforeEach(() => {
      done = [];
      coordinator = other;
    });

    it("asks those who use it, and waits for a while", () => {
      aNode(nodeName("carol"));
      check("uses it", 1);
      expect(askedNames()).to.deep.equal([holder, other]);
      timers.advance(999);
      expect(done).to.deep.equal([]);
      timers.advance(1);
      expect(done).to.deep.equal(["uses it"]);
      expect(timers.size).to.equal(0);
    });

    it("goes on at once with steps that do not use it (L21)", () => {
      aNode(nodeName("carol"));
      check("uses it", 1);
      check("uses another state", 2);
      check("uses nothing");
      expect(done).to.deep.equal(["uses another state", "uses nothing"]);
    });

    it("lets a bounded number wait for each coordinator", () => {
      aNode(nodeName("carol"));
      for (let number = 0; number < 40; number++) check("flood", 1);
      expect(done).to.have.length(8);
      coordinator = nodeName("alice");
      check("of another", 1);
      expect(done).to.not.include("of another");
    });

    it("waits only for what it uses, and once", async () => {
      aNode(holder);
      check("uses it", 1);
      create(3);
      await denied("alice", "bob");
      expect(group.book.missing.size).to.equal(1);
      expect(done).to.deep.equal(["uses it"]);
      timers.advance(10_000);
      expect(done).to.have.length(1);
    });
  });
});
