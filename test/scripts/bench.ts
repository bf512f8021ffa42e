import { expect } from "chai";

import { prepareWork } from "../../scripts/bench/core/domain.ts";
import { LeanNetwork } from "../../scripts/bench/core/network.ts";
import { markdownOfPart, replaceMarked } from "../../scripts/bench/docs.ts";
import {
  goalRows,
  markdownOf,
  missedGoals,
  tableOf,
} from "../../scripts/bench/goals.ts";
import { plotOf } from "../../scripts/bench/plot.ts";
import { median, percentile } from "../../scripts/bench/statistics.ts";

describe("Benchmark", () => {
  it("names the goals that are missed, and only those", () => {
    const missed = missedGoals([
      { name: "a", value: 1.5, valueMax: 1.5 },
      { name: "b", value: 1.6, valueMax: 1.5 },
      { name: "c", value: NaN, valueMax: 1.5 },
      { name: "d", value: 0.8, valueMin: 0.8 },
      { name: "e", value: 0.7, valueMin: 0.8 },
      { name: "f", value: NaN, valueMin: 0.8 },
    ]);
    expect(missed).to.deep.equal([
      "b is 1.60, more than 1.5",
      "c is NaN, more than 1.5",
      "e is 0.70, less than 0.8",
      "f is NaN, less than 0.8",
    ]);
  });

  it("puts goals into a table", () => {
    const rows = goalRows([{ name: "a", value: 0.7, valueMin: 0.8 }]);
    expect(rows).to.deep.equal([
      { figure: "a", value: 0.7, goal: "at least 0.80", "": "missed" },
    ]);
  });

  it("prints columns of one width", () => {
    const table = tableOf([
      { policy: "sticky", cost: 1 },
      { policy: "rotating", cost: 12.345 },
    ]);
    expect(table).to.equal(
      ["policy     cost", "sticky        1", "rotating  12.35"].join("\n"),
    );
  });

  it("has a column for what only some rows have", () => {
    expect(markdownOf([{ a: "x" }, { a: "y|z", b: 2_000 }])).to.equal(
      "| a | b |\n| --- | --: |\n| x |  |\n| y\\|z | 2,000 |",
    );
  });

  it("finds the middle, and what lies below a part", () => {
    expect(median([3, 1, 2])).to.equal(2);
    expect(median([4, 1, 2, 3])).to.equal(2.5);
    expect(median([])).to.be.NaN;
    const hundred = Array.from({ length: 100 }, (_, i) => 100 - i);
    expect(percentile(hundred, 0.5)).to.equal(50);
    expect(percentile(hundred, 0.99)).to.equal(99);
    expect(percentile([7], 0.5)).to.equal(7);
    expect(percentile([], 0.5)).to.be.NaN;
  });

  it("draws a bar for every figure, and a line for every goal", () => {
    const svg = plotOf([
      {
        title: "a & b",
        bars: [
          { label: "x < y", value: 2, goal: 1 },
          { label: "cost", value: 2, goal: 1, isCost: true },
          { label: "not measured", value: NaN },
        ],
      },
    ]);
    expect(svg).to.include("a &amp; b").and.to.include("x &lt; y");
    expect(svg.match(/<line /g)).to.have.length(2);
    expect(svg).not.to.include("NaN");
    expect(svg).to.include(">none<");
  });

  it("replaces what is between the marks of a part, and nothing else", () => {
    const page = "a\n<!-- bench: x -->\nold\n<!-- end of x -->\nb";
    const once = replaceMarked(page, "x", "new");
    expect(once).to.equal(
      "a\n<!-- bench: x -->\n\nnew\n\n<!-- end of x -->\nb",
    );
    expect(replaceMarked(once, "x", "new")).to.equal(once);
    expect(() => replaceMarked(page, "y", "new")).to.throw("no marks for y");
  });

  it("writes tables and goals of a part", () => {
    const text = markdownOfPart({
      sections: [{ title: "Some", rows: [{ a: 1 }] }],
      goals: [{ name: "g", value: 1, valueMax: 2 }],
    });
    expect(text).to.include("Some:\n\n| a |");
    expect(text).to.include("| g | 1 | at most 2 | reached |");
  });

  for (const policy of ["sticky", "rotating"] as const)
    it(`settles every intent of every wave, ${policy}`, () => {
      const work = prepareWork(600);
      let events = 0;
      const network = new LeanNetwork({ work, members: 4, policy }, () => {
        events += 1;
      });
      network.settle(work.intents.slice(0, 300));
      network.settle(work.intents.slice(300));
      expect(events).to.be.greaterThan(600);
    });
});
