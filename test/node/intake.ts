import { expect } from "chai";

import type { Effect } from "../../src/protocol/effects.ts";
import { intentIdAt, parseAddress } from "../../src/ledger/index.ts";
import { laneOfSender } from "../../src/domains/states/ownership.ts";
import { type IntentId, parseIntentId } from "../../src/protocol/ids.ts";
import type { Intent } from "../../src/protocol/transition.ts";
import type { GroupRunner } from "../../src/node/group-runner.ts";
import { GroupSchedule } from "../../src/node/group-schedule.ts";
import { Intake } from "../../src/node/intake.ts";
import { postToGroups, type PostToGroup } from "../../src/node/node-events.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { FakeTimers } from "../helpers/fake-timers.ts";
import { lonelyGroup, lonelyRunner } from "../helpers/group-runner.ts";
import { createTestLoop } from "../helpers/node-loop.ts";
import { intent } from "../helpers/simulated-group.ts";
import { word } from "../helpers/stores.ts";

describe("An intent that depends on one that reverts", () => {
  let store: Store;
  let timers: FakeTimers;
  let runner: GroupRunner;
  let take: (one: Intent) => Promise<string>;
  let post: PostToGroup;
  let asked: Extract<Effect, { readonly type: "Assemble" }> | undefined;
  beforeEach(() => {
    store = openStore({ file: ":memory:" });
    timers = new FakeTimers();
    const schedule = new GroupSchedule<GroupRunner>(5);
    runner = lonelyRunner(lonelyGroup(1), { store, schedule });
    const { loop, requests, start } = createTestLoop(store, timers);
    const roster = {
      get: () => runner,
      has: () => true,
      drain: () => [],
    };
    const intake = new Intake({
      loop,
      requests,
      schedule,
      roster,
      submitter: { publicOpen: 0 },
    });
    start({
      steps: { intake, roster },
      effects: {
        assembling: { assemble: (_, effect) => void (asked = effect) },
      },
    });
    post = postToGroups(loop);
    asked = undefined;
    const { address: group } = runner.stored;
    take = async (one) => {
      const work = { intents: [{ ...one, group }], transactions: [] };
      return await intake
        .take(work, () => undefined)
        .then(
          () => "taken",
          (error: unknown) => String(error),
        );
    };
  });
  afterEach(() => {
    store.close();
  });

  /** Makes the intents revert that are to be assembled. */
  function revert(): void {
    for (let i = 0; i < 100 && asked === undefined; i++) {
      post(runner, { type: "Tick" });
      timers.advance(0);
    }
    if (asked === undefined) throw new Error("Nothing is assembled.");
    const { key, intents } = asked;
    post(runner, {
      type: "AssemblyDone",
      key,
      outcomes: intents.map(({ id }) => ({
        type: "reverted",
        id,
        reason: "no coins",
      })),
    });
  }

  /** An intent of this node, with an id that coordinators take from it. */
  function ownIntent(number: number, ...dependsOn: IntentId[]): Intent {
    const laneSalt = word(7);
    const { self, contract } = runner.sequencer.config;
    const lane = laneOfSender(
      { chainId: 1n, group: parseAddress(contract) },
      { sender: self, salt: laneSalt },
    );
    const id = parseIntentId(intentIdAt(lane, BigInt(number)));
    if (id === undefined) throw new Error("Invalid intent id.");
    return { ...intent(number, ""), id, laneSalt, dependsOn };
  }

  /** Resolves with what becomes of a dependant that is sent before, after or while the first one reverts. */
  async function sent(when: "before" | "with" | "after"): Promise<string> {
    const first = ownIntent(1);
    const taken = take(first);
    timers.advance(0);
    await taken;
    let answer: Promise<string> | undefined;
    const send = (): void => {
      answer = take(ownIntent(2, first.id));
    };
    if (when === "before") send();
    timers.advance(0);
    revert();
    if (when === "with") send();
    timers.advance(0);
    if (when === "after") send();
    timers.advance(0);
    expect([...runner.sequencer.sender.transactions.keys()]).to.deep.equal([]);
    return (await answer) ?? "not sent";
  }

  it("ends with it if it was there before", async () => {
    expect(await sent("before")).to.equal("taken");
  });

  it("is refused afterwards", async () => {
    expect(await sent("after")).to.include("can never be confirmed");
  });

  it("is refused in the batch in which that reverts", async () => {
    expect(await sent("with")).to.include("can never be confirmed");
  });
});
