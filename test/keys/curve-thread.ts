import { randomBytes } from "node:crypto";

import { expect } from "chai";

import {
  type Digest,
  type Hex,
  parseBytes32,
  parseDigest,
  parseSignature,
  toHex,
} from "../../src/ledger/index.ts";
import { plainCurve } from "../../src/ledger/secp256k1.ts";
import { CurveThread } from "../../src/keys/curve-thread.ts";
import { publishedAccount } from "../helpers/accounts.ts";

/** More than is done here, and a few that are. */
const counts = [100, 2] as const;

const someDigest = (): Digest => parseDigest(toHex(randomBytes(32)));
const keyOf = (index: number): Hex =>
  parseBytes32(publishedAccount(index % 5).privateKey);

/** Signs many digests with several keys at once. */
async function signMany(
  thread: CurveThread,
  digests: readonly Digest[],
): Promise<readonly Hex[]> {
  return await Promise.all(
    digests.map(async (digest, i) => await thread.sign(keyOf(i), digest)),
  );
}

describe("The thread for signatures", () => {
  let thread: CurveThread;
  beforeEach(() => {
    thread = new CurveThread();
  });
  afterEach(async () => {
    await thread.stop();
  });

  for (const count of counts) {
    it(`signs ${count} digests as ethers does, and knows who signed`, async () => {
      const digests = Array.from({ length: count }, someDigest);
      const signatures = await signMany(thread, digests);
      const expected = digests.map((digest, i) =>
        plainCurve.signer(keyOf(i))(digest),
      );
      expect(signatures).to.deep.equal(expected);
      const signers = await Promise.all(
        digests.map(
          async (digest, i) =>
            await thread.recover(digest, parseSignature(signatures[i])),
        ),
      );
      const accounts = digests.map((_, i) =>
        publishedAccount(i % 5).address.toLowerCase(),
      );
      expect(signers).to.deep.equal(accounts);
    });
  }

  it("says that nobody made a signature that nobody can have made", async () => {
    const one = parseBytes32(`0x${"00".repeat(31)}01`);
    const five = parseBytes32(`0x${"00".repeat(31)}05`);
    const zero = parseBytes32(`0x${"00".repeat(32)}`);
    // There is no point with 5 as its x, and 0 is out of range.
    const signers = await Promise.all(
      [five, zero].map(
        async (r) => await thread.recover(someDigest(), { r, vs: one }),
      ),
    );
    expect(signers).to.deep.equal([undefined, undefined]);
  });

  it("does all that is asked for when it is stopped meanwhile", async () => {
    const digests = Array.from({ length: 50 }, someDigest);
    const before = signMany(thread, digests);
    await new Promise((resolve) => setImmediate(resolve));
    const stopped = thread.stop();
    const after = signMany(thread, digests);
    await stopped;
    expect(await before).to.deep.equal(await after);
  });
});
