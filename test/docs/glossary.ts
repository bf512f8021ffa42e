import { expect } from "chai";

import { coordinatorTable } from "../../src/protocol/coordinator/table.ts";
import { senderTable } from "../../src/protocol/sender/table.ts";
import { senderTransactionTable } from "../../src/protocol/sender/transaction/table.ts";
import { readPage } from "../helpers/docs/blocks.ts";

const page = readPage("docs/glossary.md");

/** The states that a section's table explains. */
function statesOf(heading: string): readonly string[] {
  const section = page.split(`## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  return [...section.matchAll(/^\| `(\w+)` *\|/gm)].map(
    ([, state = ""]) => state,
  );
}

describe("docs/glossary.md", () => {
  for (const [heading, table] of Object.entries({
    "States of a coordinator": coordinatorTable,
    "States of a sender": senderTable,
    "States of an intent at its sender": senderTransactionTable,
  }))
    it(`explains all states of the table: ${heading}`, () => {
      expect([...statesOf(heading)].sort()).to.deep.equal(
        Object.keys(table).sort(),
      );
    });

  it("has the words that newcomers ask for", () => {
    const words = [...page.matchAll(/^### (.+)$/gm)].map(([, word]) => word);
    expect(words).to.include.members([
      "Intent",
      "Transition",
      "Bundle",
      "Range",
      "Lane",
      "Register",
      "Epoch",
      "Boot",
      "Coordinator",
    ]);
    expect(new Set(words).size).to.equal(words.length);
  });
});
