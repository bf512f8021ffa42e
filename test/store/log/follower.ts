import { randomBytes } from "node:crypto";

import { expect } from "chai";

import { openMachineDisk } from "../../../src/store/disk.ts";
import { type ChainedTurn, headAfter } from "../../../src/store/log/chain.ts";
import { Follower } from "../../../src/store/log/follower.ts";
import { encodeTurn } from "../../../src/store/log/turn.ts";
import { openStore, type Store } from "../../../src/store/store.ts";
import { RecordedDisks, tablesOf } from "../../helpers/recorded-disk.ts";
import { anIntentRecord, groupAt } from "../../helpers/stores.ts";
import { StoreError } from "../../../src/store/store-error.ts";

describe("a store that follows a log", () => {
  const group = groupAt(1);
  let disks: RecordedDisks;
  let store: Store;
  const log = (): readonly ChainedTurn[] => disks.turns.get(":memory:") ?? [];

  function follow(): { follower: Follower; tables: () => unknown } {
    const disk = openMachineDisk(":memory:");
    const sqlOf = disks.sqlOf;
    return {
      follower: new Follower({ disk, sqlOf }),
      tables: () => tablesOf(disk.database),
    };
  }

  function save(n: number): void {
    store.write(() => {
      store.records.save(group, anIntentRecord(n));
    });
  }

  beforeEach(() => {
    disks = new RecordedDisks();
    store = openStore(
      { file: ":memory:" },
      { randomBytes, openDisk: disks.openDisk },
    );
    save(1);
    save(2);
  });
  afterEach(() => {
    store.close();
  });

  it("has the same tables after every turn", () => {
    const { follower, tables } = follow();
    for (const turn of log()) follower.apply([turn]);
    expect(follower.head.sequence).to.equal(log().length);
    expect(tables()).to.deep.equal(tablesOf(disks.database(":memory:")));
    save(3);
    expect(tables()).not.to.deep.equal(tablesOf(disks.database(":memory:")));
    follower.apply(log().slice(-1));
    expect(tables()).to.deep.equal(tablesOf(disks.database(":memory:")));
  });

  it("writes nothing of a write that was undone", () => {
    const turns = log().length;
    expect(() =>
      store.write(() => {
        store.records.save(group, anIntentRecord(3));
        throw new Error("never mind");
      }),
    ).to.throw("never mind");
    store.write(() => undefined);
    expect(log()).to.have.length(turns);
    save(4);
    const { follower, tables } = follow();
    follower.apply(log());
    expect(tables()).to.deep.equal(tablesOf(disks.database(":memory:")));
  });

  it("refuses a turn that is missing, repeated or altered, and changes nothing", () => {
    const [first, second, ...rest] = log();
    if (first === undefined || second === undefined) throw new Error("short");
    const { follower, tables } = follow();
    follower.apply([first]);
    const before = tables();
    const altered = { ...second, body: Buffer.from(second.body) };
    altered.body.writeUInt8(255 - altered.body.readUInt8(9), 9);
    for (const wrong of [rest, [first], [altered], [second, second]])
      expect(() => {
        follower.apply(wrong);
      })
        .to.throw(StoreError)
        .with.property("code", "DIVERGED");
    expect(tables()).to.deep.equal(before);
    expect(follower.head).to.include({ sequence: 1, hash: first.hash });
    follower.apply([second, ...rest]);
  });

  it("notices a statement that changes another number of rows than it did", () => {
    const { follower } = follow();
    follower.apply(log());
    const sql = "DELETE FROM records";
    const { body } = encodeTurn([{ sql, values: [], changes: 1 }]);
    const { sequence, hash } = headAfter(follower.head, body);
    const knowing = new Follower({
      disk: follower.disk,
      sqlOf: () => sql,
    });
    expect(() => {
      knowing.apply([{ sequence, hash, body }]);
    }).to.throw(StoreError, "changed 2 rows here and 1");
  });

  it("goes on where it was after it was closed", () => {
    const { follower } = follow();
    follower.apply(log().slice(0, 2));
    const again = new Follower({ disk: follower.disk, sqlOf: disks.sqlOf });
    expect(again.head).to.deep.equal(follower.head);
    again.apply(log().slice(2));
  });
});
