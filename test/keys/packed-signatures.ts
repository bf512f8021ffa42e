import { expect } from "chai";
import fc from "fast-check";

import { packSignatures } from "../../src/keys/packed-signatures.ts";
import {
  type SignedStep,
  standingAlone,
} from "../../src/keys/step-signatures.ts";
import {
  alice,
  answerOf,
  bob,
  Checker,
  hashAt,
  hashesUpTo,
} from "../helpers/step-signers.ts";

function pack(steps: readonly SignedStep[]): SignedStep[] {
  const signatures = packSignatures(steps);
  return steps.map((step, at) => ({
    ...step,
    signature: signatures[at] ?? "",
  }));
}

const bytesOf = ({ signature }: SignedStep): Buffer =>
  Buffer.from(signature.slice(signature.indexOf(":") + 1), "base64");

/** The same steps with other bytes behind the number of the answer. */
function withBytes(
  steps: readonly SignedStep[],
  at: number,
  change: (bytes: Buffer) => Buffer,
): SignedStep[] {
  return steps.map((step, i) =>
    i === at
      ? { ...step, signature: `0:${change(bytesOf(step)).toString("base64")}` }
      : step,
  );
}

const areSigned = async (steps: readonly SignedStep[]): Promise<boolean[]> =>
  await new Checker().areSigned(steps);

const all = (steps: readonly SignedStep[], isSigned: boolean): boolean[] =>
  steps.map(() => isSigned);

/** Steps of several answers of two senders, some of them left out, in any order. */
const bundles = fc
  .array(
    fc.tuple(fc.constantFrom(alice, bob), fc.integer({ min: 1, max: 40 })),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  .map((answers) =>
    answers.flatMap(([sender, count], i) =>
      answerOf(
        sender,
        Array.from({ length: count }, (_, k) => hashAt(100 * i + k)),
      ),
    ),
  )
  .chain((steps) =>
    fc.oneof(
      fc.constant(steps),
      fc.subarray(steps, { minLength: 1 }),
      fc.shuffledSubarray(steps, { minLength: 1 }),
    ),
  );

describe("signatures of steps that travel together", () => {
  it("prove every step, whichever steps of whichever answers are in the bundle, with one look for each answer", async () => {
    await fc.assert(
      fc.asyncProperty(bundles, async (steps) => {
        const checker = new Checker();
        const packed = pack(steps);
        expect(await checker.areSigned(packed)).to.deep.equal(all(steps, true));
        const answers = new Set(
          steps.map(
            ({ sender, signature }) => `${sender} ${signature.slice(0, 80)}`,
          ),
        );
        expect(checker.looks).to.equal(answers.size);
        for (const [at, { signature }] of packed.entries())
          expect(signature.length).to.be.at.most(
            8 + (steps[at]?.signature.length ?? 0),
          );
      }),
      { numRuns: 60 },
    );
  });

  it("become again what they were, each by itself", () => {
    fc.assert(
      fc.property(bundles, (steps) => {
        const packed = pack(steps);
        for (const [at, { signature }] of steps.entries())
          expect(standingAlone(packed, at)).to.equal(signature);
      }),
      { numRuns: 30 },
    );
  });

  it("take a few characters for each step, if all of an answer is there", () => {
    const [, ...others] = pack(answerOf(alice, hashesUpTo(100)));
    for (const { signature } of others)
      expect(signature.length).to.be.at.most(10);
  });

  it("stay as they are when they are packed again", () => {
    const packed = pack(answerOf(alice, hashesUpTo(9)));
    expect(pack(packed)).to.deep.equal(packed);
  });

  it("prove nothing once a bit of them is changed, and the steps of other answers still", async () => {
    const others = answerOf(bob, hashesUpTo(40).slice(30));
    // Some are left out, so that there are hashes.
    const mine = answerOf(alice, hashesUpTo(23)).filter((_, i) => i % 5 < 3);
    const packed = pack([...mine, ...others]);
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: mine.length - 1 }),
        fc.nat(),
        fc.nat({ max: 7 }),
        async (at, position, bit) => {
          const changed = withBytes(packed, at, (bytes) => {
            const i = position % bytes.length;
            bytes[i] = (bytes[i] ?? 0) ^ (1 << bit);
            return bytes;
          });
          expect(await areSigned(changed)).to.deep.equal([
            ...all(mine, false),
            ...all(others, true),
          ]);
        },
      ),
    );
  });

  it("prove no other step, no other place, and no step twice", async () => {
    const packed = pack(answerOf(alice, hashesUpTo(8)));
    const [first, second, third, ...rest] = packed;
    if (first === undefined || second === undefined || third === undefined)
      throw new Error("There are eight.");
    const swapped = [
      first,
      { ...second, signature: third.signature },
      { ...third, signature: second.signature },
      ...rest,
    ];
    const other = [first, { ...second, hash: hashAt(99) }, third, ...rest];
    const twice = [...packed, { ...third, hash: hashAt(99) }];
    const same = [...packed, third];
    const fewer = packed.slice(0, -1);
    const headless = packed.slice(1);
    for (const bad of [swapped, other, twice, same, fewer, headless])
      expect(await areSigned(bad)).to.deep.equal(all(bad, false));
  });

  it("prove nothing with the list of another answer, or in the name of another sender", async () => {
    const hashes = hashesUpTo(8);
    const packed = pack([
      ...answerOf(alice, hashes.slice(0, 4)),
      ...answerOf(alice, hashes.slice(4)),
    ]);
    const moved = packed.map((step, i) =>
      i === 6
        ? { ...step, signature: step.signature.replace("1:", "0:") }
        : step,
    );
    expect(await areSigned(moved)).to.deep.equal(all(moved, false));
    const stranger = { sender: bob, hash: hashAt(99), signature: "0:AAEAAA==" };
    for (const bundle of [
      [stranger, ...packed],
      [...packed, stranger],
    ])
      expect(await areSigned(bundle)).to.deep.equal(
        bundle.map((step) => step !== stranger),
      );
  });

  it("prove nothing with more hashes than belong to them, or numbers that are none", async () => {
    const packed = pack(answerOf(alice, hashesUpTo(5)).slice(0, 4));
    expect(await areSigned(packed)).to.deep.equal(all(packed, true));
    const hash = Buffer.alloc(32);
    const leaf = Buffer.from(hashAt(0).slice(2), "hex");
    const numbers = (index: number, heights: number): Buffer =>
      Buffer.of(index >> 8, index & 0xff, heights >> 8, heights & 0xff);
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.alloc(3),
      Buffer.concat([numbers(1, 0), hash]),
      // A hash that follows from a step of the bundle, though it is the right one.
      Buffer.concat([numbers(1, 1), leaf]),
      Buffer.concat([numbers(1, 0b10), hash]),
      Buffer.concat([
        numbers(1, 0xffff),
        ...Array.from({ length: 16 }, () => hash),
      ]),
      numbers(5, 0),
      numbers(0xffff, 0),
      numbers(0, 0),
    ]) {
      const changed = withBytes(packed, 1, () => bytes);
      expect(await areSigned(changed)).to.deep.equal(all(changed, false));
    }
    for (const count of [0, 4, 6, 0xffff]) {
      const changed = withBytes(packed, 0, (bytes) => {
        bytes.writeUInt16BE(count, 64);
        return bytes;
      });
      expect(await areSigned(changed)).to.deep.equal(all(changed, false));
    }
  });

  it("of a sender that signs nonsense cost its own steps only", async () => {
    const good = answerOf(bob, hashesUpTo(6));
    const answer = answerOf(alice, hashesUpTo(9).slice(6));
    const forged = [
      "",
      ":",
      "0:",
      "nonsense",
      "0:AAEAAA==",
      `0:${"A".repeat(900)}`,
    ];
    for (const signature of [
      ...forged,
      ...good.map((step) => step.signature),
    ]) {
      const bad = answer.map((step) => ({ ...step, signature }));
      const packed = pack([...bad, ...good]);
      expect(await areSigned(packed)).to.deep.equal([
        ...all(bad, false),
        ...all(good, true),
      ]);
    }
  });
});
