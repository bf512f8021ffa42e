import { expect } from "chai";

import { explain } from "../../src/protocol/sequencer.ts";
import type { AssembleOutcome } from "../../src/protocol/messages.ts";
import type { Intent } from "../../src/protocol/transition.ts";
import {
  assembled,
  Coordinator,
  wish as touching,
} from "../helpers/drives/driven-coordinator.ts";
import { Sender } from "../helpers/drives/driven-sender.ts";
import { block, submission } from "../helpers/letters.ts";
import { keyOf, LoneNode, rank } from "../helpers/lone-node.ts";
import { emptyView, intent } from "../helpers/simulated-group.ts";

const untraced = (): void => undefined;

const postponed = ({ id }: Intent): AssembleOutcome => ({
  type: "postponed",
  id,
  reason: "insufficient funds",
});

/** Its coordinator shows it something on top of which it reverts. */
function aPostponed(): Sender {
  const sender = new Sender(untraced, { retriesMax: 0 });
  return sender.delegated().assembling().answer(postponed(sender.wish));
}

describe("An intent that reverts only on the coordinator's word", () => {
  it("does not end, and costs no retry", () => {
    const { node, wish } = aPostponed();
    expect(node.sent("AssembleResponse")[0]?.outcomes).to.deep.equal([
      postponed(wish),
    ]);
    const record = node.records.get(`intent:${wish.id}`);
    expect(record).to.include({ retries: 0, receipt: undefined });
    expect(explain(node.sequencer, wish.id)).to.equal(
      "On top of what is in flight it reverts (insufficient funds): it waits until the ledger moves on.",
    );
  });

  it("is delegated again after a pause, and after a longer one the next time", () => {
    const sender = aPostponed();
    const { node, wish } = sender;
    const { retryTicks } = node.sequencer.config;
    const pauseOf = (): number => {
      for (let ticks = 1; ; ticks++) {
        const [request] = node.wait(1).sent("DelegationRequest");
        if (request === undefined) continue;
        const { key } = request;
        const accepted = {
          type: "DelegationAccepted",
          key,
          height: 0,
        } as const;
        node.hear(rank(0), { ...accepted, ids: [wish.id] });
        return ticks;
      }
    };
    const first = pauseOf();
    expect(first).to.be.at.least(retryTicks);
    sender.assembling().answer(postponed(wish));
    expect(pauseOf()).to.be.greaterThan(first);
  });

  it("is delegated again as soon as the ledger moves on", () => {
    const { node } = aPostponed();
    expect(node.tell(block(1)).sent("DelegationRequest")).to.have.length(0);
    node.tell(block(2, [intent(9, "").id]));
    expect(node.sent("DelegationRequest")).to.have.length(1);
  });

  it("is delegated again as soon as more is known of the ledger", () => {
    const { node } = aPostponed();
    node.tell({ type: "StatesLearnt" });
    expect(node.sent("DelegationRequest")).to.have.length(1);
    node.tell({ type: "StatesLearnt" });
    expect(node.sent("DelegationRequest")).to.have.length(0);
  });

  it("is delegated again after a restart", () => {
    const { node } = aPostponed();
    expect(node.restart().sent("DelegationRequest")).to.have.length(1);
  });

  it("leaves the coordinator, and what follows it goes back to its sender", () => {
    const [first, follower, other] = [
      touching(1),
      touching(2, touching(1)),
      touching(3),
    ];
    const coordinator = new Coordinator(untraced);
    coordinator.delegate(first).delegate(follower).delegate(other);
    coordinator.answer(postponed(first));
    expect(coordinator.node.sent("DelegationReturned")[0]?.ids).to.deep.equal([
      follower.id,
    ]);
    const { transactions } = coordinator.node.sequencer.coordinator;
    expect([...transactions.keys()]).to.deep.equal([other.id]);
    coordinator.delegate(first).answer(assembled(first));
    expect(transactions.get(first.id)?.step).to.not.equal(undefined);
  });
});

describe("An intent that reverts before the ledger has what it depends on", () => {
  it("does not end, whatever the coordinator shows of that", () => {
    const node = new LoneNode({ self: rank(1) });
    const first = intent(1, "");
    const second = { ...intent(2, ""), dependsOn: [first.id] };
    for (const wish of [first, second]) {
      node.tell(submission(wish));
      const { key } = node.sequencer.sender.delegation ?? {};
      if (key === undefined) throw new Error("not delegated");
      const accepted = { type: "DelegationAccepted", key, height: 0 } as const;
      node.hear(rank(0), { ...accepted, ids: [wish.id] });
    }
    const assembleSecond = (number: number): AssembleOutcome[] => {
      const key = keyOf(`assembly:${number}`);
      const { height } = node.sequencer;
      const request = { type: "AssembleRequest", key, height } as const;
      node.hear(rank(0), { ...request, ids: [second.id], view: emptyView });
      const outcomes = [
        { type: "reverted", id: second.id, reason: "nothing there" } as const,
      ];
      node.tell({ type: "AssemblyDone", key, outcomes });
      return node.sent("AssembleResponse").flatMap((one) => one.outcomes);
    };
    expect(assembleSecond(1)[0]?.type).to.equal("postponed");
    const [request] = node.tell(block(1, [first.id])).sent("DelegationRequest");
    expect(request?.intents.map(({ id }) => id)).to.deep.equal([second.id]);
    expect(assembleSecond(2)[0]?.type).to.equal("reverted");
    expect(node.records.get(`intent:${second.id}`)).to.deep.include({
      receipt: { type: "Reverted", id: second.id, reason: "nothing there" },
    });
  });
});
