import { SequencerError } from "../errors.ts";
import { Chain, type ChainConnection } from "./chain.ts";
import { parseAddress } from "./parse-address.ts";
import { findFactory, noCode } from "./survey.ts";

/** The address of the factory of groups, which must be there: nodes that start at the same time must not race for it. */
export async function requireFactory(
  connection: ChainConnection & { readonly networkName: string },
  configured: string | undefined,
): Promise<string> {
  const { networkName: network } = connection;
  const { address, code } = await findFactory(new Chain(connection), {
    network,
    configuredFactory:
      configured &&
      parseAddress(`sequencer.networks.${network}.factory`, configured),
  });
  if (code === noCode)
    throw new SequencerError("FACTORY_MISSING", { address, network });
  return address;
}
