import { expect } from "chai";

import {
  FaultCounter,
  noFaults,
  type FaultPlan,
} from "../../src/simulation/faults.ts";
import {
  Network,
  partitionShapes,
  type PartitionShape,
} from "../../src/simulation/network.ts";
import { Queue } from "../../src/simulation/queue.ts";
import { Random } from "../../src/simulation/random.ts";

const count = 10_000;

/** Sends numbers from node 0 to node 1, one each millisecond, and says what arrives when. */
function carry(plan: Partial<FaultPlan>): { at: number; item: number }[] {
  const queue = new Queue();
  const arrived: { at: number; item: number }[] = [];
  const network = new Network<number>(
    { size: 2, plan: { ...noFaults, ...plan } },
    {
      queue,
      random: new Random(1),
      faults: new FaultCounter(),
      deliver: (_to, _from, item) => arrived.push({ at: queue.now, item }),
    },
  );
  for (let item = 0; item < count; item++)
    queue.after(item, () => {
      network.send(0, 1, item);
    });
  queue.after(count, () => {
    network.heal(noFaults);
  });
  network.start();
  while (queue.step());
  return arrived;
}

function blocked(shape: PartitionShape, seed: number): [number, number][] {
  const network = new Network<number>(
    { size: 5, plan: noFaults },
    {
      queue: new Queue(),
      random: new Random(seed),
      faults: new FaultCounter(),
      deliver: () => undefined,
    },
  );
  network.partition(shape);
  const paths: [number, number][] = [];
  for (let from = 0; from < 5; from++)
    for (let to = 0; to < 5; to++)
      if (network.isBlocked(from, to)) paths.push([from, to]);
  return paths;
}

describe("Network", () => {
  it("delivers everything once and in order when nothing is wrong", () => {
    const items = carry({}).map(({ item }) => item);
    expect(items).to.deep.equal(Array.from({ length: count }, (_, i) => i));
  });

  it("loses as many messages as the plan says", () => {
    expect(carry({ drop: 0.2 }).length).to.be.within(7_800, 8_200);
  });

  it("doubles as many messages as the plan says, some of them much later", () => {
    const arrived = carry({ duplicate: 0.3, lateMs: 60_000 });
    expect(arrived.length).to.be.within(12_800, 13_200);
    const late = arrived.filter(({ at, item }) => at > item + 1_000);
    expect(late.length).to.be.within(1_200, 1_700);
  });

  it("delays and reorders", () => {
    const items = carry({ jitterMs: 100 }).map(({ item }) => item);
    expect(items).to.have.length(count);
    expect(items).to.not.deep.equal(items.toSorted((a, b) => a - b));
  });

  it("holds a clogged path back and lets everything through at once", () => {
    const arrived = carry({ clogEveryMs: 500 });
    const perMoment = new Map<number, number>();
    for (const { at } of arrived)
      perMoment.set(at, (perMoment.get(at) ?? 0) + 1);
    expect(arrived).to.have.length(count);
    expect(Math.max(...perMoment.values())).to.be.greaterThan(100);
  });

  it("cuts both ways, one way, or around one node", () => {
    for (let seed = 1; seed <= 50; seed++) {
      const isMutual = (paths: [number, number][]): boolean =>
        paths.every(([a, b]) => paths.some(([c, d]) => a === d && b === c));
      expect(isMutual(blocked("split", seed))).to.equal(true);
      expect(isMutual(blocked("isolate", seed))).to.equal(true);
      expect(blocked("isolate", seed)).to.have.length(8);
      expect(blocked("deafen", seed)).to.have.length(4);
      const oneWay = blocked("one-way", seed);
      if (oneWay.length > 0) expect(isMutual(oneWay)).to.equal(false);
      for (const shape of partitionShapes)
        for (const [from, to] of blocked(shape, seed))
          expect(from).to.not.equal(to);
    }
  });
});
