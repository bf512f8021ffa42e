import { expect } from "chai";

import { messageShape } from "../../src/protocol/codec.ts";
import { type Shape, sketchOf } from "../../src/protocol/shape.ts";
import { decodeBody } from "../../src/node/body.ts";
import { createLiar, type Liar, lieTypes } from "../helpers/lies/liar.ts";
import { randomFrom } from "../helpers/random.ts";

const SEED = 3;
const TRIES = 200;
const group = `0x${"ab".repeat(20)}`;

function aLiar(): Liar {
  return createLiar(
    { groups: [group], names: ["alice", "bob", "carol", "dave"] },
    {
      random: randomFrom(SEED),
      sign: (digest) => digest,
      digestOf: () => undefined,
    },
  );
}

/** The type of a lie that nodes would listen to. */
function typeOf(lie: string | undefined): string {
  const decoded = decodeBody(lie ?? "");
  if (decoded.type === "dropped") return decoded.reason;
  const { body } = decoded;
  return body.type === "message" ? body.message.type : body.type;
}

/** Names of all fields in a shape, however deep. */
function fieldsOf(shape: Shape<unknown>): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (one: Shape<unknown>): void => {
    const sketch = sketchOf(one);
    if (sketch?.kind === "list") visit(sketch.of);
    if (sketch?.kind === "union") Object.values(sketch.kinds).forEach(visit);
    if (sketch?.kind !== "object") return;
    for (const [name, field] of Object.entries(sketch.fields)) {
      names.add(name);
      visit(typeof field === "function" ? field : field.maybe);
    }
  };
  visit(shape);
  return names;
}

describe("The lies that tests tell", () => {
  it("know all types of messages and bodies", () => {
    expect(lieTypes).to.include.members([
      ...["DelegationRequest", "EndorsementRequest", "Heartbeat", "Handover"],
      ...["ask", "tell", "offer", "joined", "key-wanted", "key"],
    ]);
    expect(lieTypes.length).to.be.at.least(30);
  });

  for (const type of lieTypes) {
    it(`are well-formed: ${type}`, () => {
      const liar = aLiar();
      for (let n = 0; n < TRIES; n++)
        expect(typeOf(liar.make(type))).to.equal(type);
    });

    it(`are almost what was said: ${type}`, () => {
      const liar = aLiar();
      for (let n = 0; n < TRIES; n++) liar.hear(liar.make(type));
      for (let n = 0; n < TRIES; n++)
        expect(typeOf(liar.twist(type))).to.equal(type);
    });
  }

  it("change every field of every message", () => {
    const liar = aLiar();
    const said = new Map<string, Set<string>>();
    for (let n = 0; n < 20 * TRIES; n++)
      for (const [, name = "", value = ""] of liar
        .make(lieTypes[n % lieTypes.length] ?? "")
        .matchAll(/"(\w+)":(?=(.{1,60}))/g))
        said.set(name, (said.get(name) ?? new Set()).add(value));
    for (const name of fieldsOf(messageShape))
      expect(said.get(name)?.size, name).to.be.greaterThan(1);
  });

  it("are mostly well-formed, and of all kinds", () => {
    const liar = aLiar();
    for (const type of lieTypes) liar.hear(liar.make(type));
    const counts = new Map<string, number>();
    for (let n = 0; n < 20_000; n++) {
      const type = typeOf(liar.lie());
      counts.set(type, (counts.get(type) ?? 0) + 1);
    }
    for (const type of lieTypes)
      expect(counts.get(type), type).to.be.greaterThan(100);
    const good = lieTypes.reduce((sum, one) => sum + (counts.get(one) ?? 0), 0);
    expect(good).to.be.within(17_000, 19_900);
    for (const reason of ["malformed", "version", "unknown", "oversized"])
      expect(counts.get(reason), reason).to.be.greaterThan(0);
  });
});
