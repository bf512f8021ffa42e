import { expect } from "chai";
import fc from "fast-check";

import { limits } from "../../../src/protocol/limits.ts";
import {
  type DomainCall,
  DomainRefusal,
  type Json,
} from "../../../src/domains/domain.ts";
import { notarisedToken } from "../../../src/domains/notarised-token/notarised-token.ts";
import { signatureOf } from "../../../src/api/abi/signature.ts";
import { parseAbi } from "../../../src/api/abi/parse-abi.ts";
import { create } from "../../helpers/domains/states.ts";
import { aToken, fund, lockUp } from "../../helpers/domains/token.ts";

const json = fc.jsonValue() as fc.Arbitrary<Json>;

/** Words that mean something somewhere. */
const word = fc.constantFrom(
  "ann@ann",
  "bob@bob",
  "x@nowhere",
  "0x",
  "0xab",
  "0",
  "7",
  "-1",
  `0x${"00".repeat(31)}02`,
  "mint",
  "lock",
  "unlock",
  "constructor",
  "__proto__",
);

const names = [
  "to",
  "amount",
  "data",
  "lockId",
  "from",
  "recipients",
  "unlockData",
  "delegate",
  "account",
  "type",
  "by",
  "__proto__",
  "toString",
];
const anything = fc.oneof(
  json,
  word,
  fc.array(fc.record({ to: word, amount: word })),
);
const args = fc
  .dictionary(fc.constantFrom(...names), anything)
  .map((entries): Readonly<Record<string, Json>> => ({ ...entries }));

/** A function with arguments by the right names, or anything. */
const asking = fc.oneof(
  ...parseAbi(notarisedToken.abi).items.map(({ fragment }) =>
    fc.record({
      signature: fc.constant(signatureOf(fragment)),
      args: fc.record(
        Object.fromEntries(
          fragment.inputs.map(({ name }) => [name, oneOfThese(name)]),
        ),
      ),
    }),
  ),
  fc.record({ signature: fc.string(), args }),
);

/** Often a value that fits the name. */
function oneOfThese(name: string): fc.Arbitrary<Json> {
  const good: Readonly<Record<string, Json>> = {
    amount: "7",
    data: "0x",
    unlockData: "0xab",
    lockId: `0x${"00".repeat(31)}02`,
    recipients: [{ to: "bob@bob", amount: "3" }],
  };
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant(good[name] ?? "bob@bob") },
    { weight: 1, arbitrary: anything },
  );
}

/** JSON that is often nearly an intent. */
const payload = fc.oneof(
  fc.string(),
  json.map((value) => JSON.stringify(value)),
  args.map((entries) => JSON.stringify({ by: "ann@ann", ...entries })),
  fc
    .record({
      type: fc.constantFrom("mint", "transfer", "burn", "lock", "unlock"),
      by: fc.constantFrom("ann@ann", "bob@bob"),
      to: fc.constantFrom("ann@ann", "bob@bob", "x@nowhere"),
      amount: fc.constantFrom("1", "2", "3", "99999", "0", "1e3"),
      data: fc.constantFrom("0x", "0xab", "0xcd", "0x1", "text"),
    })
    .map(({ type, to, ...rest }) =>
      JSON.stringify(
        type === "burn" || type === "lock"
          ? { type, ...rest }
          : { type, to, ...rest },
      ),
    ),
);

/** The answer; undefined for a refusal. Anything else that is thrown is a fault. */
async function answerOf<Answer>(
  ask: () => Answer | Promise<Answer>,
): Promise<Answer | undefined> {
  try {
    return await ask();
  } catch (error) {
    expect(error).to.be.instanceOf(DomainRefusal);
    return undefined;
  }
}

describe("notarised-token: nonsense", function () {
  this.timeout(60_000);

  it("refuses whatever users ask, or makes an intent of it that others can read", async function () {
    const play = aToken();
    const base = play.call("ann@ann", "name");
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(asking, fc.string(), async (asked, from) => {
        const call: DomainCall = {
          ...base,
          ...asked,
          from: from.length % 2 === 0 ? "ann" : from,
        };
        const read = await answerOf(() => notarisedToken.check(call));
        if (read === undefined) return;
        taken += 1;
        expect(read.payload.length).to.be.at.most(limits.contentBytes);
        expect(read.touches?.length ?? 0).to.be.at.most(limits.states);
        for (const name of read.touches ?? [])
          expect(name.length).to.be.at.most(128);
      }),
      { seed: 1, numRuns: 5_000 },
    );
    expect(taken).to.be.greaterThan(100);
  });

  it("refuses whatever it is asked, or answers", async function () {
    const play = aToken();
    const base = play.call("ann@ann", "name");
    await fc.assert(
      fc.asyncProperty(asking, async (asked) => {
        const call = { ...base, ...asked };
        await answerOf(() => notarisedToken.query(call, play.view("ann")));
      }),
      { seed: 2, numRuns: 3_000 },
    );
  });

  it("refuses whatever groups are configured like, or knows their notaries", async function () {
    const { members } = aToken().group;
    const key = fc.oneof(fc.string(), fc.constantFrom("notaries", "name"));
    const configuration = fc
      .dictionary(key, fc.oneof(fc.string(), fc.constantFrom("ann", "true")))
      .map((entries) => ({ ...entries }));
    await fc.assert(
      fc.asyncProperty(configuration, async (chosen) => {
        const group = { members, configuration: chosen };
        await answerOf(() => {
          notarisedToken.checkGroup(group);
          expect(notarisedToken.endorsersOf?.(group)).to.not.have.length(0);
        });
      }),
      { seed: 3, numRuns: 2_000 },
    );
  });

  it("assembles and endorses nothing that makes no sense, and never throws", async function () {
    const play = aToken();
    await fund(play, "ann@ann", 10);
    await lockUp(play, "ann@ann", 5);
    const known = play.unspent();
    const minted = await play.do("till@bank", "mint", {
      to: "bob@bob",
      amount: 1,
      data: "0x",
    });
    const states = fc.array(
      fc.record({ schema: fc.string(), label: fc.string(), data: json }),
    );
    let done = 0;
    await fc.assert(
      fc.asyncProperty(
        payload,
        fc.subarray([...known]),
        states,
        async (text, inputs, outputs) => {
          const step = await play.assemblePayload("ann", text);
          if (step.type === "assembled") {
            expect(await play.endorse(step)).to.equal(undefined);
            done += 1;
          }
          const reason = await play.endorse({
            ...minted,
            payload: text,
            inputs: inputs.map(({ id }) => id),
            outputs: create(outputs, minted.intentId),
          });
          expect(reason).to.be.a("string");
        },
      ),
      { seed: 4, numRuns: 500 },
    );
    expect(done).to.be.greaterThan(0);
  });
});
