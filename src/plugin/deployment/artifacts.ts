import { readFileSync } from "node:fs";

/** The parts of a published artifact that deployment needs. */
export interface Artifact {
  readonly contractName: string;
  readonly sourceName: string;
  readonly bytecode: string;
  readonly deployedBytecode: string;
  readonly immutableReferences: Readonly<
    Record<string, readonly { readonly start: number }[]>
  >;
}

/** The compiler and its input, from which anybody can make the artifacts again. */
export interface CompilerInput {
  readonly version: string;
  readonly input: object;
}

// The same path leads to the artifacts from src/ and from dist/.
const folder = new URL("../../../dist/artifacts/", import.meta.url);

function read(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`${name}.json`, folder), "utf8"));
}

/** The artifact of a published contract. */
export function readArtifact(
  name: "PrivacyGroup" | "PrivacyGroupFactory" | "Atom" | "AtomFactory",
): Artifact {
  return read(name) as Artifact;
}

/** What a block explorer needs to compile the published contracts. */
export function readCompilerInput(): CompilerInput {
  return read("compiler") as CompilerInput;
}
