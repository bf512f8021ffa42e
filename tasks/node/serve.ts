import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import { stopThenClose } from "../../src/chain/client/stop.ts";
import type { Host } from "../../src/host/host.ts";
import type { Parts } from "../../src/host/parts.ts";
import { loadWallet } from "../../src/keys/wallet-file.ts";
import { databaseBytes } from "../../src/monitor/database-size.ts";
import { Monitor } from "../../src/monitor/monitor.ts";
import type { NodePorts } from "../../src/node/ports.ts";
import type { ReplicaSample } from "../../src/replica/options.ts";
import { dataDirErrorOf } from "../shared/data-dir-error.ts";
import { failureOf } from "../shared/failure.ts";
import { openRpc } from "../shared/rpc-servers.ts";
import { refuseLogged } from "../shared/store-log.ts";
import { createNodeHost, storeFileOf } from "./node-host.ts";
import type { NodeRequest } from "./options.ts";
import { type Prepared, prepare } from "./prepare.ts";
import type { NodeReporter, Reachable } from "./reporter.ts";
import { peersOf } from "./sockets.ts";
import { openStatusServer } from "./status-server.ts";

/** What serving needs of the world. */
export interface ServePorts {
  readonly hre: HardhatRuntimeEnvironment;
  readonly reporter: NodeReporter;
  /** The node cannot go on. */
  readonly onFatal: (error: unknown) => void;
  /** Gets everything that was opened. */
  readonly parts: Parts;
  readonly onBatch?: NodePorts["onBatch"];
}

/** Starts one node, or one replica of it, between its peers, the chain and its users. What was on its disk goes on. */
export async function serve(
  request: NodeRequest,
  ports: ServePorts,
): Promise<Reachable> {
  const { name } = request;
  const { hre } = ports;
  if (hre.config.sequencer.database === undefined)
    return await serveAlone(await prepare(request, ports), ports);
  const [{ databaseOf }, { serveReplica }] = await Promise.all([
    import("../shared/database.ts"),
    import("./serve-replica.ts"),
  ]);
  const database = await databaseOf(hre, name);
  return await serveReplica(await prepare(request, ports), database, ports);
}

/** The node is this process alone. */
async function serveAlone(
  prepared: Prepared,
  ports: ServePorts,
): Promise<Reachable> {
  const { request, servers } = prepared;
  const { reporter, parts, onBatch } = ports;
  const { name, directory } = request;
  refuseLoggedStore(prepared);
  const monitor = createMonitor(prepared, ports, { hostOf: () => node.host });
  const node = createNodeHost(prepared, {
    ...(onBatch !== undefined && { onBatch }),
    wallet: loadWallet({ directory }),
    onFact: (fact) => {
      monitor.see(fact);
      reporter.see(fact);
    },
    onFatal: (error) => {
      monitor.fail(error);
      ports.onFatal(failureOf(name, error));
    },
    report: reporter.report,
  });
  parts.openNow(name, () => node, node.close);
  try {
    node.host.start();
  } catch (error) {
    throw dataDirErrorOf(error, directory);
  }
  await parts.add(node.joinGroups());
  const status = await openStatusServer(
    { node: name, port: request.statusPort, ...servers.status },
    { monitor, report: reporter.report },
  );
  await parts.add(status.close);
  const { close, ...urls } = await openRpc(
    node.host,
    { port: request.rpcPort, index: 0, access: servers.rpc },
    reporter,
  );
  await parts.add(async () => {
    await stopThenClose(close, [prepared.usersClient]);
  });
  // Whoever asks whether it is ready hears at once that it is not any more.
  await parts.add(monitor.stop);
  return reachableOf(prepared, { ...urls, statusUrl: status.url });
}

/** A store that belongs to a log is only a copy: the node may be running elsewhere. */
function refuseLoggedStore(prepared: Prepared): void {
  const { name: node, directory } = prepared.request;
  try {
    refuseLogged({ node, file: storeFileOf(prepared) });
  } catch (error) {
    throw dataDirErrorOf(error, directory);
  }
}

/** Watches a node, which need not run all the time. */
export function createMonitor(
  prepared: Prepared,
  { reporter }: Pick<ServePorts, "reporter">,
  ports: {
    readonly hostOf: () => Host;
    readonly isPassive?: () => boolean;
    readonly replica?: () => ReplicaSample | undefined;
  },
): Monitor {
  const { sockets, clients } = prepared;
  const { hostOf } = ports;
  const file = storeFileOf(prepared);
  return new Monitor(
    {},
    {
      status: () => hostOf().node.status(),
      load: () => hostOf().node.load(),
      isPassive: ports.isPassive,
      replica: ports.replica,
      peers: () => peersOf(sockets),
      databaseBytes: () => databaseBytes(file),
      isStoreOpen: () => hostOf().store?.database.isOpen === true,
      logLinesLost: reporter.linesLost,
      chainRequests: () => ({
        sent: clients.requests(),
        rateLimited: clients.rateLimited(),
      }),
    },
  );
}

export function reachableOf(
  prepared: Prepared,
  urls: {
    readonly httpUrl: string;
    readonly webSocketUrl: string;
    readonly statusUrl: string;
    readonly operatorUrl?: string | undefined;
  },
): Reachable {
  const { request, network, chainId, factory, accounts, listen } = prepared;
  return {
    network,
    chainId,
    factory,
    directory: request.directory,
    account: accounts.endorser.address,
    payer: accounts.payer.address,
    address: { host: listen.host, port: prepared.sockets.port },
    statusUrl: urls.statusUrl,
    ...(urls.operatorUrl !== undefined && { operatorUrl: urls.operatorUrl }),
    url: urls.httpUrl,
    webSocketUrl: urls.webSocketUrl,
  };
}
