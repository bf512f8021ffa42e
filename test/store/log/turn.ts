import { expect } from "chai";
import fc from "fast-check";

import type { Value } from "../../../src/store/database.ts";
import {
  decodeTurn,
  encodeTurn,
  type Turn,
} from "../../../src/store/log/turn.ts";

const value: fc.Arbitrary<Value> = fc.oneof(
  fc.constant(null),
  fc.string({ unit: "binary" }),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double(),
  fc.uint8Array(),
);

const turns: fc.Arbitrary<Turn> = fc.array(
  fc.record({
    sql: fc.constantFrom("INSERT a", "UPDATE b", "DELETE c"),
    values: fc.option(fc.array(value, { maxLength: 5 }), { nil: undefined }),
    changes: fc.nat(),
  }),
  { maxLength: 20 },
);

/** A script changes nothing that is counted. */
const written = (turn: Turn): Turn =>
  turn.map((statement) =>
    statement.values === undefined ? { ...statement, changes: 0 } : statement,
  );

describe("the bytes of a turn", () => {
  it("are read as they were written", () => {
    fc.assert(
      fc.property(turns, (turn) => {
        const { body, statements } = encodeTurn(turn);
        const read = decodeTurn(body, (id) => statements.get(id));
        expect(read).to.deep.equal(written(turn));
      }),
    );
  });

  it("are refused when some of them are missing or too many", () => {
    fc.assert(
      fc.property(turns, fc.nat(), (turn, pick) => {
        const { body, statements } = encodeTurn(turn);
        const sqlOf = (id: string): string | undefined => statements.get(id);
        const cut = body.subarray(0, pick % body.length);
        expect(() => decodeTurn(cut, sqlOf)).to.throw(RangeError);
        const longer = Buffer.concat([body, Buffer.from([0])]);
        expect(() => decodeTurn(longer, sqlOf)).to.throw(RangeError);
      }),
    );
  });

  it("end with an error that names it when they are anything else", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          decodeTurn(Buffer.from([1, ...bytes]), () => "SELECT 1");
        } catch (error) {
          expect(error).to.be.instanceOf(RangeError);
        }
      }),
    );
  });

  it("name the statement that is unknown, and the format that is newer", () => {
    const { body } = encodeTurn([{ sql: "x", values: [1], changes: 1 }]);
    expect(() => decodeTurn(body, () => undefined)).to.throw(
      RangeError,
      "Unknown statement",
    );
    body[0] = 9;
    expect(() => decodeTurn(body, () => "x")).to.throw(RangeError, "format 9");
  });

  it("take eight bytes for a statement however often it runs", () => {
    const sql = `INSERT INTO things ${"x".repeat(1_000)}`;
    const one = { sql, values: [1, "a"], changes: 1 };
    const { body } = encodeTurn(Array.from({ length: 100 }, () => one));
    expect(body.length).to.be.below(1_000);
  });
});
