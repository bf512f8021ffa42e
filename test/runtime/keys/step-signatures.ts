import { verify } from "node:crypto";

import { expect } from "chai";
import fc from "fast-check";

import { keccak256Hex } from "../../../src/ledger/index.ts";
import {
  type NodeName,
  parseNodeName,
  parseStepHash,
  type StepHash,
} from "../../../src/protocol/ids.ts";
import { createIdentity } from "../../../src/runtime/keys/identity.ts";
import {
  signTogether,
  StepSignatures,
} from "../../../src/runtime/keys/step-signatures.ts";

const nodeNamed = (text: string): NodeName => {
  const name = parseNodeName(text);
  if (name === undefined) throw new Error(`${text} is no name.`);
  return name;
};
const alice = nodeNamed("alice");
const bob = nodeNamed("bob");
const identities = new Map([
  [alice, createIdentity()],
  [bob, createIdentity()],
]);

function hashAt(i: number): StepHash {
  const hash = parseStepHash(keccak256Hex(`step ${i}`));
  if (hash === undefined) throw new Error("A hash is none.");
  return hash;
}

const hashesUpTo = (count: number): StepHash[] =>
  Array.from({ length: count }, (_, i) => hashAt(i));

const sign = (by: NodeName, hashes: readonly StepHash[]): readonly string[] =>
  signTogether(
    hashes,
    (bytes) => identities.get(by)?.sign(bytes) ?? Buffer.alloc(64),
  );

/** Checks signatures, and counts how often it has to look at one. */
class Checker {
  looks = 0;
  readonly #signatures = new StepSignatures({
    isSignedBy: async (name, bytes, signature) => {
      this.looks += 1;
      const key = identities.get(name)?.publicKey;
      return await Promise.resolve(
        key !== undefined && verify(null, bytes, key, signature),
      );
    },
  });

  async isSigned(
    hash: StepHash,
    signature: string,
    by = alice,
  ): Promise<boolean> {
    return await this.#signatures.isSigned(by, hash, signature);
  }
}

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

  it("cost one look when they are asked for at the same time, and none of them is good because another is", async () => {
    const checker = new Checker();
    const signatures = sign(alice, hashesUpTo(9));
    const asked = signatures.map((signature, i) =>
      checker.isSigned(hashAt(i === 4 ? 100 : i), signature),
    );
    expect(await Promise.all(asked)).to.deep.equal(
      signatures.map((_, i) => i !== 4),
    );
    expect(checker.looks).to.equal(1);
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
          const isSame =
            isKnown && position >= 68; /* beside a way that is known already */
          if (!isSame)
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
