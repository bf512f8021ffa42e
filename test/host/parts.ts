import { expect } from "chai";
import fc from "fast-check";

import { PartError, Parts, reasonOf } from "../../src/host/parts.ts";

/** A part of a random list. */
interface Drawn {
  readonly isSlow: boolean;
  /** How its start ends. */
  readonly start: "well" | "fails" | "is stopped";
  readonly end: "at once" | "later" | "fails";
}

const drawn: fc.Arbitrary<readonly Drawn[]> = fc.array(
  fc.record({
    isSlow: fc.boolean(),
    start: fc.oneof(
      { weight: 8, arbitrary: fc.constant("well" as const) },
      { weight: 1, arbitrary: fc.constant("fails" as const) },
      { weight: 1, arbitrary: fc.constant("is stopped" as const) },
    ),
    end: fc.constantFrom("at once", "later", "fails"),
  }),
  { maxLength: 8 },
);

describe("Parts", () => {
  it("are closed once, in reverse order, whatever fails or comes in between", async () => {
    await fc.assert(
      fc.asyncProperty(drawn, async (list) => {
        const parts = new Parts();
        const opened: string[] = [];
        const closed: string[] = [];
        const openOne = (name: string, { start }: Drawn): string => {
          if (start === "fails") throw new Error(`${name} is broken`);
          if (start === "is stopped") parts.close().catch(() => undefined);
          opened.push(name);
          return name;
        };
        const closeOne =
          ({ end }: Drawn) =>
          (name: string): unknown => {
            closed.push(name);
            if (end === "fails") throw new Error(`${name} stays`);
            return end === "later" ? Promise.resolve() : undefined;
          };
        let failed: unknown;
        const [, bad] =
          [...list.entries()].find(([, { start }]) => start !== "well") ?? [];
        try {
          for (const [index, part] of list.entries()) {
            const name = String(index);
            const close = closeOne(part);
            if (part.isSlow)
              await parts.open(
                name,
                async () => {
                  await Promise.resolve();
                  return openOne(name, part);
                },
                close,
              );
            else parts.openNow(name, () => openOne(name, part), close);
          }
        } catch (error) {
          failed = error;
        }
        // A start that was stopped at its end has nothing left that could fail.
        const isStoppedLast = list.at(-1) === bad && bad?.isSlow === false;
        if (bad !== undefined && !(bad.start === "is stopped" && isStoppedLast))
          expect(failed).to.be.instanceOf(PartError);
        const stays = [...opened]
          .reverse()
          .find((name) => list[Number(name)]?.end === "fails");
        for (const _ of [1, 2]) {
          const error: unknown = await parts
            .close()
            .catch((one: unknown) => one);
          expect(error instanceof Error ? error.message : undefined).to.equal(
            stays === undefined ? undefined : `${stays} stays`,
          );
        }
        expect(closed).to.deep.equal([...opened].reverse());
        expect(parts.isClosed).to.equal(true);
      }),
      { numRuns: 500 },
    );
  });

  it("name the part that cannot be started, and keep the reason", async () => {
    const parts = new Parts();
    const reason = new Error("no disk");
    const fail = (): never => {
      throw reason;
    };
    const close = (): void => undefined;
    const open = (): unknown => parts.openNow("the store", fail, close);
    expect(open)
      .to.throw(PartError, "Cannot start the store: no disk")
      .with.property("part", "the store");
    const slow = await parts
      .open("the API", async () => await Promise.reject(reason), close)
      .catch((error: unknown) => error);
    expect(slow).to.be.instanceOf(PartError).with.property("part", "the API");
    expect(reasonOf(slow)).to.equal(reason);
    expect(reasonOf(reason)).to.equal(reason);
  });

  it("take over what is open, and close it at once after the end", async () => {
    const parts = new Parts();
    const closed: string[] = [];
    const add = async (name: string): Promise<void> => {
      await parts.add(() => closed.push(name));
    };
    await add("a");
    await add("b");
    expect(closed).to.deep.equal([]);
    await parts.close();
    expect(closed).to.deep.equal(["b", "a"]);
    await add("c");
    expect(closed).to.deep.equal(["b", "a", "c"]);
    await parts.close();
    expect(closed).to.deep.equal(["b", "a", "c"]);
  });

  it("are not opened after the end", async () => {
    const parts = new Parts();
    await parts.close();
    const open = (): never => expect.fail("It was opened.");
    const close = open;
    expect(() => parts.openNow("the node", open, close)).to.throw(
      PartError,
      "stopped",
    );
    const error: unknown = await parts
      .open("the node", async () => await Promise.resolve().then(open), close)
      .catch((one: unknown) => one);
    expect(error).to.be.instanceOf(PartError);
    expect(String(error)).to.include("stopped");
  });
});
