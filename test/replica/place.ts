import { expect } from "chai";
import fc from "fast-check";

import { type Head, headAfter, emptyHead } from "../../src/store/log/chain.ts";
import { type LogView, placeOf } from "../../src/replica/place.ts";

/** The heads of a log whose turns say something, from before the first one on. */
function heads(turns: readonly string[]): readonly Head[] {
  const all = [emptyHead];
  for (const turn of turns)
    all.push(headAfter(all.at(-1) ?? emptyHead, Buffer.from(turn)));
  return all;
}

/** A log of which the first turns were trimmed. */
function aLog(turns: readonly string[], trimmed = 0): LogView {
  const all = heads(turns);
  const head = all.at(-1) ?? emptyHead;
  return {
    head,
    first: trimmed < turns.length ? trimmed + 1 : undefined,
    hashAt: (sequence) =>
      sequence > trimmed ? all[sequence]?.hash : undefined,
  };
}

const at = (turns: readonly string[], sequence = turns.length): Head => {
  const head = heads(turns)[sequence];
  if (head === undefined) throw new Error("There is no such turn.");
  return head;
};

const log = ["a", "b", "c", "d"];

describe("The place of a store in a log", () => {
  const follows = { type: "follows" };

  it("is in the log if its turns are the first ones there", () => {
    for (let n = 0; n <= 4; n++) {
      const head = at(log, n);
      const store = { applied: head, acknowledged: head };
      expect(placeOf(aLog(log), store)).to.deep.equal(follows);
    }
    const store = { applied: emptyHead, acknowledged: emptyHead };
    expect(placeOf(aLog([]), store)).to.deep.equal(follows);
  });

  it("is elsewhere if the store has turns that never were durable", () => {
    const acknowledged = at(log, 3);
    for (const own of [
      ["a", "b", "c", "x"],
      ["a", "b", "c", "x", "y"],
      ["a", "b", "c", "d", "x"],
      ["a", "b", "x"],
    ])
      expect(
        placeOf(aLog(log), { applied: at(own), acknowledged }),
      ).to.deep.equal({ type: "differs" });
  });

  it("is nowhere if the log has lost turns that were durable, whatever the store has", () => {
    const acknowledged = at(log);
    for (const applied of [emptyHead, at(log), at([...log, "x"])]) {
      expect(
        placeOf(aLog(["a", "b"]), { applied, acknowledged }),
      ).to.deep.equal({ type: "forgotten", from: 3, to: 4 });
      // Others have gone on since.
      for (const since of [
        ["a", "b", "x", "y"],
        ["a", "b", "x", "y", "z"],
      ])
        expect(placeOf(aLog(since), { applied, acknowledged })).to.deep.equal({
          type: "forgotten",
          from: 4,
          to: 4,
        });
    }
  });

  it("is before the log if the turns after it were trimmed", () => {
    const trimmed = aLog(log, 2);
    const place = (n: number): unknown =>
      placeOf(trimmed, { applied: at(log, n), acknowledged: at(log, n) });
    expect([0, 1, 2, 3, 4].map(place)).to.deep.equal([
      { type: "trimmed" },
      { type: "trimmed" },
      follows,
      follows,
      follows,
    ]);
    // All turns may be gone.
    const all = { applied: at(log), acknowledged: at(log) };
    expect(placeOf(aLog(log, 4), all)).to.deep.equal(follows);
  });

  it("is never that of a store that can be built on if turns that were durable are gone", () => {
    const turns = fc.array(fc.constantFrom("a", "b"), { maxLength: 6 });
    fc.assert(
      fc.property(turns, turns, turns, (kept, lost, since) => {
        fc.pre(lost.length > 0);
        const acknowledged = at([...kept, ...lost]);
        const now = [...kept, ...since];
        const isThere = heads(now).some(
          ({ hash }) => hash === acknowledged.hash,
        );
        for (const applied of heads([...kept, ...lost])) {
          const { type } = placeOf(aLog(now), { applied, acknowledged });
          expect(type === "forgotten").to.equal(!isThere);
        }
      }),
    );
  });
});
