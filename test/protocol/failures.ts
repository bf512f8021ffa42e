import { expect } from "chai";

import { limits } from "../../src/protocol/limits.ts";
import { coordinator, Sender } from "../helpers/drives/driven-sender.ts";
import { heartbeat } from "../helpers/letters.ts";
import { keyOf } from "../helpers/lone-node.ts";

const untraced = (): void => undefined;

function aSender(): Sender {
  return new Sender(untraced).delegated();
}

function retriesOf({ node, wish }: Sender): number | undefined {
  const record = node.records.get(`intent:${wish.id}`);
  return record?.kind === "intent" ? record.retries : undefined;
}

/** Its coordinator has forgotten it, and gets it again. */
function delegatedAgain(sender: Sender): Sender {
  const { node, wish } = sender;
  const [request] = node
    .hear(coordinator, heartbeat("Active"))
    .sent("DelegationRequest");
  if (request === undefined) throw new Error("not delegated");
  const { key } = request;
  const accepted = { type: "DelegationAccepted", key, height: 0 } as const;
  node.hear(coordinator, { ...accepted, ids: [wish.id] });
  return sender;
}

describe("The failure of a bundle", () => {
  it("counts once against the transactions in it", () => {
    const sender = aSender().gathering().permitted().dispatched().failed();
    expect(retriesOf(sender)).to.equal(1);
    expect(retriesOf(sender.failed())).to.equal(1);
    expect(sender.node.sequencer.ignored.get("stale revert")).to.equal(1);
  });

  it("does not count against a newer attempt at the same coordinator", () => {
    const sender = aSender().gathering().permitted();
    delegatedAgain(sender).assembling().failed();
    sender.gathering().failed().permitted(9).failed();
    expect(retriesOf(sender)).to.equal(0);
    expect(sender.node.sequencer.ignored.get("stale revert")).to.equal(3);
    expect(retriesOf(sender.failed(9))).to.equal(1);
  });

  it("gives back what its coordinator took again while it had it dispatched", () => {
    const sender = aSender().gathering().permitted();
    const { node } = delegatedAgain(sender).failed();
    const again = [
      ...node.sent("DelegationRequest"),
      ...node.wait(20).sent("DelegationRequest"),
    ];
    expect(again).not.to.have.length(0);
    expect(retriesOf(sender)).to.equal(0);
  });
});

describe("A refusal by endorsers", () => {
  it("counts once against what was assembled", () => {
    const sender = aSender().gathering().refused();
    expect(retriesOf(sender)).to.equal(1);
    expect(retriesOf(sender.refused())).to.equal(1);
    expect(sender.node.sequencer.ignored.get("stale refusal")).to.equal(1);
  });

  it("does not count against what was assembled after it", () => {
    const sender = aSender().gathering();
    const { node, wish } = sender;
    const late = {
      type: "TransactionRefused",
      key: keyOf("assembly:1"),
      id: wish.id,
      reason: "late",
    } as const;
    delegatedAgain(sender).gathering();
    node.hear(coordinator, late);
    expect(retriesOf(sender)).to.equal(0);
    expect(retriesOf(sender.refused())).to.equal(1);
  });
});

describe("An error of the domain", () => {
  const error = { type: "error", reason: "a bug" } as const;

  /** What the coordinator is told about the intent. */
  function fail(sender: Sender): string | undefined {
    const { id } = sender.wish;
    const { node } = sender.assembling().answer({ ...error, id });
    const [response] = node.sent("AssembleResponse");
    return response?.outcomes[0]?.type;
  }

  it("counts on the disk, and ends the intent with its reason once no retries are left", () => {
    const sender = aSender();
    const told = [fail(sender)];
    while (told.at(-1) === "postponed") {
      expect(retriesOf(sender)).to.be.at.least(told.length);
      sender.node.wait(64);
      told.push(fail(delegatedAgain(sender)));
    }
    expect(told.length).to.be.at.most(limits.errors + 1);
    expect(told.at(-1)).to.equal("reverted");
    const [reason] = sender.node.effects.flatMap((effect) =>
      effect.type === "Settled" && effect.receipt.type === "Reverted"
        ? [effect.receipt.reason]
        : [],
    );
    expect(reason).to.equal("a bug");
  });

  it("does not count if the domain was not asked", () => {
    const sender = aSender();
    const { node } = sender.assembling().answer();
    const [response] = node.sent("AssembleResponse");
    expect(response?.outcomes[0]?.type).to.equal("error");
    expect(retriesOf(sender)).to.equal(0);
  });
});
