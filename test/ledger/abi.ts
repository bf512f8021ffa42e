import { expect } from "chai";
import { Interface, type InterfaceAbi } from "ethers";
import hre from "hardhat";

import {
  atomAbi,
  atomFactoryAbi,
  privacyGroupAbi,
  privacyGroupFactoryAbi,
} from "../../src/ledger/index.ts";

/** Every entry in full, sorted; a constructor without arguments says nothing. */
function entries(abi: InterfaceAbi): string[] {
  return new Interface(abi)
    .format()
    .filter((entry) => entry !== "constructor()")
    .sort();
}

describe("ledger: ABI", function () {
  const pairs = [
    ["PrivacyGroup", privacyGroupAbi],
    ["PrivacyGroupFactory", privacyGroupFactoryAbi],
    ["AtomFactory", atomFactoryAbi],
    ["Atom", atomAbi],
  ] as const;

  for (const [name, abi] of pairs) {
    it(`has every entry of ${name} and no other`, async function () {
      const artifact = await hre.artifacts.readArtifact(name);
      expect(entries(abi)).to.deep.equal(entries(artifact.abi));
    });
  }

  it("covers the interfaces", async function () {
    const implementations = {
      IPrivacyGroup: privacyGroupAbi,
      IPrivacyGroupFactory: privacyGroupFactoryAbi,
      IAtomFactory: atomFactoryAbi,
    };
    for (const [name, abi] of Object.entries(implementations)) {
      const artifact = await hre.artifacts.readArtifact(name);
      expect(entries(abi)).to.include.members(entries(artifact.abi));
    }
  });
});
