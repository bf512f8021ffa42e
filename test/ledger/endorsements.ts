import { expect } from "chai";
import { Signature, SigningKey, Wallet } from "ethers";
import fc from "fast-check";

import {
  buildCommittee,
  buildTransition,
  type Digest,
  type Endorsement,
  findEndorsementError,
  ledgerDomain,
  packEndorsements,
  parseBytes32,
  parseDigest,
  parseIntentId,
  parseSignature,
  recoverSigner,
  type SignatureLike,
  transitionDigest,
  typedDataTypes,
  walletDomain,
} from "../../src/ledger/index.ts";
import { aSigner, signersInOrder } from "../helpers/keys.ts";
import { anyBytes32 } from "../helpers/ledger-arbitraries.ts";

const ORDER =
  0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const digest: Digest = parseDigest(`0x${"42".repeat(32)}`);
const signers = signersInOrder(5);
const committee = buildCommittee({
  members: signers.map(({ address }) => address),
  threshold: 3,
});
const endorse = (...members: readonly number[]): readonly Endorsement[] =>
  members.map((member) => ({
    member,
    signature: signers[member]?.sign(digest) ?? "",
  }));

const codeOf = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (error) {
    return error instanceof Error && "code" in error ? error.code : error;
  }
};

/** All forms in which libraries hand out the same signature. */
function formsOf(signature: Signature): readonly SignatureLike[] {
  const { r, s, v, yParity, serialized, compactSerialized } = signature;
  return [
    signature,
    serialized,
    compactSerialized,
    serialized.slice(0, -2) + (yParity === 0 ? "00" : "01"),
    `0x${serialized.slice(2).toUpperCase()}`,
    { r, s, v },
    { r, s, v: yParity },
    { r, s, v: BigInt(v) },
  ];
}

describe("ledger: endorsements", function () {
  this.timeout(30_000);

  it("have one form, whatever library signed", function () {
    fc.assert(
      fc.property(anyBytes32, fc.integer({ min: 0, max: 4 }), (hash, index) => {
        const key = new SigningKey(
          `0x${(index + 1).toString(16).padStart(64, "0")}`,
        );
        const signature = key.sign(hash);
        for (const form of formsOf(signature)) {
          expect(parseSignature(form)).to.deep.equal({
            r: signature.r,
            vs: signature.yParityAndS,
          });
        }
        expect(
          recoverSigner(parseDigest(hash), parseSignature(signature)),
        ).to.equal(aSigner(index).address);
      }),
    );
  });

  it("are packed in the order of the members, and verify", function () {
    fc.assert(
      fc.property(
        fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 3 }),
        (members) => {
          const packed = packEndorsements(committee, endorse(...members));
          expect(packed.signers).to.equal(
            members.reduce((bits, member) => bits | (1n << BigInt(member)), 0n),
          );
          expect(findEndorsementError(digest, committee, packed)).to.equal(
            undefined,
          );
          const named = endorse(...members).map(({ member, signature }) => ({
            member: committee.members[Number(member)] ?? 99,
            signature,
          }));
          expect(
            packEndorsements(committee, [...named].reverse()),
          ).to.deep.equal(packed);
        },
      ),
      { numRuns: 20 },
    );
  });

  it("count once when the same one comes twice, and are refused when two differ", function () {
    expect(packEndorsements(committee, endorse(1, 2, 1))).to.deep.equal(
      packEndorsements(committee, endorse(1, 2)),
    );
    const other = { member: 1, signature: signers[2]?.sign(digest) ?? "" };
    expect(
      codeOf(() => packEndorsements(committee, [...endorse(1), other])),
    ).to.equal("CONFLICTING_ENDORSEMENTS");
  });

  it("of strangers are refused", function () {
    const signature = aSigner(9).sign(digest);
    for (const member of [5, -1, 0.5, NaN, 2 ** 40, aSigner(9).address]) {
      expect(
        codeOf(() => packEndorsements(committee, [{ member, signature }])),
      ).to.equal("UNKNOWN_MEMBER");
    }
  });

  it("with a high s, or numbers out of range, are refused", function () {
    const { r, s, v } = Signature.from(signers[0]?.sign(digest) ?? "");
    const hex = (value: bigint): string =>
      `0x${value.toString(16).padStart(64, "0")}`;
    const high = hex(ORDER - BigInt(s));
    const wrong: readonly unknown[] = [
      { r, s: high, v: v === 27 ? 28 : 27 },
      r + high.slice(2) + "1b",
      { r: hex(0n), s, v },
      { r: hex(ORDER), s, v },
      { r, s: hex(0n), v },
      { r, s: hex(ORDER / 2n + 1n), v },
      r + hex(ORDER / 2n + 1n).slice(2),
      { r, s, v: 29 },
      { r, s, v: 37 },
      { r, s, v: "27" },
      r + s.slice(2) + "02",
      "0x",
      r,
      r + s.slice(2) + "1b1b",
      null,
      7,
    ];
    for (const signature of wrong) {
      expect(
        codeOf(() => parseSignature(signature)),
        String(signature),
      ).to.equal("INVALID_SIGNATURE");
    }
    expect(parseSignature({ r, s: hex(ORDER / 2n), v }).r).to.equal(r);
  });

  it("of nobody are recovered as nobody", function () {
    const vs = parseBytes32(`0x${"11".repeat(32)}`);
    // 5 is no x coordinate of a point of secp256k1.
    const r = parseBytes32(`0x${"5".padStart(64, "0")}`);
    expect(recoverSigner(digest, { r, vs })).to.equal(undefined);
    expect(
      recoverSigner(digest, { r: parseBytes32(`0x${"00".repeat(32)}`), vs }),
    ).to.equal(undefined);
  });

  it("come from wallets through the exported types", async function () {
    const wallet = new Wallet(`0x${"1".padStart(64, "0")}`);
    const domain = ledgerDomain({ chainId: 1n, group: aSigner(7).address });
    const transition = buildTransition({
      epoch: 3n,
      intents: [parseIntentId(digest)],
    });
    const { Transition, ExternalCall } = typedDataTypes.Transition;
    const signature = await wallet.signTypedData(
      walletDomain(domain),
      { Transition: [...Transition], ExternalCall: [...ExternalCall] },
      transition,
    );
    expect(
      recoverSigner(
        transitionDigest(domain, transition),
        parseSignature(signature),
      ),
    ).to.equal(aSigner(0).address);
  });
});
