import type { NetworkConnection } from "hardhat/types/network";

import { parseAddress } from "../../ledger/index.ts";
import { Cluster } from "../../cluster/cluster.ts";
import { builtInDomains } from "../../domains/built-in.ts";
import { reasonOf } from "../../host/parts.ts";
import { Random } from "../../simulation/random.ts";
import { accountsFor } from "../accounts.ts";
import { chainClientsOf } from "../chain-clients.ts";
import type { SequencerConfig } from "../config.ts";
import { ensureFactory } from "../deployment/ensure-factory.ts";
import { SequencerError } from "../errors.ts";
import { faucetOf } from "../faucet.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { TestCluster } from "./cluster.ts";
import { History } from "./history.ts";
import { type Ask, Mining } from "./mining.ts";
import { readStartOptions } from "./options.ts";
import type { RequestGate } from "./request-gate.ts";
import { Sabotage } from "./sabotage.ts";
import type { ClusterStartOptions } from "./types.ts";
import { Waits } from "./waits.ts";

/** Starts nodes on a connection. */
export async function openCluster(
  connection: NetworkConnection<string>,
  config: SequencerConfig,
  options: ClusterStartOptions,
  gate: RequestGate,
): Promise<TestCluster> {
  const start = readStartOptions(options, config, builtInDomains);
  const { networkName: network, networkConfig, provider } = connection;
  const ask: Ask = async (method, ...params): Promise<unknown> =>
    await gate.enter(
      async () => (await provider.request({ method, params })) as unknown,
    );
  // Tests send from the first accounts, and two who send from one account take each other's nonces.
  const accounts = await accountsFor(connection, start.nodes.length, "last");
  const factory = await ensureFactory(
    connection,
    config.networks[network]?.factory,
    () => undefined,
  );
  const chainId = BigInt(String(await ask("eth_chainId")));
  const clients = await chainClientsOf(connection, config.networks[network]);
  // For the users of nodes, and for the faucet.
  const client = clients.open();
  const sabotage = new Sabotage();
  const waits = new Waits();
  const failures = new Map<string, Error>();
  const { path: dataDir, remove } = temporaryDirectory();
  const cluster = new Cluster(
    {
      names: start.nodes,
      chainId,
      factory: parseAddress(factory),
      settings: start.settings,
      dataDir,
    },
    {
      openClient: clients.open,
      keys: accounts.map(({ privateKey }) => privateKey),
      domains: start.domains,
      wrapPayer: (name, payer) => sabotage.wrap(name, payer),
      usersClient: client,
      faucet: faucetOf(client),
      draw: new Random(start.seed, "network"),
      onFact: (name, fact) => {
        if (fact.type === "Started") failures.delete(name);
      },
      onFatal: (name, error) => {
        const reason =
          error instanceof Error ? error : new Error(String(error));
        failures.set(name, reason);
        waits.fail(
          name,
          new SequencerError(
            "NODE_STOPPED",
            { node: name, reason: reason.message },
            reason,
          ),
        );
      },
    },
  );
  const simulated =
    networkConfig.type === "edr-simulated"
      ? {
          mining: new Mining(
            { configured: networkConfig.mining, blockMs: start.blockMs },
            { ask },
          ),
          history: new History({ ask }),
        }
      : undefined;
  const running = new TestCluster(
    {
      network,
      factory,
      threshold: start.threshold,
      addresses: new Map(
        start.nodes.map((name, i) => [name, accounts[i]?.address ?? ""]),
      ),
      dataDir,
    },
    {
      cluster,
      sabotage,
      waits,
      simulated,
      headOf: async () =>
        Number(await ask("eth_blockNumber")) - start.settings.confirmations,
      failures,
      detached: (run) => {
        gate.leave(run);
      },
      clean: async () => {
        await client.close();
        remove();
      },
    },
  );
  try {
    await simulated?.mining.start();
    await simulated?.history.start(clients.open());
    cluster.start();
  } catch (error) {
    await running.stop();
    throw reasonOf(error);
  }
  return running;
}
