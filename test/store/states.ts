import { expect } from "chai";

import type { StateContent } from "../../src/store/contents.ts";
import type { LedgerState } from "../../src/store/state-rows.ts";
import type { Spending } from "../../src/store/states.ts";
import { StoreError } from "../../src/store/store-error.ts";
import {
  groupAt,
  ledgerId,
  stateId,
  withEachStore,
  word,
} from "../helpers/stores.ts";

const group = groupAt(1);

/** State `n`, as a transition of a block created it. */
function aState(
  n: number,
  block: number,
  changes: Partial<LedgerState> = {},
): LedgerState {
  return {
    ledgerId: ledgerId(n),
    block,
    intentsHash: word(2_000 + block),
    index: n,
    isVacancy: false,
    ...changes,
  };
}

function aContent(
  n: number,
  changes: Partial<StateContent> = {},
): StateContent {
  return {
    id: stateId(500 + n),
    ledgerId: ledgerId(n),
    schema: "coin",
    label: "alice",
    content: `{"salt":"${n}"}`,
    ...changes,
  };
}

const spending = (n: number, block: number): Spending => ({
  ledgerId: ledgerId(n),
  block,
});

describe("the table of states", () => {
  withEachStore((store) => {
    it("gives what can be spent in the order of the ledger", () => {
      const { states } = store();
      states.created(group, aState(9, 1));
      states.created(group, aState(3, 1));
      states.created(group, aState(5, 2));
      for (const n of [5, 3, 9]) states.saveContent(group, aContent(n));
      expect(states.unspent(group)).to.deep.equal([
        { ...aState(9, 1), ...aContent(9) },
        { ...aState(3, 1), ...aContent(3) },
        { ...aState(5, 2), ...aContent(5) },
      ]);
      expect(states.unspent(groupAt(2))).to.deep.equal([]);
    });

    it("knows whose content is missing, and what is only a vacancy", () => {
      const { states } = store();
      states.saveContent(group, aContent(1));
      states.created(group, aState(1, 1));
      states.created(group, aState(2, 1));
      states.created(group, aState(3, 1, { isVacancy: true }));
      expect(states.missing(group)).to.deep.equal([aState(2, 1)]);
      expect(states.incompleteGroups()).to.deep.equal([group]);
      expect(states.vacancies(group)).to.deep.equal([
        aState(3, 1, { isVacancy: true }),
      ]);
      states.saveContent(group, aContent(2));
      expect(states.missing(group)).to.deep.equal([]);
      expect(states.incompleteGroups()).to.deep.equal([]);
      expect(states.unspent(group).map(({ index }) => index)).to.deep.equal([
        1, 2,
      ]);
    });

    it("does not miss the content of what is spent", () => {
      const { states } = store();
      states.created(group, aState(1, 1));
      states.created(group, aState(2, 1, { isVacancy: true }));
      states.spent(group, spending(1, 2));
      states.spent(group, spending(2, 2));
      expect(states.missing(group)).to.deep.equal([]);
      expect(states.vacancies(group)).to.deep.equal([]);
    });

    it("finds contents by both ids, also of what is spent", () => {
      const { states } = store();
      states.created(group, aState(1, 1));
      states.saveContent(group, aContent(1));
      states.spent(group, spending(1, 2));
      expect(states.unspent(group)).to.deep.equal([]);
      expect(states.content(group, stateId(501))).to.deep.equal(aContent(1));
      expect(states.byLedgerId(group, ledgerId(1))).to.deep.equal(aContent(1));
      expect(states.content(group, stateId(1))).to.equal(undefined);
      expect(states.byLedgerId(groupAt(2), ledgerId(1))).to.equal(undefined);
    });

    it("refuses to spend what is not there, or twice", () => {
      const { states } = store();
      states.created(group, aState(1, 1));
      states.spent(group, spending(1, 2));
      expect(() => {
        states.spent(group, spending(1, 3));
      }).to.throw("not among the unspent ones");
      expect(() => {
        states.spent(group, spending(2, 3));
      }).to.throw("not among the unspent ones");
    });

    it("takes back what later blocks created and spent", () => {
      const { states } = store();
      states.created(group, aState(1, 1));
      states.saveContent(group, aContent(1));
      states.spent(group, spending(1, 3));
      states.created(group, aState(2, 3));
      states.saveContent(group, aContent(2));
      states.spent(group, spending(2, 4));
      states.revertTo(3);
      expect(states.unspent(group).map(({ index }) => index)).to.deep.equal([
        2,
      ]);
      states.revertTo(2);
      expect(states.unspent(group).map(({ index }) => index)).to.deep.equal([
        1,
      ]);
      // The content is still known when the state comes back.
      states.spent(group, spending(1, 5));
      states.created(group, aState(2, 5));
      expect(states.missing(group)).to.deep.equal([]);
    });

    it("gives the id on the ledger that a state has now", () => {
      const { states } = store();
      const again = aContent(1, { ledgerId: ledgerId(7) });
      states.created(group, aState(1, 3));
      states.saveContent(group, aContent(1));
      states.revertTo(2);
      states.saveContent(group, again);
      states.created(group, aState(7, 3));
      expect(states.content(group, stateId(501))).to.deep.equal(again);
      states.revertTo(2);
      states.created(group, aState(1, 3));
      expect(states.content(group, stateId(501))).to.deep.equal(aContent(1));
    });

    it("names the table and the key of a damaged row", () => {
      const { states, database } = store();
      states.created(group, aState(1, 1));
      database.write(() =>
        database.run("UPDATE states SET intents_hash = 'x'"),
      );
      expect(() => states.missing(group))
        .to.throw(StoreError, `${ledgerId(1)} of table states`)
        .with.property("code", "CORRUPT");
    });
  });
});
