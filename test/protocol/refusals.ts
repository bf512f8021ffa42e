import { expect } from "chai";

import type { Event } from "../../src/protocol/events.ts";
import { type IntentId, parseIntentId } from "../../src/protocol/ids.ts";
import { findRefusal } from "../../src/protocol/sequencer.ts";
import { LoneNode, rank } from "../helpers/lone-node.ts";
import { randomFrom } from "../helpers/random.ts";

type Submitted = Extract<Event, { readonly type: "IntentSubmitted" }>;

function idOf(number: number): IntentId {
  const id = parseIntentId(`0x${number.toString(16).padStart(64, "0")}`);
  if (id === undefined) throw new Error("no id");
  return id;
}

function submitted(
  number: number,
  dependsOn: readonly number[] = [],
  reverted: readonly number[] = [],
): Submitted {
  return {
    type: "IntentSubmitted",
    intent: {
      id: idOf(number),
      laneSalt: "",
      payload: "",
      touches: undefined,
      dependsOn: dependsOn.map(idOf),
      isPrepareOnly: false,
    },
    fulfilled: [],
    reverted: reverted.map(idOf),
  };
}

describe("A node that is asked beforehand", () => {
  const ask = (
    before: readonly Submitted[],
    events: readonly Submitted[],
  ): string | undefined => {
    const node = new LoneNode({ self: rank(1) });
    for (const event of before) node.tell(event);
    return findRefusal(node.sequencer, events);
  };

  it("takes what it would take one after the other", () => {
    expect(ask([], [submitted(1), submitted(2, [1])])).to.equal(undefined);
    expect(ask([submitted(1)], [submitted(1), submitted(3, [1, 9])])).to.equal(
      undefined,
    );
  });

  it("refuses all when one of them depends on itself, through whomever", () => {
    const circular = "It depends on itself";
    expect(ask([], [submitted(1), submitted(2, [2])])).to.equal(circular);
    expect(ask([], [submitted(1, [2]), submitted(2, [1])])).to.equal(circular);
    expect(
      ask([submitted(1, [3])], [submitted(2, [1]), submitted(3, [2])]),
    ).to.equal(circular);
  });

  it("refuses all when one of them depends on what failed", () => {
    expect(ask([], [submitted(1), submitted(2, [7], [7])])).to.match(
      /^It depends on 0x0+7, which can never be confirmed$/,
    );
  });

  it("says the same as when it is told, whatever depends on what", () => {
    for (let seed = 1; seed <= 300; seed++) {
      const random = randomFrom(seed);
      const events = Array.from({ length: 1 + random.below(6) }, () =>
        submitted(
          random.below(6),
          Array.from({ length: random.below(3) }, () => random.below(6)),
          random.chance(0.1) ? [random.below(6)] : [],
        ),
      );
      const known = events.splice(0, random.below(events.length));
      const node = new LoneNode({ self: rank(1) });
      for (const event of known) node.tell(event);
      const reason = findRefusal(node.sequencer, events);
      const isRefused = events.some((event) =>
        node.tell(event).effects.some(({ type }) => type === "Refused"),
      );
      expect(reason !== undefined, `seed ${seed}`).to.equal(isRefused);
    }
  });
});
