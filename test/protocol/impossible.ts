import { expect } from "chai";

import { impossiblePairsOf } from "../../src/protocol/diagram.ts";
import { impossible, step, type Table } from "../../src/protocol/machine.ts";
import { tables } from "../helpers/arrows.ts";

type Loose = Table<string, { state: string }, { type: string }, object>;

const turn = { trace: undefined };

describe("An impossible event", () => {
  for (const [name, table] of Object.entries(tables))
    for (const { from, event, why } of impossiblePairsOf(table))
      it(`stops the ${name}: ${event} in state ${from}`, () => {
        const model = { state: from };
        expect(() =>
          step(table as unknown as Loose, model, { type: event }, turn),
        ).to.throw(`${event} in state ${from}: ${why}`);
        expect(model.state).to.equal(from);
      });

  it("is in the table of every machine that has states without a way back", () => {
    for (const name of ["senderTransaction", "coordinatorTransaction"] as const)
      expect(impossiblePairsOf(tables[name])).to.not.deep.equal([]);
  });

  it("is another one than an event that is ignored", () => {
    const table: Loose = { On: { Broken: impossible("it cannot break") } };
    const model = { state: "On" };
    expect(step(table, model, { type: "Other" }, turn)).to.equal(false);
    expect(() => step(table, model, { type: "Broken" }, turn)).to.throw(
      "Broken in state On: it cannot break",
    );
  });
});
