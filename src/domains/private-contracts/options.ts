import { DomainRefusal, type GroupPlan } from "../domain.ts";
import { bounds } from "./bounds.ts";

/** Rules of the EVM, as compilers name them; oldest first. */
export const evmVersions = [
  "london",
  "paris",
  "shanghai",
  "cancun",
  "prague",
  "osaka",
] as const;
export type EvmVersion = (typeof evmVersions)[number];

/** What the creator of a group chose. */
export interface ContractOptions {
  readonly evmVersion: EvmVersion;
  /** Whether private contracts may have public ones called. */
  readonly externalCalls: boolean;
  /** Of one transaction. */
  readonly gasLimit: bigint;
}

/** Reads the settings of a group. Throws a {@link DomainRefusal} for what makes no sense. */
export function readOptions({
  configuration,
}: Pick<GroupPlan, "configuration">): ContractOptions {
  const {
    evmVersion = "shanghai",
    externalCallsEnabled = "false",
    gasLimit,
    ...others
  } = configuration;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw new DomainRefusal(
      `Private contracts have no setting "${unknown}". They have: evmVersion, externalCallsEnabled, gasLimit.`,
    );
  const version = readVersion(evmVersion);
  return {
    evmVersion: version,
    externalCalls: readFlag(externalCallsEnabled),
    gasLimit: readGasLimit(gasLimit, version),
  };
}

function readVersion(text: string): EvmVersion {
  const version = evmVersions.find((name) => name === text);
  if (version === undefined)
    throw new DomainRefusal(
      `evmVersion is one of ${evmVersions.join(", ")}, not "${text}".`,
    );
  return version;
}

function readFlag(text: string): boolean {
  if (text !== "true" && text !== "false")
    throw new DomainRefusal(
      `externalCallsEnabled is "true" or "false", not "${text}".`,
    );
  return text === "true";
}

function readGasLimit(text: string | undefined, version: EvmVersion): bigint {
  const isOsaka = version === "osaka";
  const max = isOsaka ? bounds.gasLimitOsaka : bounds.gasLimitMax;
  if (text === undefined) return isOsaka ? max : bounds.gasLimit;
  const gasLimit = /^[1-9][0-9]{0,15}$/.test(text) ? BigInt(text) : 0n;
  if (gasLimit === 0n || gasLimit > max)
    throw new DomainRefusal(
      `gasLimit is a whole number from 1 to ${max}${isOsaka ? " by the rules of osaka" : ""}, not "${text}".`,
    );
  return gasLimit;
}
