import hre from "hardhat";

import { openChainClient } from "../../src/chain/client/open.ts";
import type { ChainClient } from "../../src/chain/ports.ts";
import {
  type Node,
  startAnvil,
  startHardhatNode,
} from "../../test/plugin/helpers/processes.ts";
import {
  openTestLedger,
  type TestLedger,
} from "../../test/helpers/runtime-ledger.ts";

/** How a chain makes blocks: one for each transaction at once, or one every so many milliseconds of all that wait. */
export type Mining = "automine" | number;

/** Where the ledger is: Hardhat's own chain in this process, `npx hardhat node`, or Anvil; the latter over HTTP. */
export const chainNames = ["in-process", "hardhat-node", "anvil"] as const;
export type ChainName = (typeof chainNames)[number];

/** A chain that only this benchmark uses, with a factory on it. */
export interface BenchChain {
  readonly name: ChainName;
  /** Undefined if it is in this process. */
  readonly url: string | undefined;
  readonly client: ChainClient;
  readonly ledger: TestLedger;
  /** Another connection, as every node has one of its own. */
  readonly openClient: () => ChainClient;
  readonly height: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

type Opened = Pick<BenchChain, "url" | "openClient" | "stop">;

/** Starts a chain. Rejects if it cannot be had. */
export async function openBenchChain(
  name: ChainName,
  mining: Mining,
): Promise<BenchChain> {
  const { url, openClient, stop } = await openers[name](mining);
  const client = openClient();
  // A chain that mines in this process does not keep the process alive by itself.
  const alive = setInterval(() => undefined, 1_000);
  const ledger = await openTestLedger(client);
  if (typeof mining === "number" && name !== "anvil") {
    await client.request("evm_setAutomine", [false]);
    await client.request("evm_setIntervalMining", [mining]);
  }
  return {
    name,
    url,
    client,
    ledger,
    openClient,
    height: async () => Number(await client.request("eth_blockNumber", [])),
    stop: async () => {
      clearInterval(alive);
      await client.close();
      await stop();
    },
  };
}

const openers: Readonly<
  Record<ChainName, (mining: Mining) => Promise<Opened>>
> = {
  "in-process": async () => {
    const connection = await hre.network.create();
    connection.provider.setMaxListeners(0);
    return {
      url: undefined,
      openClient: () => openChainClient(connection.provider),
      stop: async () => {
        await connection.close();
      },
    };
  },
  "hardhat-node": async () => overHttp(await startHardhatNode()),
  // A running Anvil counts in whole seconds; only when it starts it takes less.
  anvil: async (mining) =>
    overHttp(
      await startAnvil(
        undefined,
        mining === "automine" ? [] : ["--block-time", String(mining / 1_000)],
      ),
    ),
};

function overHttp({ url, stop }: Node): Opened {
  return { url, openClient: () => openChainClient(url), stop };
}
