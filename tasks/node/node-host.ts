import { join } from "node:path";

import { machineTimers } from "../../src/async/timers.ts";
import { stopThenClose } from "../../src/chain/client/stop.ts";
import { builtInDomains } from "../../src/domains/built-in.ts";
import { Host } from "../../src/host/host.ts";
import { createEndorser, createPayer } from "../../src/keys/secp256k1.ts";
import type { Wallet } from "../../src/keys/wallet.ts";
import { thisMachine } from "../../src/node/machine.ts";
import type { NodeFact, NodePorts } from "../../src/node/ports.ts";
import { faucetOf } from "../../src/plugin/faucet.ts";
import { type OpenDisk, openMachineDisk } from "../../src/store/disk.ts";
import { joinConfiguredGroups } from "./configured-groups.ts";
import type { Prepared } from "./prepare.ts";

/** The store of a node, in its folder. */
export function storeFileOf({ request }: Pick<Prepared, "request">): string {
  return join(request.directory, "node.db");
}

/** A node that can be started, with a client of the chain that only it uses. */
export interface NodeHost {
  readonly host: Host;
  /** Takes part in the groups of the configuration, once the node is up. */
  readonly joinGroups: () => () => void;
  /** Stops the node if it runs, and closes its client. */
  readonly close: () => Promise<void>;
}

export function createNodeHost(
  prepared: Prepared,
  ports: {
    readonly wallet: Wallet;
    /** Without it, the store is a file of this machine. */
    readonly openDisk?: OpenDisk;
    readonly onFact: (fact: NodeFact) => void;
    readonly onFatal: (error: unknown) => void;
    readonly onBatch?: NodePorts["onBatch"];
    readonly report: (error: unknown) => void;
  },
): NodeHost {
  const { request, config, network, accounts, sockets, clients } = prepared;
  const { openDisk = openMachineDisk } = ports;
  const client = clients.open();
  const host = new Host(
    {
      name: request.name,
      file: storeFileOf(prepared),
      chainId: BigInt(prepared.chainId),
      factory: prepared.factory.toLowerCase(),
      settings: config.settings,
    },
    {
      ...ports,
      client,
      machine: { ...thisMachine, openDisk },
      connect: sockets.connect,
      identity: prepared.identity,
      peers: prepared.peers,
      usersClient: prepared.usersClient,
      endorser: createEndorser(accounts.endorser.privateKey),
      payers: [createPayer(accounts.payer.privateKey)],
      domains: builtInDomains,
      faucet: faucetOf(client),
    },
  );
  const { groups = {} } = config.networks[network] ?? {};
  return {
    host,
    joinGroups: () =>
      joinConfiguredGroups(
        { network, groups },
        { service: host.node, timers: machineTimers, report: ports.report },
      ),
    close: async () => {
      await stopThenClose(host.stop, [client]);
    },
  };
}
