import { expect } from "chai";

import {
  addDispatch,
  addTransaction,
  closeDispatched,
  removeDispatch,
  removeTransaction,
} from "../../src/protocol/coordinator/indexes.ts";
import type { Coordinator } from "../../src/protocol/coordinator/model.ts";
import type { CoordinatorTransaction } from "../../src/protocol/coordinator/transaction/model.ts";
import type { DispatchRecord } from "../../src/protocol/records.ts";
import { LoneNode, rank } from "../helpers/lone-node.ts";
import {
  aStep,
  alice,
  bob,
  bundleOf,
  intent,
} from "../helpers/simulated-group.ts";

function aCoordinator(): Coordinator {
  return new LoneNode({ self: rank(0) }).sequencer.coordinator;
}

function aTransaction(number: number, sender = alice): CoordinatorTransaction {
  const wish = intent(number, "");
  return {
    state: "Pooled",
    id: wish.id,
    sender,
    intent: wish,
    order: number,
    request: undefined,
    step: undefined,
    builtOn: undefined,
    usedBy: undefined,
    waitsFor: new Set(),
    follows: undefined,
    failures: 0,
    companyMax: Infinity,
    notBefore: 0,
  };
}

function aDispatch(...numbers: readonly number[]): DispatchRecord {
  const steps = numbers.map((number) =>
    aStep({ intentId: intent(number, "").id, sender: alice }),
  );
  return {
    kind: "dispatch",
    bundle: bundleOf(steps),
    endorsements: [],
    acknowledged: [],
  };
}

describe("Indexes of a coordinator", () => {
  it("find transactions by sender in order of arrival", () => {
    const coordinator = aCoordinator();
    const transactions = [
      aTransaction(1),
      aTransaction(2, bob),
      aTransaction(3),
    ];
    for (const transaction of transactions)
      addTransaction(coordinator, transaction);
    const own = coordinator.bySender.get(alice);
    expect([...(own?.values() ?? [])].map(({ order }) => order)).to.deep.equal([
      1, 3,
    ]);
    for (const transaction of transactions)
      removeTransaction(coordinator, transaction);
    expect(coordinator.transactions.size).to.equal(0);
    expect(coordinator.bySender.size).to.equal(0);
  });

  it("find the dispatch that an intent is open in, until its fate is known", () => {
    const coordinator = aCoordinator();
    addDispatch(coordinator, aDispatch(1, 2), 7);
    addDispatch(coordinator, aDispatch(3), 7);
    expect(coordinator.dispatchOf.size).to.equal(3);
    const { id } = intent(1, "");
    const work = closeDispatched(coordinator, id);
    expect(work?.open.size).to.equal(1);
    expect(closeDispatched(coordinator, id)).to.equal(undefined);
    if (work !== undefined) removeDispatch(coordinator, work);
    expect(coordinator.dispatched.size).to.equal(1);
    expect([...coordinator.dispatchOf.keys()]).to.deep.equal([
      intent(3, "").id,
    ]);
  });
});
