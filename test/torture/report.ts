import { expect } from "chai";

import { anEvidence } from "./builders/evidence.ts";
import type { FaultFact } from "./harness/evidence/evidence.ts";
import type { Sample } from "./harness/evidence/observer.ts";
import { coordinatorAt, measure, summaryOf } from "./harness/measures.ts";
import { figuresOf } from "./harness/report/figures.ts";
import { htmlOf, jsonOf } from "./harness/report/report.ts";

const faults: readonly FaultFact[] = [
  { kind: "kill", target: "alice", detail: "", startMs: 1_000, endMs: 4_000 },
  {
    kind: "partition",
    target: "network",
    detail: "alice | bob",
    startMs: 5_000,
    endMs: 8_000,
  },
];
const at = (
  atMs: number,
  node: string,
  active: string | undefined,
): Sample => ({
  atMs,
  node,
  height: 1,
  ...(active !== undefined && { active }),
});
const samples: readonly Sample[] = [
  at(900, "alice", "alice"),
  at(950, "bob", "alice"),
  { atMs: 1_100, node: "alice" },
  at(3_000, "bob", "bob"),
  at(8_100, "alice", "alice"),
  at(8_200, "bob", "bob"),
  at(8_600, "alice", "bob"),
  at(9_000, "bob", "bob"),
];
const facts = [
  { atMs: 900, node: "alice", event: "bundle-dispatched" },
  { atMs: 3_500, node: "bob", event: "bundle-dispatched" },
];

describe("torture: measures", () => {
  const evidence = anEvidence({ faults });
  const input = { evidence, samples, facts, heartbeatMs: 500 };

  it("know who coordinated", () => {
    expect(coordinatorAt(samples, 1_000)).to.equal("alice");
    expect(coordinatorAt(samples, 0)).to.equal(undefined);
  });

  it("say how long it took to go on without the coordinator, and to agree", () => {
    expect(measure(input).map(({ heartbeats }) => heartbeats)).to.deep.equal([
      5,
      undefined,
      1.2,
    ]);
  });

  it("are summed up only where nothing else was wrong", () => {
    expect(summaryOf(measure(input))).to.deep.equal([
      { kind: "dispatch", count: 1, median: 5, most: 5 },
      { kind: "receipt", count: 1, median: Infinity, most: Infinity },
      // The kill was over a moment before.
      { kind: "healing", count: 0, median: undefined, most: undefined },
    ]);
    const healed = anEvidence({ faults: faults.slice(1) });
    expect(summaryOf(measure({ ...input, evidence: healed }))[2]).to.include({
      count: 1,
      median: 1.2,
    });
    const freeze = { kind: "freeze", target: "bob", detail: "" };
    const both = [...faults, { ...freeze, startMs: 1_500, endMs: 8_100 }];
    const busy = measure({ ...input, evidence: anEvidence({ faults: both }) });
    expect(summaryOf(busy).map(({ count }) => count)).to.deep.equal([0, 0, 0]);
  });

  it("say nothing of the kill of somebody else", () => {
    const [kill] = faults;
    const other = kill === undefined ? [] : [{ ...kill, target: "bob" }];
    expect(measure({ ...input, evidence: anEvidence({ faults: other }) })).to.be
      .empty;
  });
});

describe("torture: the report", () => {
  const input = {
    seed: 7,
    evidence: anEvidence({
      faults,
      failures: [
        { atMs: 4_500, node: "bob", reason: "spent" },
        { atMs: 30_000, node: "bob", reason: "spent" },
      ],
    }),
    samples,
    violations: [{ property: "S1", what: "<b>spent</b> twice" }],
    measures: [],
  };

  it("counts what happened", () => {
    expect(figuresOf(input.evidence)).to.deep.include({
      "intents wished for": 2,
      "intents accepted": 2,
      "intents confirmed": 2,
      "intents failed": 0,
      "requests without an answer": 1,
      "keys asked for again": 1,
      faults: 2,
      "of them reverted": 0,
      "failures told long after any fault": 1,
      "intents per transition": 1,
    });
  });

  it("is one page with a timeline, and shows texts as texts", () => {
    const html = htmlOf(input);
    expect(html.match(/<svg/g)).to.have.length(1);
    expect(html).to.include("1 violations");
    expect(html).to.include("&lt;b&gt;spent&lt;/b&gt; twice");
    expect(html).to.include("partition alice | bob");
    expect(html).to.not.match(/NaN|undefined|Infinity|https?:/);
  });

  it("can be drawn although nothing happened", () => {
    const nothing = anEvidence({ answers: [], faults: [] });
    expect(htmlOf({ ...input, evidence: nothing })).to.not.match(
      /NaN|undefined|Infinity/,
    );
  });

  it("is the same for machines", () => {
    expect(jsonOf(input)).to.deep.include({
      version: 1,
      seed: 7,
      violations: input.violations,
    });
  });
});
