import { expect } from "chai";
import fc from "fast-check";

import {
  parseGroupAddress,
  parseNodeName,
  type GroupAddress,
  type NodeName,
} from "../../src/protocol/ids.ts";
import { rankOnRing } from "../../src/protocol/ring.ts";
import { rankCoordinators, rankingOf } from "../../src/protocol/selection.ts";

function node(name: string): NodeName {
  const parsed = parseNodeName(name);
  if (parsed === undefined) throw new Error(`${name} is no node name`);
  return parsed;
}

function contract(number: number): GroupAddress {
  const parsed = parseGroupAddress(
    `0x${number.toString(16).padStart(40, "0")}`,
  );
  if (parsed === undefined) throw new Error(`${number} makes no address`);
  return parsed;
}

/** Ranges over which the role is to be dealt out evenly. */
const RANGES = 100_000;

const committeeOf = (size: number): NodeName[] =>
  Array.from({ length: size }, (_, index) => node(`node-${index}`));

const names = fc.uniqueArray(
  fc.stringMatching(/^[a-z][a-z0-9.-]{0,20}$/).map(node),
  {
    minLength: 1,
    maxLength: 20,
  },
);
const contracts = fc.nat().map(contract);
const ranges = fc.maxSafeNat();

function count<Key>(keys: Iterable<Key>): Map<Key, number> {
  const counts = new Map<Key, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** The largest relative distance of a count from the mean, for all of `keys`. */
function unevenness<Key>(
  counts: ReadonlyMap<Key, number>,
  keys: readonly Key[],
): number {
  const total = keys.reduce((sum, key) => sum + (counts.get(key) ?? 0), 0);
  return Math.max(
    ...keys.map((key) =>
      Math.abs(((counts.get(key) ?? 0) * keys.length) / total - 1),
    ),
  );
}

describe("selection of the coordinator", () => {
  it("ranks every member once, whatever the order in which the committee is given", () => {
    fc.assert(
      fc.property(
        names,
        contracts,
        ranges,
        fc.integer(),
        (committee, group, range, seed) => {
          const ranked = rankCoordinators({
            committee,
            contract: group,
            range,
          });
          expect([...ranked].sort()).to.deep.equal([...committee].sort());
          const shuffled = [...committee, ...committee].sort(
            (a, b) => (((a + b).length * seed) % 3) - 1,
          );
          expect(
            rankCoordinators({ committee: shuffled, contract: group, range }),
          ).to.deep.equal(ranked);
        },
      ),
    );
  });

  it("answers for an empty committee and for a single node", () => {
    expect(
      rankCoordinators({ committee: [], contract: contract(1), range: 0 }),
    ).to.deep.equal([]);
    expect(
      rankCoordinators({
        committee: [node("a")],
        contract: contract(1),
        range: 7,
      }),
    ).to.deep.equal(["a"]);
  });

  it("keeps the order of the fallbacks when a member that is not first is removed and the first stays", () => {
    fc.assert(
      fc.property(
        names,
        contracts,
        ranges,
        fc.nat(),
        (committee, group, range, pick) => {
          const [first, ...others] = rankCoordinators({
            committee,
            contract: group,
            range,
          });
          const removed = others[pick % Math.max(others.length, 1)];
          fc.pre(removed !== undefined);
          const rest = committee.filter((member) => member !== removed);
          const [newFirst, ...newOthers] = rankCoordinators({
            committee: rest,
            contract: group,
            range,
          });
          fc.pre(newFirst === first);
          expect(newOthers).to.deep.equal(
            others.filter((member) => member !== removed),
          );
        },
      ),
    );
  });

  for (let size = 2; size <= 20; size++) {
    it(`deals out first places, and the load of a node that is down, evenly among ${size} nodes`, function () {
      this.timeout(60_000);
      const committee = committeeOf(size);
      const rank = rankingOf({ committee, contract: contract(size) });
      const [down, ...alive] = committee;
      const first: (NodeName | undefined)[] = [];
      const second: (NodeName | undefined)[] = [];
      for (let range = 0; range < RANGES; range++) {
        const [top, next] = rank(range);
        first.push(top);
        if (top === down) second.push(next);
      }
      expect(unevenness(count(first), committee)).to.be.lessThan(0.02);
      const expected = RANGES / size / (size - 1);
      // Five standard deviations.
      expect(unevenness(count(second), alive)).to.be.lessThan(
        5 / Math.sqrt(expected),
      );
    });
  }

  it("spreads contracts with the same committee over the nodes", () => {
    const committee = committeeOf(7);
    const tops = Array.from({ length: 7_000 }, (_, index) =>
      rankCoordinators({ committee, contract: contract(index), range: 12 }).at(
        0,
      ),
    );
    expect(unevenness(count(tops), committee)).to.be.lessThan(0.16);
  });

  it("selects A, B and D in the documented example of the ring", () => {
    const positions = new Map([
      ["A", 315],
      ["B", 45],
      ["C", 225],
      ["D", 135],
    ]);
    const ranges = [310, 55, 120];
    const top = ranges.map((_, range) =>
      rankOnRing(
        {
          committee: ["A", "B", "C", "D"].map(node),
          contract: contract(1),
          range,
        },
        {
          node: (name) => positions.get(name) ?? 0,
          range: (selection) => ranges[selection.range] ?? 0,
        },
      ).at(0),
    );
    expect(top).to.deep.equal(["A", "B", "D"]);
  });

  it("never changes the order of the others on the ring when a member is removed", () => {
    fc.assert(
      fc.property(
        names,
        contracts,
        ranges,
        fc.nat(),
        (committee, group, range, pick) => {
          const removed = committee[pick % committee.length];
          const rest = committee.filter((member) => member !== removed);
          expect(
            rankOnRing({ committee: rest, contract: group, range }),
          ).to.deep.equal(
            rankOnRing({ committee, contract: group, range }).filter(
              (member) => member !== removed,
            ),
          );
        },
      ),
    );
  });
});
