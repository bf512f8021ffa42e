import { expect } from "chai";

import type { NodeName } from "../../../src/protocol/ids.ts";
import type { Body } from "../../../src/runtime/node/body.ts";
import { CatchUp, type Group } from "../../../src/runtime/node/catch-up.ts";
import { Turns } from "../../../src/runtime/node/turns.ts";
import { StateBook } from "../../../src/runtime/states/book.ts";
import { openStore, type Store } from "../../../src/runtime/store/store.ts";
import { whispers } from "../../helpers/whispers.ts";
import {
  groupAt,
  intentId,
  ledgerId,
  nodeName,
  word,
} from "../../helpers/stores.ts";

const address = groupAt(1);
const endorsers = ["alice", "bob", "carol"].map(nodeName);
const holder = nodeName("dave");
const other = nodeName("erin");

describe("a node that misses the content of a state", () => {
  let store: Store;
  let group: Group;
  let catchUp: CatchUp;
  let asked: { readonly to: NodeName; readonly body: Body }[];

  function aNode(self: NodeName): void {
    asked = [];
    const turns = new Turns({
      store,
      onFatal: (error) => {
        throw error;
      },
    });
    const book = new StateBook({ group: address }, { states: store.states });
    store.commit(() => {
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
        turns,
        send: (to, body) => {
          asked.push({ to, body });
        },
      },
    );
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

  it("asks as many endorsers as it must believe, others each time", () => {
    aNode(holder);
    catchUp.ask(group);
    catchUp.ask(group);
    const names = asked.map(({ to }) => to);
    expect(names).to.have.length(4);
    expect(new Set(names)).to.deep.equal(new Set(endorsers));
  });

  it("gives a state up when enough endorsers say that it is not for it", async () => {
    aNode(holder);
    let isComplete = false;
    catchUp.whenComplete(group, () => {
      isComplete = true;
    });
    await denied("alice", "alice", "alice");
    expect(group.book.missing.size).to.equal(1);
    await denied("bob");
    expect(group.book.missing.size).to.equal(0);
    expect(isComplete).to.equal(true);
    group.book.reload();
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

  it("waits only for what was missing when it was asked", async () => {
    aNode(holder);
    let isComplete = false;
    catchUp.whenComplete(group, () => {
      isComplete = true;
    });
    store.commit(() => {
      group.book.apply(
        {
          group: address,
          transitionHash: word(7),
          intents: [intentId(2)],
          inputs: [],
          outputs: [ledgerId(3)],
          transactionHash: word(8),
          transactionIndex: 0,
          logIndex: 0,
        },
        2,
        [],
      );
    });
    await denied("alice", "bob");
    expect(group.book.missing.size).to.equal(1);
    expect(isComplete).to.equal(true);
  });
});
