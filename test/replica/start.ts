import { expect } from "chai";

import { GroupSchedule } from "../../src/node/group-schedule.ts";
import { lonelyGroup, lonelyRunner } from "../helpers/group-runner.ts";
import { ReplicaNode } from "../helpers/replica-node.ts";
import { ReplicaScene } from "../helpers/replica-scene.ts";
import { aConfirmedRecord } from "../helpers/stores.ts";

const group = lonelyGroup(1);
/** Intents that are settled, in one turn. */
const TURN = 5_000;
const FEW = 1_000;
const MANY = 100_000;
/** How much longer a start may take with many of them. */
const RATIO_MAX = 1.3;
/** A start that waited for the processor does not count: the quickest one does. */
const STARTS = { min: 5, max: 40 } as const;

describe("The start of a node in the place of another one", function () {
  this.timeout(120_000);
  const scene = new ReplicaScene();

  /** A log with so many settled intents, and a few that are not. */
  async function fill(name: string, count: number): Promise<void> {
    const node = await scene.active(name);
    const { store } = node;
    for (let n = 0; n < count; n += TURN) {
      store?.write(() => {
        if (n === 0) store.groups.save(group);
        for (let i = n; i < Math.min(n + TURN, count); i++)
          store.records.save(group.address, aConfirmedRecord(i, i));
      });
      await store?.database.settled();
    }
    for (let i = 0; i < 10; i++) await node.save(count + i);
    await node.replica.stop();
  }

  /** Milliseconds from the moment at which a replica may start its node until its group is in memory. */
  async function startMs(name: string): Promise<number> {
    let ms = 0;
    const node: ReplicaNode = scene.aReplica(
      name,
      {},
      {
        activate: (plain) => async (openDisk, fail) => {
          const before = performance.now();
          const started = await plain(openDisk, fail);
          const { store } = node;
          if (store === undefined) throw new Error("There is no store.");
          const runner = lonelyRunner(group, {
            store,
            schedule: new GroupSchedule(MANY),
          });
          ms = performance.now() - before;
          expect(runner.stored).to.equal(group);
          expect(node.saved()).to.have.length(10);
          return started;
        },
      },
    );
    await node.replica.start();
    await node.untilRole("active");
    await node.replica.stop();
    return ms;
  }

  it("takes no longer for a hundred thousand settled intents than for a thousand", async () => {
    const { schema } = scene;
    const places = [
      { name: "few", count: FEW, schema, bestMs: Infinity },
      { name: "many", count: MANY, schema: "", bestMs: Infinity },
    ];
    for (const place of places) {
      if (place.schema === "") place.schema = await scene.nextSchema();
      scene.schema = place.schema;
      await fill(place.name, place.count);
    }
    const ratio = (): number =>
      (places[1]?.bestMs ?? 0) / (places[0]?.bestMs ?? 1);
    for (let round = 0; round < STARTS.max; round++) {
      for (const place of places) {
        scene.schema = place.schema;
        place.bestMs = Math.min(place.bestMs, await startMs(place.name));
      }
      if (round >= STARTS.min && ratio() <= RATIO_MAX) break;
    }
    expect(ratio(), JSON.stringify(places)).to.be.at.most(RATIO_MAX);
  });
});
