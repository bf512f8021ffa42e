import {
  AbiCoder,
  concat,
  dataLength,
  getAddress,
  getCreate2Address,
  getCreateAddress,
  id,
  keccak256,
  toBeHex,
  zeroPadValue,
} from "ethers";

import type { GroupDescription } from "../../node/groups/genesis.ts";
import { readArtifact } from "./artifacts.ts";
import type { Artifact } from "./artifacts.ts";

/**
 * The deterministic deployment proxy: it deploys what it is sent with CREATE2, so that the same bytes get the same
 * address on every chain. It got its own address from a transaction whose signature is made up, so nobody holds a key
 * for it, and which names no chain, so that it can be sent to any.
 */
export const deploymentProxy = {
  address: "0x4e59b44847b379578588920cA78FbF26c0B4956C",
  code: "0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3",
  signer: "0x3fAB184622Dc19b6109349B94811493BF2a45362",
  gasPrice: 100_000_000_000n,
  /** What the signed transaction can cost at most: 100,000 gas at 100 gwei. */
  funding: 10_000_000_000_000_000n,
  transaction:
    "0xf8a58085174876e800830186a08080b853604580600e600039806000f350fe7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf31ba02222222222222222222222222222222222222222222222222222222222222222a02222222222222222222222222222222222222222222222222222222222222222",
} as const;

/** Enters the addresses of both factories. It must never change: the addresses are the same for everybody. */
export const ledgerSalt = id("hardhat-sequencer");

/** A contract with an address known beforehand. */
export interface LedgerContract {
  readonly address: string;
  /** The contract that its constructor creates and that it clones. */
  readonly implementation: string;
  /** The code that it has once it is there. */
  readonly code: string;
  /** What the deployment proxy must be sent. */
  readonly deployData: string;
}

/** What a group is made of; members ascend. */
export interface GroupConfig {
  readonly members: readonly string[];
  readonly threshold: number;
  readonly externalCalls: boolean;
}

/** A group to create. */
export interface GroupRequest {
  readonly name: string;
  readonly config: GroupConfig;
  readonly salt: string;
  /** What nodes have to know of it, and the salt commits to; undefined for a group without nodes. */
  readonly description: GroupDescription | undefined;
}

/** Where the factories are on every chain, and what is there. */
export function ledgerContracts(): {
  factory: LedgerContract;
  atomFactory: LedgerContract;
} {
  return {
    factory: ledgerContract(readArtifact("PrivacyGroupFactory")),
    atomFactory: ledgerContract(readArtifact("AtomFactory")),
  };
}

function ledgerContract(artifact: Artifact): LedgerContract {
  const address = getCreate2Address(
    deploymentProxy.address,
    ledgerSalt,
    keccak256(artifact.bytecode),
  );
  const implementation = implementationOf(address);
  return {
    address,
    implementation,
    code: codeWithImplementation(artifact, implementation),
    deployData: concat([ledgerSalt, artifact.bytecode]),
  };
}

/** The first contract that a factory creates, in its constructor. */
export function implementationOf(factory: string): string {
  return getCreateAddress({ from: factory, nonce: 1 });
}

/** The code of a factory at any address, as deployed from our bytecode. */
export function factoryCode(address: string): string {
  return codeWithImplementation(
    readArtifact("PrivacyGroupFactory"),
    implementationOf(address),
  );
}

/** Both factories have one immutable, the address of their implementation. */
function codeWithImplementation(
  { deployedBytecode, immutableReferences }: Artifact,
  implementation: string,
): string {
  const word = zeroPadValue(implementation, 32).slice(2).toLowerCase();
  return Object.values(immutableReferences)
    .flat()
    .map(({ start }) => 2 + start * 2)
    .reduce(
      (code, at) => code.slice(0, at) + word + code.slice(at + word.length),
      deployedBytecode,
    );
}

/** The code of a group: a minimal proxy, followed by the committee (Committees.sol). */
export function groupCode(
  implementation: string,
  { members, threshold, externalCalls }: GroupConfig,
): string {
  return concat([
    "0x363d3d373d3d3d363d73",
    implementation,
    "0x5af43d82803e903d91602b57fd5bf3",
    toBeHex(externalCalls ? 1 : 0, 1),
    toBeHex(threshold, 1),
    ...members.map((member) => zeroPadValue(member, 32)),
  ]);
}

/** Where our factory puts a group: `PrivacyGroupFactory.groupAddress`, for a chain where it is not yet. */
export function groupAddress(
  factory: string,
  creator: string,
  config: GroupConfig,
  salt: string,
): string {
  const code = groupCode(implementationOf(factory), config);
  const initCode = concat([
    "0x61",
    toBeHex(dataLength(code), 2),
    "0x3d81600a3d39f3",
    code,
  ]);
  const ownSalt = keccak256(
    AbiCoder.defaultAbiCoder().encode(["address", "bytes32"], [creator, salt]),
  );
  return getAddress(getCreate2Address(factory, ownSalt, keccak256(initCode)));
}
