import {
  buildTransition,
  type CompactSignature,
  type Digest,
  type Endorsements,
  ledgerDomain,
  packEndorsements,
  parseBytes32,
  parseIntentId,
  transitionDigest,
} from "../../../src/ledger/index.ts";
import { aSigner, type Signer } from "../keys.ts";
import { mutate, type Scene, signerOf, SIGNERS, ZERO } from "./scene.ts";

/** Signatures over a digest: all is well most of the time, and there may be more of them than needed. */
export function endorse(scene: Scene, digest: Digest): Endorsements {
  const { random, model } = scene;
  const { members, threshold } = model.committee;
  const count = random.chance(0.05)
    ? threshold - 1
    : threshold + random.below(members.length - threshold + 1);
  const signers = random.shuffle(members).slice(0, count).map(signerOf);
  const valid = packEndorsements(
    model.committee,
    signers.map(({ address, sign }) => ({
      member: address,
      signature: sign(digest),
    })),
  );
  const inOrder = [...signers].sort((a, b) => (a.address < b.address ? -1 : 1));
  valid.signatures.forEach(({ r, vs }, i) => {
    const signer = inOrder[i];
    if (signer !== undefined)
      model.signedBy.set(digest + r + vs, signer.address);
  });
  return mutate(scene, 0.15, valid, wrongEndorsements(scene, digest));
}

function wrongEndorsements(
  scene: Scene,
  digest: Digest,
): readonly ((valid: Endorsements) => Endorsements)[] {
  const { random, model } = scene;
  const replaceOne = (
    valid: Endorsements,
    by: (old: CompactSignature) => CompactSignature,
  ): Endorsements => {
    const at = random.below(Math.max(1, valid.signatures.length));
    return {
      ...valid,
      signatures: valid.signatures.map((old, i) => (i === at ? by(old) : old)),
    };
  };
  const signedAs = (signer: Signer, over: Digest): CompactSignature => {
    const packed = packEndorsements({ members: [signer.address] }, [
      { member: 0, signature: signer.sign(over) },
    ]);
    const [signature] = packed.signatures;
    if (signature === undefined) throw new Error("There is one signature.");
    return signature;
  };
  const elsewhere = ledgerDomain({
    chainId: model.domain.chainId,
    group: aSigner(SIGNERS).address,
  });
  const foreign = transitionDigest(
    elsewhere,
    buildTransition({ epoch: 0n, intents: [parseIntentId(ZERO)] }),
  );
  const topBit = (vs: string): ReturnType<typeof parseBytes32> =>
    parseBytes32(
      `0x${(Number.parseInt(vs.charAt(2), 16) ^ 8).toString(16)}${vs.slice(3)}`,
    );
  return [
    (valid) => ({
      ...valid,
      signers: valid.signers | (1n << BigInt(model.committee.members.length)),
    }),
    (valid) => ({ ...valid, signers: valid.signers | (1n << 255n) }),
    (valid) => ({ ...valid, signatures: valid.signatures.slice(1) }),
    (valid) => ({
      ...valid,
      signatures: [...valid.signatures, ...valid.signatures.slice(0, 1)],
    }),
    (valid) => ({ ...valid, signatures: [...valid.signatures].reverse() }),
    (valid) => replaceOne(valid, () => signedAs(aSigner(SIGNERS + 1), digest)),
    (valid) =>
      replaceOne(valid, () =>
        signedAs(signerOf(random.pick(model.committee.members)), foreign),
      ),
    (valid) => replaceOne(valid, ({ r, vs }) => ({ r, vs: topBit(vs) })),
    (valid) => replaceOne(valid, ({ vs }) => ({ r: parseBytes32(ZERO), vs })),
    (valid) =>
      replaceOne(valid, ({ r }) => ({
        r,
        vs: parseBytes32(`0x7f${"ff".repeat(31)}`),
      })),
    (valid) =>
      replaceOne(valid, () => ({ r: random.bytes32(), vs: random.bytes32() })),
    () => ({ signers: 0n, signatures: [] }),
  ];
}
