import { expect } from "chai";
import fc from "fast-check";

import {
  alice,
  bob,
  Checker,
  hashAt,
  hashesUpTo,
  signAs as sign,
} from "../helpers/step-signers.ts";

describe("signatures of steps", () => {
  it("prove every step, for any number of them and in any order, at the cost of one", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 130 }).chain((count) =>
          fc.shuffledSubarray(
            hashesUpTo(count).map((hash, i) => ({ hash, i, count })),
            { minLength: 1 },
          ),
        ),
        async (steps) => {
          const checker = new Checker();
          const signatures = sign(alice, hashesUpTo(steps[0]?.count ?? 0));
          for (const { hash, i } of steps)
            expect(await checker.isSigned(hash, signatures[i] ?? "")).to.equal(
              true,
            );
          expect(checker.looks).to.equal(1);
        },
      ),
    );
  });

  it("cost one look for all good ones when they are asked for at the same time, and none of them is good because another is", async () => {
    const checker = new Checker();
    const signatures = sign(alice, hashesUpTo(9));
    const asked = signatures.map((signature, i) =>
      checker.isSigned(hashAt(i === 4 ? 100 : i), signature),
    );
    expect(await Promise.all(asked)).to.deep.equal(
      signatures.map((_, i) => i !== 4),
    );
    // The one that leads elsewhere is looked at by itself.
    expect(checker.looks).to.equal(2);
  });

  it("are looked at again for those who waited, if the first that was asked for is not good", async () => {
    const checker = new Checker();
    const [first = "", second = ""] = sign(alice, hashesUpTo(9));
    const asked = [
      checker.isSigned(hashAt(100), first),
      checker.isSigned(hashAt(1), second),
    ];
    expect(await Promise.all(asked)).to.deep.equal([false, true]);
    expect(await checker.isSigned(hashAt(0), first)).to.equal(true);
    expect(checker.looks).to.equal(2);
  });

  it("are forgotten when many others were seen since", async () => {
    const checker = new Checker();
    const [first = ""] = sign(alice, [hashAt(0)]);
    for (let i = 0; i < 20; i++) {
      const [signature = ""] = sign(alice, [hashAt(i)]);
      expect(await checker.isSigned(hashAt(i), signature)).to.equal(true);
    }
    expect(await checker.isSigned(hashAt(0), first)).to.equal(true);
    expect(checker.looks).to.equal(21);
  });

  it("prove no other step, whether or not the answer is known", async () => {
    const signatures = sign(alice, hashesUpTo(9));
    for (const isKnown of [false, true]) {
      const checker = new Checker();
      if (isKnown)
        for (const i of [0, 8])
          expect(
            await checker.isSigned(hashAt(i), signatures[i] ?? ""),
          ).to.equal(true);
      for (const [i, signature] of signatures.entries()) {
        expect(await checker.isSigned(hashAt(i + 1), signature)).to.equal(
          false,
        );
        expect(await checker.isSigned(hashAt(100), signature)).to.equal(false);
        expect(await checker.isSigned(hashAt(i), signature, bob)).to.equal(
          false,
        );
      }
    }
  });

  it("prove nothing once a bit of them is changed", async () => {
    const signatures = sign(alice, hashesUpTo(7));
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: 6 }),
        fc.nat(),
        fc.nat({ max: 7 }),
        fc.boolean(),
        async (i, at, bit, isKnown) => {
          const checker = new Checker();
          const good = signatures[i] ?? "";
          if (isKnown)
            expect(await checker.isSigned(hashAt(i), good)).to.equal(true);
          const bytes = Buffer.from(good, "base64");
          const position = at % bytes.length;
          bytes[position] = (bytes[position] ?? 0) ^ (1 << bit);
          expect(
            await checker.isSigned(hashAt(i), bytes.toString("base64")),
          ).to.equal(false);
        },
      ),
    );
  });

  it("that are cut, prolonged or nonsense prove nothing", async () => {
    const [good = ""] = sign(alice, hashesUpTo(4));
    const bytes = Buffer.from(good, "base64");
    for (const bad of [
      "",
      "nonsense",
      bytes.subarray(0, 64),
      bytes.subarray(0, 68),
      bytes.subarray(0, -1),
      Buffer.concat([bytes, bytes.subarray(0, 32)]),
    ])
      expect(
        await new Checker().isSigned(
          hashAt(0),
          typeof bad === "string" ? bad : bad.toString("base64"),
        ),
      ).to.equal(false);
  });
});
