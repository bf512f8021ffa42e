import { expect } from "chai";
import fc from "fast-check";

import { parseAddress, parseUint64 } from "../../src/ledger/index.ts";
import {
  addedMembers,
  groupAt as groupAtBlock,
  offerOf,
  troubleOf,
  withCommittee,
  withKnownNames,
} from "../../src/node/groups/committees.ts";
import type { StoredGroup } from "../../src/store/groups.ts";
import { lonelyGroup } from "../helpers/group-runner.ts";
import { groupAt, nodeName } from "../helpers/stores.ts";

const names = ["alice", "bob", "carol"].map(nodeName);
const directoryOf = (count: number): Parameters<typeof withKnownNames>[1] => ({
  names: () => names.slice(0, count),
  endorserOf: (name) =>
    names.indexOf(name) < count
      ? parseAddress(groupAt(21 + names.indexOf(name)))
      : undefined,
});

/** A group whose committee changes to those with these numbers, one block after the other. */
function changed(
  group: StoredGroup,
  block: number,
  members: readonly number[],
  options: {
    readonly endorsersOf?: () => readonly (typeof names)[number][];
    readonly known?: number;
    readonly keepFrom?: number;
  } = {},
): StoredGroup {
  const { endorsersOf, known = 3, keepFrom = 0 } = options;
  return withCommittee(
    group,
    {
      group: group.address,
      epoch: parseUint64(group.epoch + 1n),
      members: members.map((member) => parseAddress(groupAt(21 + member))),
      threshold: members.length,
    },
    {
      block,
      keepFrom,
      domain: endorsersOf === undefined ? {} : { endorsersOf },
      directory: directoryOf(known),
    },
  );
}

describe("A group whose committee changes", () => {
  const [alice, bob, carol] = names;

  it("has the members of its committee where all members endorse", () => {
    const group = changed(lonelyGroup(1), 5, [1, 2]);
    expect(group.members).to.deep.equal([bob, carol]);
    expect(addedMembers(group)).to.deep.equal([bob, carol]);
  });

  it("keeps its members where only some endorse", () => {
    const endorsersOf = (): typeof names => names;
    const first = changed(lonelyGroup(1), 5, [1], { endorsersOf });
    const second = changed(first, 6, [2], { endorsersOf });
    expect(second.members).to.deep.equal([alice, bob, carol]);
  });

  it("is offered as its creator described it", () => {
    const group = lonelyGroup(1);
    const twice = changed(changed(group, 5, [1]), 9, [0, 2]);
    expect(offerOf(twice)).to.deep.equal(offerOf(group));
  });

  it("says so when too few of those who must endorse are known, until they are", () => {
    const group = changed(lonelyGroup(1), 5, [0, 2], { known: 2 });
    expect(group.members).to.deep.equal([alice]);
    expect(troubleOf(group)).to.match(/^2 of 2 .* knows the nodes of 1\./);
    const known = withKnownNames(group, directoryOf(3));
    expect(troubleOf(known)).to.equal(undefined);
    expect(known.members).to.deep.equal([alice, carol]);
    expect(offerOf(known)).to.deep.equal(offerOf(group));
  });

  it("is as it was in every block that may be taken back, and keeps no more than that", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 12 }),
        fc.integer({ min: 1, max: 10 }),
        (gaps, kept) => {
          let group = lonelyGroup(1);
          const history = new Map([[group.since, group]]);
          let block = group.since;
          for (const [index, gap] of gaps.entries()) {
            // Of several changes in one block the last one counts.
            block = Math.max(block + gap, group.since + (index === 0 ? 1 : 0));
            const keepFrom = block - kept;
            group = changed(group, block, [index % 3], { keepFrom });
            history.set(block, group);
          }
          for (let at = Math.max(1, block - kept); at <= block; at++) {
            const last = Math.max(
              ...[...history.keys()].filter((since) => since <= at),
            );
            const { epoch, members, since } = groupAtBlock(group, at);
            const expected = history.get(last);
            expect({ epoch, members, since }).to.deep.equal({
              epoch: expected?.epoch,
              members: expected?.members,
              since: expected?.since,
            });
          }
          expect(group.earlier.length).to.be.at.most(kept + 2);
        },
      ),
    );
  });
});
