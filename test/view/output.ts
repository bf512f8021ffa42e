import { expect } from "chai";

import { type RunFact, runFactOf } from "../../src/view/facts.ts";
import { toJson } from "../../src/view/json.ts";
import { Live } from "../../src/view/live.ts";
import { toLines } from "../../src/view/plain.ts";
import { type StatusFact, statusLines } from "../../src/view/status.ts";
import { submitLines } from "../../src/view/submit.ts";
import { counted, digits, shorten, table } from "../../src/view/text.ts";
import {
  hasColorIn,
  isAsciiIn,
  openView,
  type ViewPorts,
} from "../../src/view/view.ts";
import { aNode, aStatus, aSummary, opening } from "./builders.ts";

/** A stream that keeps what is written, and a timer that ticks when told. */
function aStream(isTTY: boolean): {
  readonly ports: ViewPorts;
  readonly written: () => string;
  readonly tick: () => void;
} {
  let text = "";
  let draw: (() => void) | undefined;
  const write = (more: string): void => {
    text += more;
  };
  return {
    ports: {
      stream: { isTTY, columns: 80, rows: 24, write },
      now: () => 0,
      every: (_, run) => {
        draw = run;
        return () => {
          draw = undefined;
        };
      },
    },
    written: () => text,
    tick: () => draw?.(),
  };
}

describe("view: output", () => {
  it("is plain lines in a pipe, without a single escape", () => {
    const { ports, written } = aStream(false);
    const view = openView({ json: false, environment: {} }, ports);
    for (const fact of opening) view.tell(fact);
    view.tell(aSummary());
    view.close();
    expect(written()).to.include("alice  http://127.0.0.1:8550");
    expect(written()).to.match(/base-ledger reverts +0\n/);
    expect(written()).not.to.include("\u001B");
  });

  it("is one JSON object per line for machines, also on a terminal", () => {
    const { ports, written } = aStream(true);
    const view = openView({ json: true, environment: {} }, ports);
    for (const fact of opening) view.tell(fact);
    const lines = written().trimEnd().split("\n");
    expect(lines).to.have.length(opening.length);
    for (const line of lines)
      expect(JSON.parse(line)).to.include({ version: 1 });
  });

  it("says once that the chain of all nodes is gone, and once that it is back", () => {
    const facts = [
      ["alice", "ECONNREFUSED"],
      ["bob", "ECONNREFUSED"],
      ["alice", "The chain has the id 7"],
      ["alice", null],
      ["bob", null],
      ["bob", "ECONNRESET"],
      ["bob", "The chain has the id 8"],
      ["bob", null],
    ] as const;
    const linesOf = (json: boolean): readonly string[] => {
      const { ports, written } = aStream(false);
      const view = openView({ json, environment: {} }, ports);
      for (const [node, reason] of facts)
        view.tell({ type: "chain-trouble", node, reason });
      return written().trimEnd().split("\n");
    };
    expect(linesOf(false)).to.deep.equal([
      "Trouble with the chain: ECONNREFUSED",
      "The chain is back",
      "Trouble with the chain: ECONNRESET",
      "Trouble with the chain: The chain has the id 8",
      "The chain is back",
    ]);
    expect(linesOf(true)).to.have.length(facts.length);
  });

  it("is a screen on a terminal that is given back as it was", () => {
    const { ports, written, tick } = aStream(true);
    const environment = { NO_COLOR: "1" };
    const view = openView({ json: false, environment }, ports);
    tick();
    for (const fact of opening) view.tell(fact);
    tick();
    view.tell(aSummary());
    view.close();
    expect(written().indexOf("\u001B[?25l")).to.be.greaterThan(-1);
    expect(written().lastIndexOf("\u001B[?25h")).to.be.greaterThan(
      written().lastIndexOf("\u001B[?25l"),
    );

    expect(written()).not.to.match(/\u001B\[\d+m/);
    expect(written().trimEnd()).to.match(/intents per second +100$/);
    const length = written().length;
    tick();
    view.close();
    expect(written()).to.have.length(length);
  });

  it("is plain on a terminal that can do nothing", () => {
    const { ports, written } = aStream(true);
    const environment = { TERM: "dumb" };
    openView({ json: false, environment }, ports).tell({ type: "ready" });
    expect(written()).to.equal("Ready. Ctrl-C stops.\n");
  });

  it("draws over what it drew, however many lines there were", () => {
    const written: string[] = [];
    const write = (text: string): void => void written.push(text);
    const terminal = { columns: 10, rows: 4, write };
    const live = new Live({ hasColor: false }, { terminal });
    live.draw([[{ text: "a very long line" }], [], [], [], [], []]);
    live.draw([[{ text: "b" }]]);
    live.close();
    expect(written[0]).to.include("a very lo\u001B[K\n");
    expect(written[1]).to.include("\u001B[3A\rb\u001B[K\n\u001B[J");
  });

  it("reads the environment as others do", () => {
    expect(hasColorIn({ NO_COLOR: "" })).to.equal(true);
    expect(hasColorIn({ NO_COLOR: "0" })).to.equal(false);
    expect(isAsciiIn({ LC_ALL: "C", LANG: "en_GB.UTF-8" })).to.equal(true);
    expect(isAsciiIn({ LC_ALL: "", LANG: "en_GB.UTF-8" })).to.equal(false);
    expect(isAsciiIn({})).to.equal(false);
  });

  it("formats numbers, hashes and tables", () => {
    expect(digits(1_234_567)).to.equal("1,234,567");
    expect(digits(1_234.5)).to.equal("1,234.5");
    expect(counted(1, "intent")).to.equal("1 intent");
    expect(counted(2_000, "intent")).to.equal("2,000 intents");
    expect(shorten(`0x${"ab".repeat(32)}`)).to.equal("0xababab…abab");
    expect(shorten("0xab")).to.equal("0xab");
    expect(
      table(
        [
          ["a", "1"],
          ["bcd", "22"],
        ],
        [1],
      ),
    ).to.deep.equal(["a     1", "bcd  22"]);
  });

  it("turns what nodes tell into facts", () => {
    expect(runFactOf("alice", { type: "Started", height: 1 })).to.equal(
      undefined,
    );
    const fact = runFactOf("alice", {
      type: "ChainTrouble",
      reason: undefined,
    });
    expect(fact).to.deep.equal({
      type: "chain-trouble",
      node: "alice",
      reason: null,
    });
    expect(fact && toLines(fact)).to.deep.equal(["The chain is back"]);
  });

  it("leaves out what nobody can read, and says what was reverted", () => {
    const silent: RunFact = { type: "accepted", node: "alice", intent: "0x" };
    expect(toLines(silent)).to.deep.equal([]);
    const reverted: RunFact = {
      type: "settled",
      node: "alice",
      intent: `0x${"11".repeat(32)}`,
      outcome: "reverted",
      reason: "no coins",
    };
    expect(toLines(reverted).join()).to.include("no coins");
    const cut = aSummary({
      reason: "timeout",
      intents: { confirmed: 1, reverted: 2, open: 3 },
      ledger: null,
    });
    expect(toLines(cut).join("\n")).to.match(/intents not sent +194/);
  });

  it("shows the status of nodes as a table, with what is blocked", () => {
    const blocked = [{ id: `0x${"22".repeat(32)}`, why: "waits for bob" }];
    const status = {
      ...aStatus("alice"),
      type: "node-status",
      url: "http://x",
    };
    const facts = [
      {
        ...status,
        groups: status.groups.map((one) => ({ ...one, blocked })),
      },
      {
        ...status,
        name: aNode("bob"),
        groups: [],
        rejoining: [
          { why: "Searches the ledger." },
          { group: "0xabcd", why: "It waits for an answer of alice." },
        ],
      },
      { ...status, name: aNode("carol"), groups: [], groupsAside: 12 },
    ] as unknown as StatusFact[];
    const text = statusLines(facts).join("\n");
    expect(text).to.include("alice  0x222222…2222  waits for bob");
    expect(text).to.include("bob alice carol");
    expect(text).to.include("bob at http://x: block 124, in no group");
    expect(text).to.include("bob  Searches the ledger.");
    expect(text).to.include(
      "bob is rejoining group 0xabcd. It waits for an answer of alice.",
    );
    expect(text).to.include("carol has 12 more groups, with nothing to do");
    expect(text).not.to.include("carol at");
    for (const fact of facts)
      expect(JSON.parse(toJson(fact))).to.include({ type: "node-status" });
    expect(text).not.to.include("down");
    const url = "http://y";
    const down = { type: "node-down", url, reason: "it\u0007 left" } as const;
    expect(statusLines([...facts, down]).at(-1)).to.equal(
      "http://y  down: it  left",
    );
  });

  it("says what became of one intent", () => {
    expect(
      submitLines({ type: "reverted", id: "1", reason: "no\u0007" }),
    ).to.deep.equal(["Reverted: no "]);
    expect(
      submitLines({ type: "confirmed", id: "1", block: 7, transaction: "0x1" }),
    ).to.deep.equal(["Confirmed in block 7, transaction 0x1"]);
    expect(submitLines({ type: "open", id: "1", why: null })).to.have.length(1);
  });
});
