import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import {
  executeAll,
  requireFunds,
  settle,
  tellPresent,
} from "../../src/plugin/deployment/carry-out.ts";
import type { Tell } from "../../src/plugin/deployment/carry-out.ts";
import { Chain } from "../../src/plugin/deployment/chain.ts";
import type { Execution } from "../../src/plugin/deployment/execute.ts";
import type { Deployment } from "../../src/plugin/deployment/facts.ts";
import { parseAddress } from "../../src/plugin/deployment/parse-address.ts";
import { plan, stepsOf } from "../../src/plugin/deployment/plan.ts";
import type { Item } from "../../src/plugin/deployment/plan.ts";
import { priceOf } from "../../src/plugin/deployment/price.ts";
import { rehearse } from "../../src/plugin/deployment/rehearse.ts";
import { chooseSender } from "../../src/plugin/deployment/sender.ts";
import { survey } from "../../src/plugin/deployment/survey.ts";
import { SequencerError } from "../../src/plugin/errors.ts";
import { describe } from "./describe.ts";
import { parseOptions } from "./options.ts";
import type { DeployOptions, DeployRequest } from "./options.ts";
import { explorerOf, verifiables, verify } from "./verify.ts";
import type { Etherscan, Patience } from "./verify.ts";

/** Everything that is known before the first transaction. */
interface Prepared {
  readonly request: DeployRequest;
  readonly chain: Chain;
  readonly execution: Execution;
  readonly explorer: Etherscan | undefined;
  readonly items: readonly Item[];
  readonly deployment: Deployment;
}

/** How long to wait before asking an explorer again. Etherscan allows a few requests per second. */
const explorerPauseMs = 1000;

/**
 * Brings the ledger onto the network of this environment. Everything is checked before the first transaction, what is
 * there already is left alone, and running again continues where an earlier run stopped.
 */
export async function deployLedger(
  hre: HardhatRuntimeEnvironment,
  options: DeployOptions,
  tell: Tell,
  { pauseMs = explorerPauseMs }: { pauseMs?: number } = {},
): Promise<Deployment> {
  const request = parseOptions(options, hre.config.sequencer.peers);
  const prepared = await prepare(hre, request, tell);
  const { chain, execution, explorer, items } = prepared;
  await checkCosts(prepared, tell);
  const sent = request.dryRun
    ? { transactions: [], gasUsed: 0n }
    : await executeAll(chain, items, execution, tell);
  const deployment = { ...prepared.deployment, ...sent };
  if (explorer !== undefined && !request.dryRun)
    await verifyAll(
      explorer,
      deployment,
      { timeoutMs: request.timeoutMs, pauseMs },
      tell,
    );
  tell({ type: "deployment", ...deployment });
  return deployment;
}

async function prepare(
  hre: HardhatRuntimeEnvironment,
  request: DeployRequest,
  tell: Tell,
): Promise<Prepared> {
  const connection = await hre.network.getOrCreate();
  const network = connection.networkName;
  const { factory, groups = {} } = hre.config.sequencer.networks[network] ?? {};
  const chain = new Chain(connection);
  const chainId = await chain.id();
  const explorer = request.verify ? await explorerOf(connection) : undefined;
  const sender = await chooseSender(chain, { network, from: request.from });
  const { timeoutMs, confirmations } = request;
  const execution = { network, sender, timeoutMs, confirmations };
  const balance = await chain.balanceOf(sender);
  tell({ type: "network", network, chainId, sender, balance });
  if (!request.dryRun) await settle(chain, execution, tell);

  const found = await survey(chain, {
    network,
    sender,
    configuredFactory:
      factory && parseAddress(`sequencer.networks.${network}.factory`, factory),
    group: request.group,
  });
  const items = plan(found);
  const deployment = describe(found, {
    network,
    chainId,
    sender,
    isDryRun: request.dryRun,
    isTemporary: connection.networkConfig.type === "edr-simulated",
    groups,
  });
  if (explorer !== undefined && !found.factory.isOurs)
    throw new SequencerError("VERIFY_OTHER_FACTORY", {
      address: found.factory.address,
    });
  if (deployment.group !== null) tell({ type: "group", ...deployment.group });
  return { request, chain, execution, explorer, items, deployment };
}

/** Tells the costs in a dry run; otherwise only makes sure that the sender can pay them. */
async function checkCosts(
  { request, chain, execution, items }: Prepared,
  tell: Tell,
): Promise<void> {
  const { sender: address, network } = execution;
  const steps = stepsOf(items);
  const gas = steps.length > 0 ? await rehearse(request.group) : {};
  const balance = await chain.balanceOf(address);
  const price = priceOf(steps, gas, { fees: await chain.fees(), network });
  if (request.dryRun) {
    for (const item of items) {
      tellPresent(item, tell);
      for (const { name } of item.steps) {
        const step = price.steps.find((priced) => priced.name === name);
        if (step !== undefined) tell({ type: "planned", ...step });
      }
    }
    tell({ type: "estimate", ...price.total, balance });
  } else {
    requireFunds(execution, { have: balance, need: price.total.needed });
  }
}

/** Verifies everything, and only then complains about what could not be. */
async function verifyAll(
  explorer: Etherscan,
  { factory, atomFactory, network }: Deployment,
  patience: Patience,
  tell: Tell,
): Promise<void> {
  const failures: string[] = [];
  for (const { contract, address } of verifiables(factory, atomFactory)) {
    const verdict = await verify(explorer, { contract, address }, patience);
    tell({ type: "verification", contract, address, ...verdict });
    if (verdict.status === "failed")
      failures.push(`${contract} (${verdict.reason})`);
  }
  if (failures.length > 0)
    throw new SequencerError("VERIFY_FAILED", {
      contracts: failures.join(", "),
      network,
    });
}
