import { HardhatError } from "@nomicfoundation/hardhat-errors";
import type { HardhatEthers } from "@nomicfoundation/hardhat-ethers/types";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import type { NetworkConnection } from "hardhat/types/network";

import { SequencerError } from "../errors.ts";

/** A connection of Hardhat, with ethers. */
export type Connection = NetworkConnection & { readonly ethers: HardhatEthers };

/** By what one chain is told from another. */
export interface ChainFacts {
  readonly chainId: number;
  /** The hash of the first block. */
  readonly genesis: string;
}

/** Connects with the network that the user chose. A simulated one is new, mines at once, and also when nothing is to do. */
export async function connect(
  hre: HardhatRuntimeEnvironment,
  { blockTimeMs }: { readonly blockTimeMs: number },
): Promise<Connection> {
  const { network } = hre.globalOptions;
  if (hre.config.networks[network]?.type !== "edr-simulated")
    return await hre.network.create();
  const connection = await hre.network.create({
    network,
    override: { mining: { auto: true, interval: blockTimeMs } },
  });
  // Every node listens to it.
  connection.provider.setMaxListeners(0);
  return connection;
}

/** Asks the chain who it is. It is the first question, so a chain that does not answer is found out here. */
export async function askChain({
  provider,
  networkName: network,
}: Connection): Promise<ChainFacts> {
  try {
    const ask = async (
      method: string,
      ...params: unknown[]
    ): Promise<unknown> => await provider.request({ method, params });
    const chainId = await ask("eth_chainId");
    const first = await ask("eth_getBlockByNumber", "0x0", false);
    return {
      chainId: Number(chainId),
      genesis: String(Reflect.get(Object(first), "hash")),
    };
  } catch (error) {
    const { CONNECTION_REFUSED, NETWORK_TIMEOUT } =
      HardhatError.ERRORS.CORE.NETWORK;
    const isOurs =
      !HardhatError.isHardhatError(error) ||
      HardhatError.isHardhatError(error, CONNECTION_REFUSED) ||
      HardhatError.isHardhatError(error, NETWORK_TIMEOUT);
    if (!isOurs || !(error instanceof Error)) throw error;
    const reason = error.message.split("\n", 1)[0] ?? "";
    throw new SequencerError("NETWORK_UNREACHABLE", { network, reason }, error);
  }
}
