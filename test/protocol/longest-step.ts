import { expect } from "chai";

import { aStep } from "../helpers/simulated-group.ts";
import { self, Sender } from "../helpers/drives/driven-sender.ts";
import { block } from "../helpers/letters.ts";

/** What a sender has ended in its last turn. */
function endedBy({ node }: Sender): string[] {
  return node.effects.flatMap((effect) =>
    effect.type === "Settled" ? [effect.receipt.type] : [],
  );
}

/** The coordinator has it assembled, with a step that may happen until that block. */
function assembled(sender: Sender, validUntil: number): void {
  const { id } = sender.wish;
  const step = aStep({ intentId: id, sender: self, validUntil });
  sender.assembling().answer({ type: "assembled", id, step });
}

describe("A sender that signed an intent twice", () => {
  // After a reorganisation it signs for less than before.
  it("ends it when the step that lives longest can no longer happen", () => {
    const sender = new Sender(() => undefined).delegated();
    assembled(sender, 12);
    assembled(sender, 10);
    sender.node.tell(block(10));
    const { id } = sender.wish;
    sender.assembling().answer({ type: "reverted", id, reason: "no funds" });
    expect(endedBy(sender)).to.deep.equal([]);
    sender.node.tell(block(11));
    expect(endedBy(sender)).to.deep.equal([]);
    sender.node.tell(block(12));
    expect(endedBy(sender)).to.deep.equal(["Reverted"]);
  });
});
