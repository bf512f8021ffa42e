import { HardhatError } from "@nomicfoundation/hardhat-errors";
import { Interface } from "ethers";

import { PrivacyGroupFactory__factory } from "../../typechain/index.ts";
import { SequencerError } from "../errors.ts";
import {
  deploymentProxy,
  factoryCode,
  groupAddress,
  groupCode,
  ledgerContracts,
} from "./addresses.ts";
import type { LedgerContract } from "./addresses.ts";
import type { GroupRequest } from "./addresses.ts";
import type { Chain } from "./chain.ts";

/** What shall be on the chain. */
export interface Target {
  readonly network: string;
  readonly sender: string;
  /** The factory that the configuration names, if it names one. */
  readonly configuredFactory: string | undefined;
  readonly group: GroupRequest | undefined;
}

/** The factory that groups come from. */
export interface FoundFactory {
  readonly address: string;
  readonly implementation: string;
  readonly isConfigured: boolean;
  /** Whether its code is, or will be, what this version deploys. */
  readonly isOurs: boolean;
  readonly code: string;
}

/** A group, there or not. */
export interface FoundGroup {
  readonly request: GroupRequest;
  readonly address: string;
  readonly code: string;
  /** Only known for a factory of ours. */
  readonly expectedCode: string | undefined;
}

/** What is on the chain. */
export interface Survey {
  readonly network: string;
  readonly proxyCode: string;
  readonly proxySignerBalance: bigint;
  readonly proxySignerNonce: number;
  readonly contracts: { factory: LedgerContract; atomFactory: LedgerContract };
  readonly factory: FoundFactory;
  readonly atomFactoryCode: string;
  readonly group: FoundGroup | undefined;
}

export const noCode = "0x";
const factoryInterface = new Interface(PrivacyGroupFactory__factory.abi);

/** Looks at every address that matters. Sends nothing. */
export async function survey(chain: Chain, target: Target): Promise<Survey> {
  const contracts = ledgerContracts();
  const factory = await findFactory(chain, target);
  return {
    network: target.network,
    contracts,
    factory,
    proxyCode: await chain.codeAt(deploymentProxy.address),
    proxySignerBalance: await chain.balanceOf(deploymentProxy.signer),
    proxySignerNonce: await chain.nonceOf(deploymentProxy.signer),
    atomFactoryCode: await chain.codeAt(contracts.atomFactory.address),
    group: await findGroup(chain, factory, target),
  };
}

/** The factory that the configuration names, or the one that is the same on every chain, there or not. */
export async function findFactory(
  chain: Chain,
  { configuredFactory, network }: Pick<Target, "configuredFactory" | "network">,
): Promise<FoundFactory> {
  return configuredFactory === undefined
    ? await findOwnFactory(chain, ledgerContracts().factory)
    : await findConfiguredFactory(chain, configuredFactory, network);
}

async function findOwnFactory(
  chain: Chain,
  { address, implementation }: LedgerContract,
): Promise<FoundFactory> {
  const code = await chain.codeAt(address);
  return { address, implementation, isConfigured: false, isOurs: true, code };
}

async function findConfiguredFactory(
  chain: Chain,
  address: string,
  network: string,
): Promise<FoundFactory> {
  const code = await chain.codeAt(address);
  if (code === noCode)
    throw new SequencerError("FACTORY_NOT_FOUND", { address, network });
  const implementation = await askImplementation(chain, address, network);
  const isOurs = code === factoryCode(address);
  return { address, implementation, isConfigured: true, isOurs, code };
}

/** A group factory tells which contract it clones, and that contract is there. */
async function askImplementation(
  chain: Chain,
  address: string,
  network: string,
): Promise<string> {
  try {
    const implementation = await ask(chain, address, "implementation", []);
    if ((await chain.codeAt(implementation)) !== noCode) return implementation;
  } catch (cause) {
    if (HardhatError.isHardhatError(cause)) throw cause;
  }
  throw new SequencerError("FACTORY_INVALID", { address, network });
}

async function findGroup(
  chain: Chain,
  { address: factory, isOurs, implementation }: FoundFactory,
  { sender, group: request }: Target,
): Promise<FoundGroup | undefined> {
  if (request === undefined) return undefined;
  const { config, salt } = request;
  const address = isOurs
    ? groupAddress(factory, sender, config, salt)
    : await ask(chain, factory, "groupAddress", [sender, config, salt]);
  return {
    request,
    address,
    code: await chain.codeAt(address),
    expectedCode: isOurs ? groupCode(implementation, config) : undefined,
  };
}

/** Asks a factory for an address. */
async function ask(
  chain: Chain,
  factory: string,
  question: "implementation" | "groupAddress",
  values: readonly unknown[],
): Promise<string> {
  const data = factoryInterface.encodeFunctionData(question, values);
  const answer = await chain.call(factory, data);
  return String(factoryInterface.decodeFunctionResult(question, answer)[0]);
}
