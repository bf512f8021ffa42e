import { expect } from "chai";

import { Declarations } from "../../helpers/sabotage/declarations.ts";
import { type Edit, inside, sabotaged } from "../../helpers/sabotage/edit.ts";
import {
  argument,
  branchOn,
  call,
  callee,
  caseOf,
  condition,
  element,
  guardOf,
  ifOn,
  listed,
  operand,
  property,
  returned,
  rule,
  value,
} from "../../helpers/sabotage/places.ts";
import { mutants, testedMutants } from "./catalogue.ts";

const source = `
const table = {
  Idle: { Started: [{ to: "Busy", run: [save, queue] }], Ended: [] },
  Busy: {
    Started: [{ to: "Busy", when: isLate, run: [queue] }, { to: "Idle" }],
  },
};
export function judge(a: string | undefined, b: number): string {
  if (a === undefined) return "unknown";
  const isLate = b > 4 && (a === "x" || b < 9) && check(a);
  for (const one of list(a, b)) this.queue.push(one, b);
  if (isLate) save(a);
  else log.save(b);
  switch (a) {
    case "left":
      return check(b) ? "no" : "yes";
    case "right":
      return check(a) ? "yes" : "no";
  }
  return isLate ? "late" : "good";
}
class Desk {
  #seat = 1;
  sit(): void {
    this.#seat = 2;
  }
}
class Shelf {
  sit(): void {}
}
`;

/** The source after edits, without what is only form. */
function after(...edits: Edit[]): string {
  const declarations = new Declarations([]);
  declarations.add("a/first.ts", source);
  declarations.add("b/second.ts", "export const judge = () => 1;");
  const [changed] = sabotaged(declarations, { name: "is tried", edits });
  return (changed?.text ?? "").replaceAll(/\s+/g, " ");
}

const judge = inside("a/: judge");

describe("Sabotages by structure", () => {
  const originals = new Declarations(["src/protocol/**/*.ts"]);
  for (const mutant of [...mutants, ...testedMutants])
    it(`fit the code: a node that ${mutant.name}`, () => {
      const changed = sabotaged(originals, mutant);
      expect(changed).not.to.have.length(0);
      for (const { file, text } of changed)
        expect(text).not.to.equal(originals.textOf(file));
    });

  it("drop statements, operands, elements, properties and arguments", () => {
    expect(after(judge.drops(ifOn("undefined")))).not.to.include("unknown");
    expect(after(judge.drops(call("log.save")))).to.include("else {}");
    expect(after(judge.drops(operand("check")))).to.include(
      `b > 4 && (a === "x" || b < 9);`,
    );
    expect(after(judge.drops(operand("x")))).to.include("4 && (b < 9) &&");
    expect(after(judge.drops(argument("push", "b")))).to.include("push(one)");
    const started = inside("table.Idle.Started");
    expect(after(started.drops(element("save")))).to.include("run: [queue]");
    expect(after(started.drops(element("queue")))).to.include("run: [save]");
    expect(after(inside("table.Idle").drops(property("Started")))).to.include(
      "Idle: { Ended: [] }",
    );
  });

  it("put other code in the place of conditions, values and what is called", () => {
    expect(after(judge.puts(condition("undefined"), "b"))).to.include("if (b)");
    expect(after(judge.puts(branchOn("undefined"), "b;"))).to.include(
      "if (a === undefined) b;",
    );
    expect(after(judge.puts(guardOf(call("save", "a")), "false"))).to.include(
      "if (false) save(a)",
    );
    expect(after(judge.puts(value("isLate"), "false"))).to.include(
      "isLate = false;",
    );
    expect(after(judge.puts(listed("list"), "[]"))).to.include("one of []");
    expect(after(judge.puts(returned("isLate"), "a"))).to.include("return a;");
    expect(after(judge.puts(callee("queue.push"), "drop"))).to.include(
      "drop(one, b)",
    );
    expect(
      after(inside("Desk.sit").puts(value("#seat"), (code) => `-${code}`)),
    ).to.include("this.#seat = -2;");
  });

  it("look only into the part that is named", () => {
    const right = inside("a/: judge", caseOf("right"));
    expect(after(right.puts(condition("check"), "true"))).to.include(
      `return true ? "yes" : "no"`,
    );
    const busy = inside("table.Busy.Started", rule("isLate"));
    expect(after(busy.drops(property("when")))).to.include(
      `[{ to: "Busy", run: [queue] }, { to: "Idle" }]`,
    );
    expect(after(busy.puts(value("to"), `"Idle"`))).to.include(
      `[{ to: "Idle", when: isLate, run: [queue] }, { to: "Idle" }]`,
    );
    expect(
      after(
        judge.addsBefore(call("log.save"), "b += 1;"),
        judge.addsAfter(call("queue.push"), "a += 1;"),
        inside("table.Idle").addsAfter(property("Ended"), "Late: []"),
      ),
    )
      .to.include("else b += 1; log.save(b);")
      .and.to.include("push(one, b); a += 1;")
      .and.to.include("Ended: [], Late: []");
  });

  for (const [what, edit, message] of [
    [
      "nothing is there",
      judge.drops(call("store")),
      /"is tried" does not fit the code: a\/: judge \(a\/first\.ts\) has 0 times a call of store.*\n.*check\(a\)/,
    ],
    [
      "there is more than one",
      judge.puts(condition("check"), "true"),
      /has 2 times a condition that mentions check; one was expected.*\n {2}check\(b\)\n {2}check\(a\)/,
    ],
    [
      "no declaration has the name",
      inside("judges").drops(call("save")),
      /0 declarations are called judges.*\n {2}judge/,
    ],
    [
      "several declarations have the name",
      inside("judge").drops(call("save")),
      /2 declarations are called judge;.*\n {2}a\/first\.ts: judge\n {2}b\/second\.ts: judge/,
    ],
    [
      "a class has no such member",
      inside("Desk.stand").drops(call("save")),
      /Nothing is called stand in Desk.*\n {2}#seat\n {2}sit/,
    ],
  ] as const)
    it(`are refused with candidates if ${what}`, () => {
      expect(() => after(edit)).to.throw(message);
    });
});
