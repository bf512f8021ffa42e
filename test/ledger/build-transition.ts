import { expect } from "chai";
import { AbiCoder, concat, keccak256 } from "ethers";
import fc from "fast-check";

import {
  buildCommittee,
  buildGroupConfig,
  buildTransition,
  encodeExecute,
  intentsHash,
  ledgerDomain,
  outputStateIds,
  packEndorsements,
  parseAddress,
  parseBytes32,
  parseCommitment,
  parseHex,
  parseIntentId,
  parseStateId,
  parseUint64,
  registerOf,
  requireWellFormed,
  type StateId,
  type TransitionParts,
  transitionDigest,
  VACANCY,
} from "../../src/ledger/index.ts";
import { openChain } from "../helpers/chain.ts";
import { aSigner } from "../helpers/keys.ts";
import {
  anyAddress,
  anyBytes32,
  anyTransition,
} from "../helpers/ledger-arbitraries.ts";

const intent = parseIntentId(`0x${"11".repeat(32)}`);
const state = (register: string, rest: string): StateId =>
  parseStateId(`0x${register.repeat(8)}${rest.repeat(24)}`);

function codeOf(parts: Partial<TransitionParts>): unknown {
  try {
    return buildTransition({ epoch: 0n, intents: [intent], ...parts });
  } catch (error) {
    return error instanceof Error && "code" in error ? error.code : error;
  }
}

describe("ledger: transitions", function () {
  const anyParts = fc.record({
    epoch: fc.bigInt({ min: 0n, max: 9n }),
    intents: fc.uniqueArray(
      anyBytes32.map((id) => parseIntentId(id)),
      { minLength: 1, maxLength: 5 },
    ),
    inputs: fc.uniqueArray(
      anyBytes32.map((id) => parseStateId(id)),
      { maxLength: 5, selector: registerOf },
    ),
    reads: fc.array(
      anyBytes32.map((id) => parseStateId(id)),
      { maxLength: 3 },
    ),
    outputs: fc.array(
      anyBytes32.map((id) => parseCommitment(id)),
      { maxLength: 5 },
    ),
  });

  it("have ascending inputs, all outputs in their order, and vacancies only at the end", function () {
    fc.assert(
      fc.property(anyParts, (parts) => {
        const transition = buildTransition(parts);
        expect(transition.inputs).to.deep.equal([...parts.inputs].sort());
        expect(transition.outputs.slice(0, parts.outputs.length)).to.deep.equal(
          parts.outputs,
        );
        expect(
          transition.outputs
            .slice(parts.outputs.length)
            .every((output) => output === VACANCY),
        ).to.equal(true);
        expect(transition.outputs.length).to.equal(
          Math.max(parts.inputs.length, parts.outputs.length),
        );
        requireWellFormed(transition);
      }),
    );
  });

  it("do not depend on the order in which inputs were named", function () {
    fc.assert(
      fc.property(anyParts, (parts) => {
        expect(
          buildTransition({ ...parts, inputs: [...parts.inputs].reverse() }),
        ).to.deep.equal(buildTransition(parts));
      }),
    );
  });

  it("give their outputs the ids that the documentation of the contract defines", function () {
    fc.assert(
      fc.property(anyTransition, (transition) => {
        const hash = keccak256(concat(transition.intents));
        expect(intentsHash(transition.intents)).to.equal(hash);
        const ids = transition.outputs.map((commitment, i) => {
          const id = keccak256(
            AbiCoder.defaultAbiCoder().encode(
              ["bytes32", "uint256", "bytes32"],
              [hash, i, commitment],
            ),
          );
          const input = transition.inputs[i];
          return input === undefined ? id : input.slice(0, 18) + id.slice(18);
        });
        expect(outputStateIds(transition)).to.deep.equal(ids);
      }),
    );
  });

  it("are refused when the contract would refuse them in any case", function () {
    expect(codeOf({ intents: [] })).to.equal("NO_INTENT");
    expect(codeOf({ intents: [intent, intent] })).to.equal("DUPLICATE_INTENT");
    expect(
      codeOf({
        inputs: [state("aa", "01"), state("bb", "01"), state("aa", "02")],
      }),
    ).to.equal("SHARED_REGISTER");
    expect(codeOf({ inputs: [state("aa", "01"), state("aa", "01")] })).to.equal(
      "SHARED_REGISTER",
    );
    expect(codeOf({ epoch: 1n << 64n })).to.equal("INVALID_VALUE");
    expect(codeOf({ validUntil: -1n })).to.equal("INVALID_VALUE");
    const outputs = Array.from({ length: 4_200 }, () => VACANCY);
    expect(codeOf({ outputs })).to.equal("TRANSITION_TOO_LARGE");
  });

  it("of others are checked for what the builder would have put right", function () {
    const good = buildTransition({
      epoch: 0n,
      intents: [intent],
      inputs: [state("aa", "01"), state("bb", "01")],
    });
    expect(() => {
      requireWellFormed({ ...good, inputs: [...good.inputs].reverse() });
    })
      .to.throw()
      .with.property("code", "INPUTS_NOT_ASCENDING");
    expect(() => {
      requireWellFormed({ ...good, outputs: good.outputs.slice(1) });
    })
      .to.throw()
      .with.property("code", "INPUT_WITHOUT_SUCCESSOR");
  });

  it("are too large for the builder exactly when they are for the contract", async function () {
    const chain = await openChain();
    const signer = aSigner(0);
    const config = buildGroupConfig({
      members: [signer.address],
      threshold: 1,
      externalCalls: true,
    });
    const { group } = await chain.createGroup(
      config,
      parseBytes32(`0x${"22".repeat(32)}`),
    );
    const domain = ledgerDomain({ chainId: chain.chainId, group });
    const selector = "5c60da1b"; // implementation()
    const partsWith = (bytes: number): TransitionParts => ({
      epoch: 0n,
      intents: [intent],
      calls: [
        {
          target: chain.factory,
          data: parseHex(`0x${selector}${"00".repeat(bytes - 4)}`),
          gasMin: parseUint64(0n),
        },
      ],
      signersMax: 1,
    });
    const fixedBytes = 4 + 2 * 32 + 13 * 32 + 32 + 5 * 32 + 3 * 32 + 2 * 32;
    const largest = Math.floor((131_072 - fixedBytes) / 32) * 32;
    expect(codeOf(partsWith(largest + 1))).to.equal("TRANSITION_TOO_LARGE");
    for (const [bytes, expected] of [
      [largest + 1, "PrivacyGroupTransitionTooLarge"],
      [largest, "Mined"],
    ] as const) {
      const transition = buildTransition(partsWith(4));
      const padded = { ...transition, calls: partsWith(bytes).calls ?? [] };
      const endorsements = packEndorsements(config, [
        { member: 0, signature: signer.sign(transitionDigest(domain, padded)) },
      ]);
      const sent = await chain.send({
        to: group,
        data: encodeExecute(padded, endorsements),
      });
      expect(sent.type === "Refused" ? sent.error.type : sent.type).to.equal(
        expected,
      );
    }
    buildTransition(partsWith(largest));
  });
});

describe("ledger: committees", function () {
  it("are sorted", function () {
    fc.assert(
      fc.property(
        fc.uniqueArray(anyAddress, { minLength: 1, maxLength: 20 }),
        (members) => {
          fc.pre(members.every((member) => !/^0x0+$/.test(member)));
          const { members: sorted } = buildCommittee({
            members,
            threshold: members.length,
          });
          expect(sorted.map(BigInt)).to.deep.equal(
            members.map(BigInt).sort((a, b) => (a < b ? -1 : 1)),
          );
        },
      ),
    );
  });

  it("are refused when the contract would refuse them", function () {
    const [a, b] = [aSigner(0).address, aSigner(1).address];
    const nobody = parseAddress(`0x${"00".repeat(20)}`);
    const many = Array.from({ length: 256 }, (_, i) =>
      parseAddress(`0x${(i + 1).toString(16).padStart(40, "0")}`),
    );
    for (const wrong of [
      { members: [], threshold: 0 },
      { members: [a, b], threshold: 0 },
      { members: [a, b], threshold: 3 },
      { members: [a, b], threshold: 1.5 },
      { members: [a, b], threshold: NaN },
      { members: [a, b, a], threshold: 2 },
      { members: [a, nobody], threshold: 1 },
      { members: many, threshold: 1 },
    ]) {
      expect(() => buildCommittee(wrong))
        .to.throw()
        .with.property("code", "INVALID_COMMITTEE");
    }
    buildCommittee({ members: many.slice(1), threshold: 255 });
  });
});
