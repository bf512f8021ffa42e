import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import type { NetworkConnection } from "hardhat/types/network";

import { SequencerError } from "../../src/plugin/errors.ts";
import { type ChainClient, ChainError } from "../../src/chain/ports.ts";

/** A connection of Hardhat. */
export type Connection = NetworkConnection;

/** By what one chain is told from another. */
export interface ChainFacts {
  readonly chainId: number;
  /** The hash of the first block. */
  readonly genesis: string;
}

/** Connects with the network that the user chose. A simulated one is new. */
export async function connect(
  hre: HardhatRuntimeEnvironment,
): Promise<Connection> {
  const connection = await hre.network.create();
  // Every node listens to it.
  connection.provider.setMaxListeners(0);
  return connection;
}

/** Hardhat waits for answers of a chain that may never give one. */
const closeMs = 1_000;

/** Closes a connection, but does not wait for a chain that does not answer. */
export async function disconnect(connection: Connection): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, closeMs);
  });
  try {
    await Promise.race([connection.close(), patience]);
  } finally {
    clearTimeout(timer);
  }
}

/** A chain that has just started, or is busy, may not answer the first question in time. */
const ATTEMPTS_MAX = 4;

/** Asks the chain who it is. It is the first question, so a chain that does not answer is found out here. */
export async function askChain(
  { networkName: network }: Pick<Connection, "networkName">,
  client: ChainClient,
): Promise<ChainFacts> {
  for (let attempt = 1; ; attempt++)
    try {
      return await askOnce(client);
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      if (error.isLate && attempt < ATTEMPTS_MAX) continue;
      const reason = (error.message.split("\n", 1)[0] ?? "").replace(/\.$/, "");
      const details = { network, reason };
      throw new SequencerError("NETWORK_UNREACHABLE", details, error);
    }
}

async function askOnce(client: ChainClient): Promise<ChainFacts> {
  const chainId = await client.request("eth_chainId", []);
  const first = await client.request("eth_getBlockByNumber", ["0x0", false]);
  return {
    chainId: Number(chainId),
    genesis: String(Reflect.get(Object(first), "hash")),
  };
}
