import { expect } from "chai";

import { parseDigest, parseRequestKey } from "../../../src/protocol/ids.ts";
import {
  type DispatchRecord,
  type HandoverRecord,
  recordKey,
} from "../../../src/protocol/records.ts";
import { StoreError } from "../../../src/runtime/store/store-error.ts";
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
} from "../../helpers/stores.ts";

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
        sender: nodeName("alice"),
        payload: "pay",
        inputs: [stateId(1)],
        reads: [],
        outputs: [{ id: stateId(2), content: '{"amount":"ü"}' }],
        infos: [{ id: stateId(3), content: '{"said":"ü"}' }],
        calls: [{ target: groupAt(9), data: "0x01" }],
        found: [],
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

    it("names the table and the key of a damaged record", () => {
      const { records, database } = store();
      records.save(group, anIntentRecord(1));
      database.run("UPDATE records SET record = replace(record, '0', '1')");
      expect(() => records.open(group))
        .to.throw(StoreError, `intent:${intentId(1)} of table records`)
        .with.property("code", "CORRUPT");
    });
  });
});
