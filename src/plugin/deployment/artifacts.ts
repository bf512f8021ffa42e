import { readPublished } from "../../package-files.ts";

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

/** The artifact of a published contract. */
export function readArtifact(
  name: "PrivacyGroup" | "PrivacyGroupFactory" | "Atom" | "AtomFactory",
): Artifact {
  return readPublished(name) as Artifact;
}

/** What a block explorer needs to compile the published contracts. */
export function readCompilerInput(): CompilerInput {
  return readPublished("compiler") as CompilerInput;
}
