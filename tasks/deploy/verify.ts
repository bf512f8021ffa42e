import { setTimeout } from "node:timers/promises";

import { HardhatError } from "@nomicfoundation/hardhat-errors";

import { implementationOf } from "../../src/plugin/deployment/addresses.ts";
import {
  readArtifact,
  readCompilerInput,
} from "../../src/plugin/deployment/artifacts.ts";
import { SequencerError } from "../../src/plugin/errors.ts";

/** The part of hardhat-verify's Etherscan that we use. The package is optional, so its types are not imported. */
export interface Etherscan {
  getApiKey(): Promise<string>;
  getContractUrl(address: string): Promise<string>;
  isVerified(address: string): Promise<boolean>;
  verify(args: {
    contractAddress: string;
    compilerInput: object;
    contractName: string;
    compilerVersion: string;
    constructorArguments: string;
  }): Promise<string>;
  customApiCall(
    params: Record<string, unknown>,
  ): Promise<{ readonly status: string; readonly result: unknown }>;
}

/** A contract to be verified. */
export interface Verifiable {
  readonly contract:
    "PrivacyGroupFactory" | "PrivacyGroup" | "AtomFactory" | "Atom";
  readonly address: string;
}

/** What the explorer said. */
export type Verdict =
  | { readonly status: "verified" | "already-verified"; readonly url: string }
  | { readonly status: "failed"; readonly reason: string };

/** How often to ask, and for how long. */
export interface Patience {
  readonly timeoutMs: number;
  readonly pauseMs: number;
}

/** The explorer of a network, ready for use: the package is installed, the chain is known, and there is a key. */
export async function explorerOf(connection: {
  readonly networkName: string;
}): Promise<Etherscan> {
  const network = connection.networkName;
  if (!hasVerification(connection))
    throw new SequencerError("VERIFY_NOT_INSTALLED", { network });
  const { etherscan } = connection.verification;
  try {
    await etherscan.getApiKey();
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    const reason = firstLine(cause);
    throw new SequencerError("VERIFY_NOT_CONFIGURED", { network, reason });
  }
  return etherscan;
}

function hasVerification<T extends object>(
  connection: T,
): connection is T & { verification: { etherscan: Etherscan } } {
  return "verification" in connection;
}

/** Everything of a deployment that has source code. Groups are minimal proxies: explorers recognise those. */
export function verifiables(
  factory: string,
  atomFactory: string | null,
): Verifiable[] {
  const withImplementation = (
    name: Verifiable["contract"],
    implementation: Verifiable["contract"],
    address: string,
  ): Verifiable[] => [
    { contract: name, address },
    { contract: implementation, address: implementationOf(address) },
  ];
  return [
    ...withImplementation("PrivacyGroupFactory", "PrivacyGroup", factory),
    ...(atomFactory === null
      ? []
      : withImplementation("AtomFactory", "Atom", atomFactory)),
  ];
}

/**
 * Verifies one contract with the input from which our artifacts were compiled, whatever compiler the project uses.
 */
export async function verify(
  etherscan: Etherscan,
  { contract, address }: Verifiable,
  patience: Patience,
): Promise<Verdict> {
  const url = await etherscan.getContractUrl(address);
  if (await etherscan.isVerified(address))
    return { status: "already-verified", url };
  const { sourceName } = readArtifact(contract);
  const { version, input } = readCompilerInput();
  const submit = async (): Promise<string> =>
    await etherscan.verify({
      contractAddress: address,
      compilerInput: input,
      contractName: `${sourceName}:${contract}`,
      compilerVersion: version,
      constructorArguments: "",
    });
  const deadline = performance.now() + patience.timeoutMs;
  try {
    const guid = await retry(submit, { ...patience, deadline });
    const result = await outcomeOf(etherscan, guid, { ...patience, deadline });
    if (/^pass/i.test(result)) return { status: "verified", url };
    if (/already verified/i.test(result))
      return { status: "already-verified", url };
    return { status: "failed", reason: result };
  } catch (error) {
    if (isError(error, "CONTRACT_ALREADY_VERIFIED"))
      return { status: "already-verified", url };
    if (HardhatError.isHardhatError(error))
      return { status: "failed", reason: firstLine(error) };
    throw error;
  }
}

interface Wait {
  readonly pauseMs: number;
  readonly deadline: number;
}

/** A fresh contract needs a while until the explorer knows it. */
async function retry(
  submit: () => Promise<string>,
  { pauseMs, deadline }: Wait,
): Promise<string> {
  for (;;) {
    try {
      return await submit();
    } catch (error) {
      const isEarly =
        isError(error, "CONTRACT_VERIFICATION_MISSING_BYTECODE") ||
        (HardhatError.isHardhatError(error) && isRateLimit(error.message));
      if (!isEarly || performance.now() >= deadline) throw error;
      await setTimeout(pauseMs);
    }
  }
}

/** The explorer's last word. hardhat-verify's own polling has no end, so we ask ourselves. */
async function outcomeOf(
  etherscan: Etherscan,
  guid: string,
  { pauseMs, deadline }: Wait,
): Promise<string> {
  for (;;) {
    const { result } = await etherscan.customApiCall({
      module: "contract",
      action: "checkverifystatus",
      guid,
    });
    const text = String(result);
    if (!/^pending/i.test(text) && !isRateLimit(text)) return text;
    if (performance.now() >= deadline)
      return "the explorer has not answered in time";
    await setTimeout(pauseMs);
  }
}

function isRateLimit(text: string): boolean {
  return /rate limit/i.test(text);
}

function isError(
  error: unknown,
  name: "CONTRACT_ALREADY_VERIFIED" | "CONTRACT_VERIFICATION_MISSING_BYTECODE",
): boolean {
  return HardhatError.isHardhatError(
    error,
    HardhatError.ERRORS.HARDHAT_VERIFY.GENERAL[name],
  );
}

function firstLine(error: Error): string {
  return error.message.split("\n", 1)[0] ?? error.message;
}
