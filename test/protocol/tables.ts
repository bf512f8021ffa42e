import { existsSync, readFileSync } from "node:fs";

import { expect } from "chai";

import { stateMachinesPage } from "../../scripts/diagrams.ts";
import { coordinatorTable } from "../../src/protocol/coordinator/table.ts";
import { coordinatorTransactionTable } from "../../src/protocol/coordinator/transaction/table.ts";
import { arrowsOf, type Arrow } from "../../src/protocol/diagram.ts";
import { senderTable } from "../../src/protocol/sender/table.ts";
import { senderTransactionTable } from "../../src/protocol/sender/transaction/table.ts";
import { specified, type SpecifiedMachine } from "./seed-arrows.ts";

const tables: Readonly<
  Record<
    keyof typeof specified,
    { readonly arrows: readonly Arrow[]; readonly states: readonly string[] }
  >
> = {
  sender: { arrows: arrowsOf(senderTable), states: Object.keys(senderTable) },
  senderTransaction: {
    arrows: arrowsOf(senderTransactionTable),
    states: Object.keys(senderTransactionTable),
  },
  coordinator: {
    arrows: arrowsOf(coordinatorTable),
    states: Object.keys(coordinatorTable),
  },
  coordinatorTransaction: {
    arrows: arrowsOf(coordinatorTransactionTable),
    states: Object.keys(coordinatorTransactionTable),
  },
};

for (const [name, machine] of Object.entries<SpecifiedMachine>(specified)) {
  const { arrows, states } = tables[name as keyof typeof specified];
  const own = new Set(
    arrows.map(({ from, to, event }) => `${from} --> ${to} : ${event}`),
  );

  describe(`table of the ${name}`, () => {
    it("has every arrow of the specification, or a decision that says why not", () => {
      const missing = machine.arrows
        .map(
          ([from, to, event]) =>
            `${from} --> ${to} : ${machine.renamed[event] ?? event}`,
        )
        .filter((arrow) => !own.has(arrow));
      expect(missing.sort()).to.deep.equal(
        Object.keys(machine.departures).sort(),
      );
      for (const decision of Object.values(machine.departures)) {
        expect(
          existsSync(
            new URL(`../../docs/decisions/${decision}`, import.meta.url),
          ),
          decision,
        ).to.equal(true);
      }
    });

    it("reaches every state, and has a way out of every state that is not an end", () => {
      const ends = new Set(["Confirmed", "Reverted", "Lapsed", "Final"]);
      const starts = new Set(["Initial", "Idle"]);
      for (const state of states) {
        if (!starts.has(state))
          expect(
            arrows.some(({ from, to }) => to === state && from !== state),
            `to ${state}`,
          ).to.equal(true);
        if (!ends.has(state))
          expect(
            arrows.some(({ from, to }) => from === state && to !== state),
            `from ${state}`,
          ).to.equal(true);
      }
    });

    it("names every guard and every action, so that the diagram can show them", () => {
      for (const { from, event, when, run } of arrows) {
        expect([when ?? "always", ...run], `${from} ${event}`).to.not.include(
          "",
        );
      }
    });

    it("has no rule behind one that always holds", () => {
      const always = new Set<string>();
      for (const { from, event, when } of arrows) {
        expect(always.has(`${from} ${event}`), `${from} ${event}`).to.equal(
          false,
        );
        if (when === undefined) always.add(`${from} ${event}`);
      }
    });
  });
}

describe("docs/state-machines.md", () => {
  it("is what the tables say", () => {
    const page = readFileSync(
      new URL("../../docs/state-machines.md", import.meta.url),
      "utf8",
    );
    expect(page).to.equal(stateMachinesPage());
  });
});
