import { expect } from "chai";

import { parseAddress, parseUint64 } from "../../src/ledger/index.ts";
import type { Event } from "../../src/protocol/events.ts";
import { CommitteeFeed } from "../../src/node/groups/committee-feed.ts";
import { BlockFeed } from "../../src/node/blocks.ts";
import type { GroupRunner } from "../../src/node/group-runner.ts";
import type { NodeFact } from "../../src/node/ports.ts";
import { GroupSchedule } from "../../src/node/group-schedule.ts";
import type { NodeEvent } from "../../src/node/node-events.ts";
import type { RequestId } from "../../src/node/requests.ts";
import type { IndexedBlock, IndexedCommittee } from "../../src/chain/ports.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { aBlock, aTransition } from "../helpers/blocks.ts";
import {
  lonelyDirectory,
  lonelyGroup,
  lonelyRunner,
} from "../helpers/group-runner.ts";
import { submission } from "../helpers/letters.ts";
import { createTestLoop } from "../helpers/node-loop.ts";
import { intent } from "../helpers/simulated-group.ts";
import { groupAt, ledgerId } from "../helpers/stores.ts";

/** A block in which the first group creates some states. */
function creating(number: number, ...states: number[]): IndexedBlock {
  const transitions = states.map((n) => ({
    ...aTransition(n),
    inputs: [],
    outputs: [ledgerId(n)],
  }));
  return { ...aBlock(number), transitions };
}

describe("Blocks that come together", () => {
  let store: Store;
  let schedule: GroupSchedule<GroupRunner>;
  /** Resolves when what happened is on the disk. */
  let tell: (event: (request: RequestId) => NodeEvent) => Promise<void>;
  /** One is changed by blocks, the other has something to do, the third has not. */
  let runners: Record<"changed" | "busy" | "idle", GroupRunner>;
  let told: Record<keyof typeof runners, string[]>;
  let facts: NodeFact[];
  beforeEach(() => {
    store = openStore({ file: ":memory:" });
    schedule = new GroupSchedule(5);
    told = { changed: [], busy: [], idle: [] };
    facts = [];
    const listen = (name: keyof typeof told, number: number): GroupRunner => {
      const runner = lonelyRunner(lonelyGroup(number), { store, schedule });
      const handle = runner.handle.bind(runner);
      runner.handle = (event: Event) => {
        if (event.type === "BlockSeen")
          told[name].push(`${event.height}:${event.facts.length}`);
        return handle(event);
      };
      return runner;
    };
    runners = {
      changed: listen("changed", 1),
      busy: listen("busy", 2),
      idle: listen("idle", 3),
    };
    const all = Object.values(runners);
    runners.busy.handle(submission(intent(1, "")));
    const roster = {
      find: (address: string) =>
        all.find(({ stored }) => stored.address === address),
      loaded: () => all,
      nextBoot: () => 2,
    };
    const { loop, requests, start } = createTestLoop(store);
    const committees = new CommitteeFeed({
      directory: lonelyDirectory,
      roster,
    });
    start({
      steps: { feed: new BlockFeed({ store, schedule, committees, roster }) },
      effects: { onFact: (fact) => facts.push(fact) },
    });
    tell = async (event) => {
      await requests.ask((request) => {
        loop.post(event(request));
      });
    };
  });
  afterEach(() => {
    store.close();
  });

  const take = async (blocks: readonly IndexedBlock[]): Promise<void> => {
    await tell((request) => ({ type: "blocks", blocks, request }));
  };

  it("are told one by one to whom they change, and once to who waits for something", async () => {
    await take([
      creating(6),
      creating(7, 1),
      creating(8),
      creating(9, 2, 3),
      creating(10),
    ]);
    expect(told).to.deep.equal({
      changed: ["7:1", "9:2"],
      busy: ["10:0"],
      idle: [],
    });
    expect(schedule.height).to.equal(10);
    expect(store.blocks.head()).to.include({ number: 10 });
    for (const { height } of Object.values(runners))
      expect(height).to.equal(10);
  });

  it("change committees, and take the change back when they never happened", async () => {
    const { idle } = runners;
    const { address } = idle.stored;
    store.write(() => {
      store.groups.save(idle.stored);
    });
    const stranger = parseAddress(groupAt(22));
    const own = parseAddress(groupAt(21));
    const changes: readonly IndexedCommittee[] = [
      {
        group: address,
        epoch: parseUint64(1n),
        members: [stranger],
        threshold: 1,
      },
      {
        group: address,
        epoch: parseUint64(2n),
        members: [own, stranger],
        threshold: 2,
      },
    ];
    await take([aBlock(6), { ...aBlock(7), committees: changes }]);
    expect(told.idle).to.deep.equal(["7:0"]);
    expect(idle.sequencer.config).to.deep.include({
      committee: idle.stored.members,
      committeeSince: 7,
      threshold: 2,
      boot: 2,
    });
    const { stored } = idle;
    expect(store.groups.get(address)).to.deep.equal(stored);
    expect(stored.committee).to.deep.equal([
      { name: idle.sequencer.config.self, endorser: own },
      { name: undefined, endorser: stranger },
    ]);
    const changed = facts.filter(({ type }) => type === "CommitteeChanged");
    expect(changed).to.have.length(1);
    expect(changed[0]).to.deep.include({ epoch: 2n, members: 2, threshold: 2 });
    expect(changed[0]).to.have.property("trouble").that.contains(stranger);
    await tell((request) => ({
      type: "chain-reverted",
      height: 6,
      anchor: undefined,
      request,
    }));
    expect(store.groups.get(address)).to.deep.equal(lonelyGroup(3));
    expect(idle.sequencer.config.threshold).to.equal(1);
    expect(idle.sequencer.height).to.equal(6);
  });

  it("are told to whom they change and who goes on waiting, up to the last", async () => {
    runners.changed.handle(submission(intent(2, "")));
    await take([creating(6, 1), creating(7)]);
    await take([creating(8, 2)]);
    expect(told.changed).to.deep.equal(["6:1", "7:0", "8:1"]);
    expect(told.busy).to.deep.equal(["7:0", "8:0"]);
  });
});
