import { expect } from "chai";

import { limits } from "../../src/protocol/limits.ts";
import type { MessageOf } from "../../src/protocol/messages.ts";
import type { Intent } from "../../src/protocol/transition.ts";
import {
  assembled,
  Coordinator,
  wish as touching,
} from "../helpers/drives/driven-coordinator.ts";
import { block, delegation } from "../helpers/letters.ts";
import { LoneNode, rank } from "../helpers/lone-node.ts";
import { intent } from "../helpers/simulated-group.ts";

const mute = rank(1);
const other = rank(2);
const stateTicks = 40;

function aCoordinator(): LoneNode {
  return new LoneNode({ self: rank(0), stateTicks });
}

/** More than fits into one request. */
function manyIntents(first: number): Intent[] {
  return Array.from({ length: 3 * limits.assembly }, (_, i) =>
    intent(first + i, ""),
  );
}

/** What a sender is asked for now. */
function requestTo(
  { sequencer }: LoneNode,
  sender: typeof mute,
): MessageOf<"AssembleRequest"> | undefined {
  const { assemblies } = sequencer.coordinator;
  return [...assemblies.values()].find(({ to }) => to === sender)?.request;
}

/** It answers what it is asked for. */
function answer(node: LoneNode, sender: typeof mute): void {
  const { key, ids } = requestTo(node, sender) ?? {};
  if (key === undefined || ids === undefined) throw new Error("not asked");
  const outcomes = ids.map(
    (id) => ({ type: "parked", id, reason: "not ready" }) as const,
  );
  node.hear(sender, { type: "AssembleResponse", key, outcomes });
}

/** Time passes for a coordinator to which somebody else gives work. Whether that one was held up. */
function pass(node: LoneNode): boolean {
  node.hear(other, delegation(intent(1_000 + node.sequencer.tick, "")));
  const isHeldUp = requestTo(node, other) === undefined;
  if (!isHeldUp) answer(node, other);
  node.wait(1);
  return isHeldUp;
}

/** Ticks until a sender is asked. */
function ticksUntilAsked(node: LoneNode, sender: typeof mute): number {
  let ticks = 0;
  for (; requestTo(node, sender) === undefined; ticks++) pass(node);
  return ticks;
}

describe("A sender that does not answer", () => {
  it("holds others up once, however much it has delegated", () => {
    const node = aCoordinator();
    for (const wish of manyIntents(0)) node.hear(mute, delegation(wish));
    let heldUp = 0;
    for (let tick = 0; tick < 10 * stateTicks; tick++)
      if (pass(node)) heldUp += 1;
    expect(heldUp).to.equal(stateTicks);
  });

  it("gets back all that is not dispatched", () => {
    const node = aCoordinator();
    const wishes = manyIntents(0);
    for (const wish of wishes) node.hear(mute, delegation(wish));
    const [returned] = node.wait(stateTicks).sent("DelegationReturned");
    expect(returned?.ids).to.deep.equal(wishes.map(({ id }) => id));
    expect(node.sequencer.coordinator.transactions.size).to.equal(0);
  });

  it("gets back what waits for its permission, and what it would be asked for next", () => {
    const coordinator = new Coordinator(() => undefined);
    const [asked, gathering, pooled] = [touching(1), touching(2), touching(3)];
    coordinator.endorsed(asked);
    coordinator.delegate(gathering).answer(assembled(gathering));
    coordinator.delegate({ ...pooled, touches: undefined });
    const ids = coordinator.node
      .wait(stateTicks + 1)
      .sent("DelegationReturned")
      .flatMap((message) => message.ids);
    expect(ids).to.have.members([asked.id, gathering.id, pooled.id]);
  });

  it("is asked again after a pause, which soon grows up to a bound", () => {
    const node = aCoordinator();
    const pauses = Array.from({ length: 6 }, () => {
      node.hear(mute, delegation(intent(1, "")));
      const pause = ticksUntilAsked(node, mute);
      while (requestTo(node, mute) !== undefined) pass(node);
      return pause;
    });
    const longest = limits.pause * stateTicks;
    const expected = [0, 8, 32, 128, longest, longest];
    for (const [n, pause] of pauses.entries())
      expect(pause - (expected[n] ?? 0), `pause ${n}`).to.be.oneOf([0, 1]);
  });

  it("is not blamed if nobody waits for its answer any more", () => {
    const node = aCoordinator();
    const wish = intent(1, "");
    node.hear(mute, delegation(wish)).tell(block(1, [wish.id]));
    node.wait(2 * stateTicks);
    expect(node.sequencer.coordinator.assemblies.size).to.equal(0);
    expect(node.sequencer.coordinator.silences.size).to.equal(0);
  });

  it("is forgiven as soon as it answers", () => {
    const node = aCoordinator();
    const first = delegation(intent(1, ""));
    node.hear(mute, first).wait(stateTicks).hear(mute, first);
    expect(ticksUntilAsked(node, mute)).to.be.greaterThan(0);
    answer(node, mute);
    node.hear(mute, delegation(intent(2, "")));
    expect(requestTo(node, mute)).to.not.equal(undefined);
  });
});
