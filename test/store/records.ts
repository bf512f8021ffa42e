import { expect } from "chai";

import { parseDigest, parseRequestKey } from "../../src/protocol/ids.ts";
import {
  type DispatchRecord,
  type HandoverRecord,
  recordKey,
} from "../../src/protocol/records.ts";
import type { CoreRecord } from "../../src/store/records.ts";
import { StoreError } from "../../src/store/store-error.ts";
import { type Random, randomFrom } from "../helpers/random.ts";
import {
  aConfirmedRecord,
  anIntentRecord,
  aRevertedRecord,
  groupAt,
  intentId,
  nodeName,
  stateId,
  withEachStore,
  word,
} from "../helpers/stores.ts";

const group = groupAt(1);
const other = groupAt(2);

function digest(n: number): DispatchRecord["bundle"]["digest"] {
  const parsed = parseDigest(word(n));
  if (parsed === undefined) throw new Error("A test made nonsense.");
  return parsed;
}

const aDispatch: DispatchRecord = {
  kind: "dispatch",
  bundle: {
    steps: [
      {
        intentId: intentId(1),
        laneSalt: "0x03",
        sender: nodeName("alice"),
        payload: "pay",
        inputs: [stateId(1)],
        reads: [],
        outputs: [{ id: stateId(2), content: '{"amount":"ü"}' }],
        infos: [{ id: stateId(3), content: '{"said":"ü"}' }],
        calls: [{ target: groupAt(9), data: "0x01", gasMin: 1 }],
        found: [],
        validUntil: 12,
        salt: "0x02",
        signature: "0x01",
      },
    ],
    places: [],
    validUntil: 9,
    digest: digest(7),
  },
  endorsements: [
    { endorser: nodeName("bob"), digest: digest(7), signature: "0x02" },
  ],
  acknowledged: [nodeName("alice")],
};

function aHandover(): HandoverRecord {
  const key = parseRequestKey("handover:1");
  if (key === undefined) throw new Error("A test made nonsense.");
  return {
    kind: "handover",
    key,
    to: nodeName("carol"),
    height: 3,
    context: {
      created: [{ id: stateId(3), content: "c" }],
      spent: [stateId(4)],
    },
    places: [],
    flush: [intentId(1)],
    digests: [digest(9)],
    flushUntil: 12,
  };
}

/** Another version of a record, with the same objects in it or with equal ones, as after a restart. */
function changed(record: CoreRecord, random: Random): CoreRecord {
  const base = random.chance(0.2) ? structuredClone(record) : record;
  switch (base.kind) {
    case "intent":
      return {
        ...base,
        retries: random.below(10),
        parked: random.chance(0.5) ? "waits" : undefined,
        receipt: random.chance(0.3)
          ? { type: "Confirmed", id: base.intent.id, block: random.below(9) }
          : undefined,
      };
    case "dispatch":
      return {
        ...base,
        acknowledged: ["alice", "bob"]
          .filter(() => random.chance(0.5))
          .map(nodeName),
      };
    case "handover":
      return base;
    case "horizon":
      return { ...base, signedUntil: random.below(100) };
  }
}

describe("the table of records", () => {
  withEachStore((store) => {
    it("gives records back as they were", () => {
      const { records } = store();
      const permitted = anIntentRecord(1, {
        parked: "waits",
        permission: {
          coordinator: nodeName("bob"),
          digest: digest(1),
          validUntil: 5,
          attempt: 2,
        },
        liveUntil: 5,
        isDispatched: true,
        reason: "stale",
      });
      const saved = [permitted, anIntentRecord(2), aDispatch, aHandover()];
      for (const record of saved) records.save(group, record);
      expect(records.open(group)).to.deep.equal(saved);
    });

    it("keeps the last version of a record", () => {
      const { records } = store();
      records.save(group, anIntentRecord(1));
      records.save(group, anIntentRecord(1, { retries: 3 }));
      expect(records.open(group)).to.deep.equal([
        anIntentRecord(1, { retries: 3 }),
      ]);
    });

    it("does not count settled intents as open, but finds them", () => {
      const { records } = store();
      records.save(group, anIntentRecord(1));
      records.save(group, aConfirmedRecord(1, 7));
      records.save(group, aRevertedRecord(2));
      expect(records.open(group)).to.deep.equal([]);
      expect(records.intent(group, intentId(1))).to.deep.equal(
        aConfirmedRecord(1, 7),
      );
      expect(records.isReverted(group, intentId(1))).to.equal(false);
      expect(records.isReverted(group, intentId(2))).to.equal(true);
      expect(
        records.lastReverted(group, 10).map(({ intent }) => intent.id),
      ).to.deep.equal([intentId(2)]);
      expect(records.lastReverted(group, 0)).to.deep.equal([]);
      expect(records.isReverted(group, intentId(3))).to.equal(false);
      expect(records.intent(group, intentId(3))).to.equal(undefined);
    });

    it("opens an intent again whose block was reverted", () => {
      const { records } = store();
      for (const [n, block] of [
        [1, 5],
        [2, 7],
        [3, 6],
      ] as const)
        records.save(group, aConfirmedRecord(n, block));
      expect(records.confirmedAbove(group, 5)).to.deep.equal([
        aConfirmedRecord(3, 6),
        aConfirmedRecord(2, 7),
      ]);
      records.save(group, anIntentRecord(2));
      expect(records.confirmedAbove(group, 5)).to.deep.equal([
        aConfirmedRecord(3, 6),
      ]);
      expect(records.open(group)).to.deep.equal([anIntentRecord(2)]);
    });

    it("erases by key, and only in one group", () => {
      const { records } = store();
      records.save(group, aDispatch);
      records.save(other, aDispatch);
      records.erase(group, recordKey(aDispatch));
      records.erase(group, "dispatch:nothing");
      expect(records.open(group)).to.deep.equal([]);
      expect(records.open(other)).to.deep.equal([aDispatch]);
      expect(records.openGroups()).to.deep.equal([other]);
    });

    for (const column of ["record", "progress"])
      it(`names the table and the key of a record whose ${column} is damaged`, () => {
        const { records, database } = store();
        records.save(group, anIntentRecord(1));
        database.write(() =>
          database.run(
            `UPDATE records SET ${column} = replace(${column}, '0', '1')`,
          ),
        );
        expect(() => records.open(group))
          .to.throw(StoreError, `intent:${intentId(1)} of table records`)
          .with.property("code", "CORRUPT");
      });

    // What is known to be written is written in part; what was erased may have left its row to another.
    it("has the last version of everything, whatever was saved and erased", () => {
      const { records } = store();
      for (let seed = 1; seed <= 5; seed++) {
        const random = randomFrom(seed);
        const expected = new Map<string, CoreRecord>();
        const versions: CoreRecord[] = [
          ...Array.from({ length: 4 }, (_, n) => anIntentRecord(n)),
          aDispatch,
          aHandover(),
        ];
        for (let i = 0; i < 100; i++) {
          const of = random.pick([group, other]);
          const at = random.below(versions.length);
          const record = changed(versions[at] ?? aDispatch, random);
          versions[at] = record;
          const key = recordKey(record);
          if (random.chance(0.3)) {
            records.erase(of, key);
            expected.delete(`${of} ${key}`);
          } else {
            records.save(of, record);
            expected.set(`${of} ${key}`, record);
          }
          for (const one of [group, other]) {
            const own = versions.flatMap(
              (version) => expected.get(`${one} ${recordKey(version)}`) ?? [],
            );
            for (const saved of own)
              if (saved.kind === "intent")
                expect(records.intent(one, saved.intent.id)).to.deep.equal(
                  saved,
                );
            expect(records.open(one)).to.have.deep.members(
              own.filter(
                (saved) =>
                  saved.kind !== "intent" || saved.receipt === undefined,
              ),
            );
          }
        }
        for (const each of [group, other])
          for (const version of versions)
            records.erase(each, recordKey(version));
      }
    });
  });
});
