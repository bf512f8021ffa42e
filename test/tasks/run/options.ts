import { expect } from "chai";

import { exitCodeOf } from "../../../tasks/run/exit-code.ts";
import { parseRunOptions } from "../../../tasks/run/options.ts";
import { addFact, noTotals } from "../../../tasks/run/totals.ts";
import { createControl } from "../../../tasks/shared/control.ts";
import { expectError } from "../../plugin/helpers/errors.ts";
import { aSummary } from "../../view/builders.ts";

describe("plugin: options of sequencer:run", () => {
  it("has a default for everything", () => {
    expect(parseRunOptions({})).to.deep.equal({
      nodes: undefined,
      threshold: undefined,
      policy: undefined,
      rangeSizeBlocks: undefined,
      heartbeatMs: undefined,
      blockTimeMs: undefined,
      rpcPort: 8550,
      dataDir: undefined,
      workload: undefined,
      timeoutMs: undefined,
    });
  });

  it("reads a workload", () => {
    const { workload } = parseRunOptions({ intents: "10", contention: "all" });
    expect(workload).to.deep.equal({
      intents: 10,
      rate: undefined,
      accounts: 1,
    });
    const other = parseRunOptions({ intents: "5", rate: "7", contention: "3" });
    expect(other.workload).to.deep.equal({ intents: 5, rate: 7, accounts: 3 });
  });

  for (const [options, code] of [
    [{ nodes: "0" }, "NUMBER_INVALID"],
    [{ nodes: "256" }, "NUMBER_INVALID"],
    [{ nodes: "4.5" }, "NUMBER_INVALID"],
    [{ nodes: " 4" }, "NUMBER_INVALID"],
    [{ nodes: "four" }, "NUMBER_INVALID"],
    [{ nodes: "1e1" }, "NUMBER_INVALID"],
    [{ nodes: "" }, "NUMBER_INVALID"],
    [{ nodes: "3", threshold: "4" }, "THRESHOLD_INVALID"],
    [{ threshold: "0" }, "NUMBER_INVALID"],
    [{ policy: "__proto__" }, "CHOICE_INVALID"],
    [{ policy: "" }, "CHOICE_INVALID"],
    [{ rangeSize: "0" }, "NUMBER_INVALID"],
    [{ heartbeat: "1" }, "NUMBER_INVALID"],
    [{ blockTime: "-5" }, "NUMBER_INVALID"],
    [{ rpcPort: "65536" }, "NUMBER_INVALID"],
    [{ rpcPort: "65530", nodes: "4" }, "NUMBER_INVALID"],
    [{ dataDir: " " }, "DATA_DIR_INVALID"],
    [{ dataDir: "a\0b" }, "DATA_DIR_INVALID"],
    [{ intents: "0" }, "NUMBER_INVALID"],
    [{ intents: "99999999999" }, "NUMBER_INVALID"],
    [{ rate: "5" }, "INTENTS_MISSING"],
    [{ contention: "all" }, "INTENTS_MISSING"],
    [{ intents: "1", contention: "some" }, "NUMBER_INVALID"],
    [{ intents: "1", contention: "0" }, "NUMBER_INVALID"],
    [{ timeout: "0" }, "NUMBER_INVALID"],
  ] as const)
    it(`refuses ${JSON.stringify(options)}`, async () => {
      await expectError(code, () => parseRunOptions(options));
    });

  it("takes signals of one key press for one", async () => {
    let nowMs = 0;
    const control = createControl(() => nowMs);
    control.interrupt();
    nowMs = 50;
    control.interrupt();
    expect(await control.ended).to.equal("interrupted");
    expect(control.hasLeft()).to.equal(false);
    nowMs = 1_000;
    control.interrupt();
    expect(control.hasLeft()).to.equal(true);
  });

  it("ends with what the summary says", () => {
    const intents = { confirmed: 1, reverted: 1, open: 0 };
    expect(exitCodeOf(aSummary())).to.equal(0);
    expect(exitCodeOf(aSummary({ intents }))).to.equal(3);
    expect(exitCodeOf(aSummary({ intents, workload: null }))).to.equal(0);
    expect(exitCodeOf(aSummary({ intents, reason: "timeout" }))).to.equal(4);
    expect(exitCodeOf(aSummary({ reason: "interrupted" }))).to.equal(0);
    expect(exitCodeOf(aSummary({ reason: "left" }))).to.equal(130);
  });

  it("counts a rotation when another node takes over", () => {
    const active = (node: string) =>
      ({ type: "coordinator", node, from: "Elect", to: "Active" }) as const;
    const totals = ["bob", "bob", "carol", "bob"]
      .map(active)
      .reduce(addFact, noTotals);
    expect(totals).to.include({ rotations: 2, coordinator: "bob" });
  });
});
