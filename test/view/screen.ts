import { expect } from "chai";

import type { RunFact } from "../../src/view/facts.ts";
import { fit, paint } from "../../src/view/line.ts";
import { bar, screenOf } from "../../src/view/screen.ts";
import {
  emptyView,
  progressOf,
  rateOf,
  reduce,
  type ViewState,
} from "../../src/view/state.ts";
import { aGroupStatus, aStatus, aSummary, opening } from "./builders.ts";

/** A second passes before each fact. */
function after(facts: readonly RunFact[]): ViewState {
  return facts.reduce(
    (state, fact, i) => reduce(state, fact, 1_000 * (i + 1)),
    emptyView(0),
  );
}

function textOf(state: ViewState, rows = 40, columns = 120): string {
  return screenOf(state, { isAscii: true, rows, columns })
    .map((line) => paint(line, false))
    .join("\n");
}

const statuses: RunFact = {
  type: "status",
  nodes: [
    aStatus("alice", { sender: "Sending", own: { Delegated: 3, Parked: 1 } }),
    aStatus("bob", {
      coordinator: "Active",
      coordinated: { Assembling: 2, Endorsement_Gathering: 4, Submitted: 5 },
    }),
  ],
};

describe("view: screen", () => {
  it("says that it starts before anything is known", () => {
    expect(textOf(emptyView(0))).to.include("Starting");
  });

  it("shows nodes, the range, who coordinates and who is next", () => {
    const text = textOf(
      after([...opening, { type: "block", height: 124 }, statuses]),
    );
    expect(text).to.match(/^ {2}alice +Sending +Idle +124 +3 +0 +http/m);
    expect(text).to.match(/^\* bob +Idle +Active/m);
    expect(text).to.include("############------------ 25/50");
    expect(text).to.include("coordinator bob, next alice");
  });

  it("counts where intents are", () => {
    expect(textOf(after([...opening, statuses]))).to.include(
      "open 3  assembling 2  endorsing 4  dispatched 5  confirmed 0  parked 1",
    );
    expect(
      progressOf([aGroupStatus({ own: { Pending: 1, Submitted: 2 } })]),
    ).to.deep.equal({
      open: 3,
      assembling: 0,
      endorsing: 0,
      dispatched: 0,
      parked: 0,
      prepared: 0,
    });
  });

  it("does not count as open what waits for its user", () => {
    const own = { Delegated: 3, PreparedForUser: 2 };
    const status: RunFact = {
      type: "status",
      nodes: [aStatus("bob", { own })],
    };
    const text = textOf(after([...opening, status]));
    expect(text).to.match(/open 3 .*prepared 2$/m);
    expect(text).to.match(/^ {2}bob +Idle +Idle +124 +3 +0/m);
  });

  it("shows the last facts that fit, trouble with a mark", () => {
    const facts = Array.from({ length: 20 }, (_, i): RunFact => {
      const reason = `reason ${i}`;
      return { type: "chain-trouble", node: "alice", reason };
    });
    const state = after([...opening, statuses, ...facts]);
    const text = textOf(state);
    expect(text).to.include("! Trouble with the chain: reason 19");
    expect(text).not.to.include("reason 3\n");
    expect(textOf(state, 16).split("\n").length).to.be.lessThan(17);
    expect(textOf(state, 16)).to.include("reason 19");
  });

  it("keeps the totals and how to stop, however small the terminal is", () => {
    const many: RunFact = {
      type: "status",
      nodes: Array.from({ length: 12 }, (_, i) =>
        aStatus(`node-${i}`, {
          own: { Delegated: 1_000, Parked: 3, PreparedForUser: 2 },
          coordinated: { Assembling: 200, Submitted: 5_000 },
        }),
      ),
    };
    const workload: RunFact = {
      type: "workload",
      intents: 1_000_000,
      accounts: 1,
      rate: null,
    };
    const reverted: RunFact = {
      type: "settled",
      node: "alice",
      intent: `0x${"11".repeat(32)}`,
      outcome: "reverted",
      reason: "a reason that is longer than any line of such a screen may be",
    };
    const stopping: RunFact = {
      type: "stopping",
      reason: "interrupted",
      open: 3,
    };
    const running = [...opening, workload, many, reverted];
    for (const [rows, columns] of [
      [15, 60],
      [12, 60],
      [24, 80],
      [50, 200],
    ] as const)
      for (const [facts, stop] of [
        [running, /^\d+\.\d s, Ctrl-C stops$/],
        [[...running, stopping], /; Ctrl-C again leaves$/],
      ] as const) {
        const lines = screenOf(after(facts), { isAscii: true, rows, columns });
        expect(lines.length).to.be.lessThan(rows);
        const shown = lines.map((line) => paint(fit(line, columns), false));
        const text = shown.join("\n");
        for (const total of [
          "open 12,000",
          "dispatched 60,000",
          "confirmed 0",
          "parked 36",
          "prepared 24",
          "reverted 1",
          "0 per second",
          "1,000,000 wanted",
          "0 bundles dispatched",
        ])
          expect(text).to.include(total);
        expect(shown.at(-1)).to.match(stop);
        expect(text).to.match(/coordinator nobody/);
      }
  });

  it("says how many nodes it does not show", () => {
    const nodes = Array.from({ length: 6 }, (_, i) => aStatus(`node-${i}`));
    const state = after([...opening, { type: "status", nodes }]);
    expect(textOf(state, 13, 60)).to.match(
      /node-0.*\n.*node-1.*\n.*node-2.*\n {2}and 3 more nodes$/m,
    );
    expect(textOf(state, 15, 60)).not.to.include("more node");
  });

  it("lets nothing from outside move the cursor", () => {
    const reason = "no\u001B[2J\nway";
    const fact: RunFact = { type: "chain-trouble", node: "alice", reason };
    expect(textOf(after([...opening, fact]))).to.include("no [2J way");
  });

  it("tells the rate of the last seconds", () => {
    const settled: RunFact = {
      type: "settled",
      node: "alice",
      intent: `0x${"11".repeat(32)}`,
      outcome: "confirmed",
      block: 1,
      transaction: "0x",
    };
    const state = after([statuses, settled, settled, statuses]);
    expect(Math.round(1_000 * rateOf(state))).to.equal(667);
    expect(rateOf(emptyView(0))).to.equal(0);
  });

  it("says how to leave while it stops", () => {
    const stopping: RunFact = {
      type: "stopping",
      reason: "interrupted",
      open: 3,
    };
    expect(textOf(after([...opening, stopping]))).to.include("Ctrl-C again");
    const ended = after([...opening, stopping, aSummary()]);
    expect(textOf(ended)).not.to.include("Ctrl-C stops");
  });

  it("draws bars that never overflow", () => {
    const ascii = { isAscii: true, width: 24 };
    expect(bar(-1, ascii)).to.equal("-".repeat(24));
    expect(bar(2, ascii)).to.equal("#".repeat(24));
    const blocks = { isAscii: false, width: 24 };
    expect(bar(0.5, blocks)).to.equal("█".repeat(12) + "░".repeat(12));
  });

  it("cuts lines to the width, and colours only if asked", () => {
    const line = fit([{ text: "abc", style: "red" }, { text: "def" }], 5);
    expect(paint(line, false)).to.equal("abcd");
    expect(paint(line, true)).to.include("\u001B[31mabc");
  });
});
