import { expect } from "chai";
import fc from "fast-check";

import {
  atomFactoryInterface,
  byteLength,
  encodeApprove,
  encodeChangeCommittee,
  encodeCreateGroup,
  encodeExecute,
  encodeExecuteApproved,
  encodeExecuteAtom,
  type Endorsements,
  executeApprovedBytes,
  executeBytes,
  privacyGroupFactoryInterface,
  privacyGroupInterface,
} from "../../src/ledger/index.ts";
import {
  anyAddress,
  anyBytes32,
  anyCommitteeChange,
  anyTransition,
} from "../helpers/ledger-arbitraries.ts";

const anyEndorsements: fc.Arbitrary<Endorsements> = fc.record({
  signers: fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }),
  signatures: fc.array(fc.record({ r: anyBytes32, vs: anyBytes32 }), {
    maxLength: 4,
  }),
});

describe("ledger: calls", function () {
  this.timeout(60_000);

  it("are encoded as ethers does, and have the length that was foretold", function () {
    fc.assert(
      fc.property(
        anyTransition,
        anyEndorsements,
        anyAddress,
        (transition, endorsements, delegate) => {
          const execute = encodeExecute(transition, endorsements);
          expect(execute).to.equal(
            privacyGroupInterface.encodeFunctionData("execute", [
              transition,
              endorsements,
            ]),
          );
          expect(
            executeBytes(transition, endorsements.signatures.length),
          ).to.equal(byteLength(execute));
          const approved = encodeExecuteApproved(transition);
          expect(approved).to.equal(
            privacyGroupInterface.encodeFunctionData("executeApproved", [
              transition,
            ]),
          );
          expect(executeApprovedBytes(transition)).to.equal(
            byteLength(approved),
          );
          expect(encodeApprove(transition, delegate, endorsements)).to.equal(
            privacyGroupInterface.encodeFunctionData("approve", [
              transition,
              delegate,
              endorsements,
            ]),
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  it("to change a committee or create a group are encoded as ethers does", function () {
    fc.assert(
      fc.property(
        anyCommitteeChange,
        anyEndorsements,
        fc.boolean(),
        anyBytes32,
        (change, endorsements, externalCalls, salt) => {
          expect(encodeChangeCommittee(change, endorsements)).to.equal(
            privacyGroupInterface.encodeFunctionData("changeCommittee", [
              change,
              endorsements,
            ]),
          );
          const config = {
            members: change.members,
            threshold: change.threshold,
            externalCalls,
          };
          expect(encodeCreateGroup(config, salt)).to.equal(
            privacyGroupFactoryInterface.encodeFunctionData("createGroup", [
              config,
              salt,
            ]),
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  it("of an atom are encoded as ethers does", function () {
    fc.assert(
      fc.property(anyTransition, anyBytes32, ({ calls }, salt) => {
        expect(encodeExecuteAtom(calls, salt)).to.equal(
          atomFactoryInterface.encodeFunctionData("execute", [calls, salt]),
        );
      }),
    );
  });
});
