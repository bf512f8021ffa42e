import { expect } from "chai";
import { TypedDataEncoder } from "ethers";
import fc from "fast-check";

import {
  approvalDigest,
  committeeChangeDigest,
  hashTransition,
  ledgerDomain,
  transitionDigest,
  typedDataTypes,
  walletDomain,
} from "../../src/ledger/index.ts";
import {
  anyAddress,
  anyCommitteeChange,
  anyTransition,
} from "../helpers/ledger-arbitraries.ts";

const numRuns = 1_000;

const anyDomain = fc
  .record({
    chainId: fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }),
    group: anyAddress,
  })
  .map(ledgerDomain);

/** ethers wants arrays that it could write to. */
type MutableTypes = Record<string, { name: string; type: string }[]>;
const typesOf = (primary: keyof typeof typedDataTypes): MutableTypes =>
  Object.fromEntries(
    Object.entries(typedDataTypes[primary]).map(([name, fields]) => [
      name,
      [...fields],
    ]),
  );

describe("ledger: typed data", function () {
  this.timeout(60_000);

  it("hashes transitions as ethers does", function () {
    const types = typesOf("Transition");
    fc.assert(
      fc.property(anyDomain, anyTransition, (domain, transition) => {
        expect(hashTransition(transition)).to.equal(
          TypedDataEncoder.hashStruct("Transition", types, transition),
        );
        expect(transitionDigest(domain, transition)).to.equal(
          TypedDataEncoder.hash(walletDomain(domain), types, transition),
        );
      }),
      { numRuns },
    );
  });

  it("hashes approvals as ethers does", function () {
    const types = typesOf("Approval");
    fc.assert(
      fc.property(
        anyDomain,
        anyTransition,
        anyAddress,
        (domain, transition, delegate) => {
          expect(approvalDigest(domain, transition, delegate)).to.equal(
            TypedDataEncoder.hash(walletDomain(domain), types, {
              delegate,
              transition,
            }),
          );
        },
      ),
      { numRuns },
    );
  });

  it("hashes committee changes as ethers does", function () {
    const types = typesOf("CommitteeChange");
    fc.assert(
      fc.property(anyDomain, anyCommitteeChange, (domain, change) => {
        expect(committeeChangeDigest(domain, change)).to.equal(
          TypedDataEncoder.hash(walletDomain(domain), types, change),
        );
      }),
      { numRuns },
    );
  });

  it("leaves nothing behind in its buffers", function () {
    fc.assert(
      fc.property(
        anyDomain,
        anyTransition,
        anyTransition,
        anyCommitteeChange,
        (domain, a, b, change) => {
          const first = transitionDigest(domain, a);
          const before = committeeChangeDigest(domain, change);
          transitionDigest(domain, b);
          committeeChangeDigest(domain, {
            ...change,
            members: change.members.slice(1),
          });
          expect(transitionDigest(domain, a)).to.equal(first);
          expect(committeeChangeDigest(domain, change)).to.equal(before);
        },
      ),
    );
  });

  it("refuses a chain id that is no uint256", function () {
    const group = fc.sample(anyAddress, 1)[0];
    if (group === undefined) throw new Error("fast-check gave no sample");
    for (const chainId of [-1n, 1n << 256n]) {
      expect(() => ledgerDomain({ chainId, group }))
        .to.throw()
        .with.property("code", "INVALID_VALUE");
    }
  });
});
