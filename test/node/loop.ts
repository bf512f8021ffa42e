import { expect } from "chai";
import fc from "fast-check";

import { type Batch, CommitLoop, type Steps } from "../../src/node/loop.ts";

interface Named {
  readonly name: string;
  readonly isAlone?: boolean;
  readonly rank?: number;
  /** Keys of records that it writes. */
  readonly records?: readonly string[];
  readonly writes?: readonly string[];
  readonly effects?: readonly string[];
}

const steps: Steps<Named, string, string> = {
  step: ({ name, records = [], writes = [], effects = [] }, draft) => {
    for (const key of records) draft.record(key, `${key} ${name}`);
    for (const write of writes) draft.write(`${write} ${name}`);
    for (const effect of effects) draft.afterCommit(`${effect} ${name}`);
  },
  isAlone: ({ isAlone = false }) => isAlone,
};

const forever = (): boolean => true;

/** The batches of a loop that nobody else posts to. */
function batchesOf(
  events: readonly Named[],
  mayContinue = forever,
): Batch<Named, string, string>[] {
  const loop = new CommitLoop<Named, string, string>();
  for (const event of events) loop.post(event, event.rank);
  const batches: Batch<Named, string, string>[] = [];
  for (;;) {
    const batch = loop.ready(steps, mayContinue);
    if (batch === undefined) return batches;
    batches.push(batch);
    loop.committed();
  }
}

/** The names of events in the order of their steps, with a bar between batches. */
function orderOf(events: readonly Named[], mayContinue = forever): string {
  return batchesOf(events, mayContinue)
    .map((batch) => batch.events.map(({ name }) => name).join(""))
    .join("|");
}

describe("The loop of a node", () => {
  it("takes events without a rank first, and the rest by rank", () => {
    expect(
      orderOf([
        { name: "e", rank: 7 },
        { name: "c", rank: 2 },
        { name: "a" },
        { name: "f", rank: 7 },
        { name: "d", rank: 2 },
        { name: "b" },
      ]),
    ).to.equal("abcdef");
  });

  it("keeps events alone that must be", () => {
    expect(
      orderOf([
        { name: "a", isAlone: true },
        { name: "d", rank: 1 },
        { name: "b" },
        { name: "c", isAlone: true },
        { name: "e", rank: 1 },
      ]),
    ).to.equal("a|b|c|de");
  });

  it("ends a batch when its host says that it is time for others", () => {
    let asked = 0;
    const events = "abcdefg".split("").map((name) => ({ name }));
    expect(orderOf(events, () => ++asked % 3 !== 0)).to.equal("abc|def|g");
    expect(orderOf(events, () => false)).to.equal("a|b|c|d|e|f|g");
  });

  it("takes a bounded number of events into a batch", () => {
    const events = Array.from({ length: 2_000 }, () => ({ name: "a" }));
    const sizes = batchesOf(events).map((batch) => batch.events.length);
    expect(sizes).to.deep.equal([512, 512, 512, 464]);
  });

  it("writes a record once, as it is in the end, before everything else", () => {
    const [batch] = batchesOf([
      { name: "first", writes: ["row"], records: ["a", "b"] },
      { name: "second", records: ["a"], effects: ["send"] },
    ]);
    expect(batch?.writes).to.deep.equal(["a second", "b first", "row first"]);
    expect(batch?.effects).to.deep.equal(["send second"]);
  });

  it("gives no batch while another one is not committed", () => {
    const loop = new CommitLoop<Named, string, string>();
    loop.post({ name: "a" });
    expect(loop.ready(steps, forever)).to.not.equal(undefined);
    loop.post({ name: "b" });
    expect(loop.ready(steps, forever)).to.equal(undefined);
    expect(loop.length).to.equal(1);
    loop.committed();
    expect(loop.ready(steps, forever)?.events).to.deep.equal([{ name: "b" }]);
  });

  it("takes nothing after its end", () => {
    const loop = new CommitLoop<Named, string, string>();
    loop.post({ name: "a" });
    loop.stop();
    expect(loop.post({ name: "b" })).to.equal(false);
    expect(loop.ready(steps, forever)).to.equal(undefined);
    expect(loop.length).to.equal(0);
  });

  it("steps every event once, none before another of a lower rank that waits, and alone events alone", () => {
    const event = fc.record({
      name: fc.string({ minLength: 1, maxLength: 1 }),
      isAlone: fc.boolean(),
      rank: fc.nat({ max: 3 }),
    });
    fc.assert(
      fc.property(
        fc.array(event, { maxLength: 40 }),
        fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
        (events, answers) => {
          const batches = batchesOf(events, () => answers.pop() ?? true);
          const stepped = batches.flatMap((batch) => batch.events);
          const sorted = events.toSorted((a, b) => a.rank - b.rank);
          expect(stepped).to.deep.equal(sorted);
          for (const batch of batches)
            if (batch.events.some(({ isAlone }) => isAlone))
              expect(batch.events).to.have.length(1);
        },
      ),
    );
  });
});
