import { executeAll, requireFunds, settle } from "./carry-out.ts";
import type { Tell } from "./carry-out.ts";
import type { ChainConnection } from "./chain.ts";
import { Chain } from "./chain.ts";
import { parseAddress } from "./parse-address.ts";
import { plan, stepsOf } from "./plan.ts";
import { priceOf } from "./price.ts";
import { rehearse } from "./rehearse.ts";
import { chooseSender } from "./sender.ts";
import { survey } from "./survey.ts";

/** How long one transaction may take. */
const timeoutMs = 300_000;

/**
 * The address of the factory of groups: the one that the configuration names, or the one that is the same on every chain,
 * which is deployed by the network's first account if it is not there.
 */
export async function ensureFactory(
  connection: ChainConnection & { readonly networkName: string },
  configuredFactory: string | undefined,
  tell: Tell,
): Promise<string> {
  const { networkName: network, networkConfig } = connection;
  const chain = new Chain(connection);
  const sender = await chooseSender(chain, { network, from: undefined });
  const found = await survey(chain, {
    network,
    sender,
    configuredFactory:
      configuredFactory &&
      parseAddress(`sequencer.networks.${network}.factory`, configuredFactory),
    group: undefined,
  });
  const items = plan(found).filter(({ name }) => name !== "atomFactory");
  const steps = stepsOf(items);
  if (steps.length === 0) return found.factory.address;
  const execution = { network, sender, timeoutMs, confirmations: 1 };
  // Accounts of a simulated chain are rich, and nobody else sends from them.
  if (networkConfig.type === "http") {
    await settle(chain, execution, tell);
    const fees = await chain.fees();
    const price = priceOf(steps, await rehearse(undefined), { fees, network });
    const have = await chain.balanceOf(sender);
    requireFunds(execution, { have, need: price.total.needed });
  }
  await executeAll(chain, items, execution, tell);
  return found.factory.address;
}
