import { expect } from "chai";

import {
  bitmapWordOf,
  intentIdAt,
  type Lane,
  laneOf,
  parseLane,
  parseUint64,
} from "../../src/ledger/index.ts";
import { Lanes } from "../../src/store/lanes.ts";
import { StoreError } from "../../src/store/store-error.ts";
import {
  aStoredGroup,
  groupAt,
  nodeName,
  withEachStore,
} from "../helpers/stores.ts";

describe("the table of groups", () => {
  withEachStore((store) => {
    it("gives groups back as they were, in the order in which they came", () => {
      const { groups } = store();
      groups.save(aStoredGroup(2));
      groups.save(aStoredGroup(1));
      expect(groups.list()).to.deep.equal([aStoredGroup(2), aStoredGroup(1)]);
      expect(groups.get(groupAt(1))).to.deep.equal(aStoredGroup(1));
      expect(groups.get(groupAt(3))).to.equal(undefined);
    });

    it("changes a group in its place", () => {
      const { groups } = store();
      groups.save(aStoredGroup(2));
      groups.save(aStoredGroup(1));
      const changed = aStoredGroup(2, { epoch: parseUint64(1n), threshold: 1 });
      groups.save(changed);
      expect(groups.list()).to.deep.equal([changed, aStoredGroup(1)]);
    });

    it("names the table and the key of a damaged group", () => {
      const { groups, database } = store();
      groups.save(aStoredGroup(1));
      database.write(() =>
        database.run(
          "UPDATE groups SET config = replace(config, 'elected', '')",
        ),
      );
      expect(() => groups.list())
        .to.throw(StoreError, `${groupAt(1)} of table groups`)
        .with.property("code", "CORRUPT");
    });
  });
});

describe("the table of peers", () => {
  withEachStore((store) => {
    it("keeps the latest boot of a peer", () => {
      const { peers } = store();
      const alice = nodeName("alice");
      expect(peers.list()).to.deep.equal(new Map());
      peers.save(alice, 2);
      peers.save(alice, 1);
      expect(peers.list()).to.deep.equal(new Map([[alice, 2]]));
      peers.save(alice, 3);
      expect(peers.list().get(alice)).to.equal(3);
    });
  });
});

const laneWith = (salt: string): Lane =>
  parseLane(`0x${salt.slice(2, 4).repeat(24)}`);

describe("lanes", () => {
  it("count up in one lane for each group", () => {
    let byte = 0;
    const lanes = new Lanes({
      randomBytes: (length) => new Uint8Array(length).fill(++byte),
    });
    const first = lanes.nextSeries(groupAt(1), laneWith);
    const second = lanes.nextSeries(groupAt(1), laneWith);
    const elsewhere = lanes.nextSeries(groupAt(2), laneWith);
    expect([first.series, second.series, elsewhere.series]).to.deep.equal([
      0n,
      1n,
      0n,
    ]);
    expect(second.lane).to.equal(first.lane);
    expect(elsewhere.lane).not.to.equal(first.lane);
    expect(intentIdAt(second.lane, second.series)).to.equal(
      `0x${"01".repeat(24)}${"0".repeat(15)}1`,
    );
    expect(first.salt).to.equal(`0x${"01".repeat(16)}`);
  });

  it("end where a word of the ledger ends", () => {
    let byte = 0;
    const lanes = new Lanes({
      randomBytes: (length) => new Uint8Array(length).fill(++byte),
    });
    const ids = Array.from({ length: 600 }, () => {
      const { lane, series } = lanes.nextSeries(groupAt(1), laneWith);
      return intentIdAt(lane, series);
    });
    expect(new Set(ids).size).to.equal(600);
    expect(new Set(ids.map(bitmapWordOf)).size).to.equal(3);
    expect(new Set(ids.map(laneOf)).size).to.equal(3);
  });
});
