import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

import { expect } from "chai";
import hre from "hardhat";

/**
 * Hashes of the bytecode that we publish. They change with the contracts, the compiler, or its settings, and with them
 * every address that `sequencer:deploy` predicts: that is a new version, never an accident.
 */
const published: Readonly<Record<string, string>> = {
  Atom: "78d6a9d738e969550d189a730289e0d96898a8a8670a5434da0e239b17ebf3e5",
  AtomFactory:
    "0c92447aa5fedaa74d92c3e715b3b5aaeb3677b6b80cac3bdf61848dff855caa",
  PrivacyGroup:
    "c6691f219a1af035deec4157b1049458c7b1b5d1e5137d02b77fd42c256849ea",
  PrivacyGroupFactory:
    "21ab62489880e851c2b346ffefff6f251b3ec1fc2311a97f1884e35a3070c205",
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
