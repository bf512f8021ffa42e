import { hash } from "node:crypto";

/** A chain and a factory on it, as 64 hexadecimal digits. Nodes with another one have nothing to say to each other. */
export type NetworkId = string;

export const networkBytes = 32;

/** The network of the nodes that work with one factory on one chain. */
export function networkIdOf(options: {
  readonly chainId: bigint;
  /** An address, in letters of any case. */
  readonly factory: string;
}): NetworkId {
  const factory = options.factory.toLowerCase();
  return hash(
    "sha256",
    `hardhat-sequencer network\0${options.chainId}\0${factory}`,
  );
}
