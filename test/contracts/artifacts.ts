import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

import { expect } from "chai";
import hre from "hardhat";

/**
 * Hashes of the bytecode that we publish. They change with the contracts, the compiler, or its settings, and with them
 * every address that `sequencer:deploy` predicts: that is a new version, never an accident.
 */
const published: Readonly<Record<string, string>> = {
  Atom: "8ab610adb299238175295c77a6c138be5399b344fe4930f4dcd585866ff6c1a5",
  AtomFactory:
    "83e0114aec9446e147189a282ccd12a0aedb68ac2beda15c36c6e910c289188c",
  PrivacyGroup:
    "0c2896d89f06bf29e4fb5654aa8d515d7709961562345792c4a7c7d06f74b328",
  PrivacyGroupFactory:
    "fd60323140b21624e6d78b416fd157e25bdc672384b34d4b0bc607e4f954e17b",
};

interface Artifact {
  readonly abi: readonly unknown[];
  readonly bytecode: string;
  readonly deployedBytecode: string;
}

function readPublished(name: string): Artifact {
  const file = new URL(`../../dist/artifacts/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")) as Artifact;
}

describe("published artifacts", () => {
  for (const [name, hash] of Object.entries(published)) {
    it(`holds the ${name} that the tests run against, and the one that was released`, async () => {
      const tested = await hre.artifacts.readArtifact(name);
      const { abi, bytecode, deployedBytecode } = readPublished(name);
      expect(bytecode).to.equal(tested.bytecode);
      expect(deployedBytecode).to.equal(tested.deployedBytecode);
      expect(abi).to.deep.equal(tested.abi);
      expect(createHash("sha256").update(bytecode).digest("hex")).to.equal(
        hash,
      );
    });
  }
});
