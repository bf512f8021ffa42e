import { expect } from "chai";

import type { Digest } from "../../src/protocol/ids.ts";
import type { Bundle } from "../../src/protocol/transition.ts";
import { Coordinator, wish } from "../helpers/drives/driven-coordinator.ts";

const [first, second] = [wish(1), wish(2)];

function aCoordinator(): Coordinator {
  return new Coordinator(() => undefined);
}

/** What was dispatched in the last turn, in order. */
function dispatchedBy({ node }: Coordinator): Digest[] {
  return node.effects.flatMap((effect) =>
    effect.type === "Submit" ? [effect.dispatch.bundle.digest] : [],
  );
}

/** What permission was asked for in the last turn, in order. */
function askedBy({ node }: Coordinator): Digest[] {
  return node
    .sent("DispatchPermissionRequest")
    .map(({ bundle }) => bundle.digest);
}

const digestsOf = (...bundles: readonly Bundle[]): Digest[] =>
  bundles.map(({ digest }) => digest);

// docs/decisions/0029-permissions-are-asked-for-ahead.md
describe("A coordinator", () => {
  it("asks for permission for a bundle before the one in front of it is dispatched", () => {
    const coordinator = aCoordinator();
    coordinator.endorsed(first);
    const behind = coordinator.endorsed(second);
    expect(askedBy(coordinator)).to.deep.equal(digestsOf(behind));
  });

  it("asks for none before the ones in front of it are endorsed", () => {
    const coordinator = aCoordinator();
    const front = coordinator.gathering(first);
    const behind = coordinator.endorsed(second);
    expect(askedBy(coordinator)).to.deep.equal([]);
    coordinator.endorse(first);
    expect(askedBy(coordinator)).to.deep.equal(digestsOf(front, behind));
  });

  it("dispatches in order, whichever is permitted first", () => {
    const coordinator = aCoordinator();
    const front = coordinator.endorsed(first);
    const behind = coordinator.endorsed(second);
    coordinator.permitted(second);
    expect(dispatchedBy(coordinator)).to.deep.equal([]);
    coordinator.permitted(first);
    expect(dispatchedBy(coordinator)).to.deep.equal(digestsOf(front, behind));
  });

  it("does not dispatch what is permitted when the one in front of it is denied", () => {
    const coordinator = aCoordinator();
    coordinator.endorsed(first);
    coordinator.endorsed(second);
    coordinator.permitted(second).denied(first);
    expect(dispatchedBy(coordinator)).to.deep.equal([]);
    const { bundles } = coordinator.node.sequencer.coordinator;
    const [again] = bundles;
    expect([...(again?.ids ?? [])]).to.deep.equal([second.id]);
    expect(again?.unpermitted.size).to.equal(1);
  });

  it("keeps what is permitted for as long as the one in front of it takes, and tries that again", () => {
    const coordinator = aCoordinator();
    const front = coordinator.endorsed(first);
    coordinator.endorsed(second);
    coordinator.permitted(second);
    coordinator.node.wait(20);
    const asked = new Set(askedBy(coordinator));
    expect([...asked]).to.deep.equal(digestsOf(front));
    expect(coordinator.node.sequencer.coordinator.bundles).to.have.length(2);
  });
});
