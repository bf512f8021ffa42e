import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import path from "node:path";

import { expect } from "chai";
import type { HardhatUserConfig } from "hardhat/config";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import type { JsonRpcServer } from "hardhat/types/network";
import { z } from "zod";

import type {
  DescribedGroup,
  GroupEntry,
} from "../../../src/plugin/groups-config.ts";
import type { PeerConfig } from "../../../src/plugin/peers-config.ts";
import type { DatabaseUserConfig } from "../../../src/plugin/database-config.ts";
import type { ServersUserConfig } from "../../../src/plugin/servers-config.ts";
import { identityOf } from "../../../tasks/identity/identity.ts";
import {
  type NodeOptions,
  parseNodeOptions,
} from "../../../tasks/node/options.ts";
import { plainReporter, type Reachable } from "../../../tasks/node/reporter.ts";
import { serve } from "../../../tasks/node/serve.ts";
import { Parts } from "../../../src/host/parts.ts";
import { RpcClient } from "../../../tasks/shared/rpc-client.ts";
import { publishedAccount } from "../../helpers/accounts.ts";
import { temporaryDirectory } from "../../helpers/stores.ts";
import { anEnvironment, deploy } from "../../plugin/helpers/environment.ts";
import { freePort } from "../../plugin/helpers/processes.ts";
import { until } from "../../torture/harness/processes/until.ts";

const names = ["alice", "bob", "carol"] as const;
type Name = (typeof names)[number];

const statusType = z.object({
  groups: z.array(
    z.object({ address: z.string(), name: z.string(), domain: z.string() }),
  ),
});
const receiptType = z.object({ success: z.boolean() }).nullable();

/** A chain that several tests may share, as long as each has groups of its own. */
export class SharedChain {
  readonly #server: JsonRpcServer;
  readonly url: string;

  private constructor(server: JsonRpcServer, url: string) {
    this.#server = server;
    this.url = url;
  }

  static async start(): Promise<SharedChain> {
    const hre = await anEnvironment();
    const server = await hre.network.createServer("default", "127.0.0.1", 0);
    const { address, port } = await server.listen();
    return new SharedChain(server, `http://${address}:${port}`);
  }

  async stop(): Promise<void> {
    await this.#server.close();
  }
}

/** Nodes as `sequencer:node` runs them, each with its own disk and sockets, in this process. */
export class ServedNodes {
  readonly #url: string;
  readonly #directory = temporaryDirectory();
  readonly #parts = new Parts();
  readonly peers: Readonly<Record<Name, PeerConfig>>;
  /** What nodes reported as errors. */
  readonly reported: unknown[] = [];

  private constructor(
    url: string,
    ports: readonly number[],
    listens: readonly string[],
  ) {
    this.#url = url;
    const dataDir = this.#directory.path;
    const peer = (index: number): PeerConfig => ({
      address: `127.0.0.1:${ports[index] ?? 0}`,
      key: identityOf({ name: names[index], dataDir }).key,
      endorser: publishedAccount(index + 1).address,
    });
    const alice =
      listens.length === 0 ? peer(0) : { ...peer(0), address: [...listens] };
    this.peers = { alice, bob: peer(1), carol: peer(2) };
  }

  /** Identities and addresses of three nodes; alice may have replicas that listen elsewhere. None of them runs yet. */
  static async prepare(
    { url }: SharedChain,
    listens: readonly string[] = [],
  ): Promise<ServedNodes> {
    const ports: number[] = [];
    for (const _ of names) ports.push(await freePort());
    return new ServedNodes(url, ports, listens);
  }

  async stop(): Promise<void> {
    await this.#parts.close();
    this.#directory.remove();
  }

  /** What a project has in its configuration: these groups, and the chain as its network "chain". */
  configuration(
    groups: Readonly<Record<string, GroupEntry>>,
  ): Required<Pick<HardhatUserConfig, "networks" | "sequencer">> {
    return {
      networks: { chain: { type: "http", url: this.#url } },
      sequencer: {
        peers: this.peers,
        networks: { chain: { groups } },
        pollMs: 25,
        tickMs: 20,
      },
    };
  }

  #peersAt(
    addresses: Partial<Record<Name, readonly string[]>>,
  ): Readonly<Record<string, PeerConfig>> {
    return Object.fromEntries(
      names.map((name) => {
        const peer = this.peers[name];
        return [name, { ...peer, address: addresses[name] ?? peer.address }];
      }),
    );
  }

  /** A project with these groups in its configuration, on the network "chain". */
  async environment(
    groups: Readonly<Record<string, GroupEntry>> = {},
  ): Promise<HardhatRuntimeEnvironment> {
    return await anEnvironment(this.configuration(groups), "chain");
  }

  /** Creates a group with the task, and gives what belongs into the configuration. */
  async deploy(
    options: Parameters<typeof deploy>[1],
  ): Promise<Readonly<Record<string, GroupEntry>>> {
    const { deployment } = await deploy(await this.environment(), options);
    return deployment.config?.groups ?? {};
  }

  /** Starts a node, and gives its JSON-RPC. */
  async start(
    name: Name,
    groups: Readonly<Record<string, GroupEntry>> = {},
  ): Promise<RpcClient> {
    return new RpcClient((await this.serve(name, { groups })).url);
  }

  /** Every replica has a folder of its own, with the same keys. */
  #dataDirOf(name: Name, replica: string | undefined): string {
    const shared = this.#directory.path;
    if (replica === undefined) return shared;
    const own = path.join(shared, replica);
    for (const file of ["identity.pem", "wallet.secret"]) {
      const from = path.join(shared, name, file);
      if (!existsSync(from)) continue;
      mkdirSync(path.join(own, name), { recursive: true });
      copyFileSync(from, path.join(own, name, file));
    }
    return own;
  }

  /** Starts a node, and gives where it can be reached. */
  async serve(
    name: Name,
    {
      groups = {},
      options = {},
      addresses = {},
      folder = options.replica,
      chainUrl = this.#url,
      ...config
    }: {
      readonly groups?: Readonly<Record<string, GroupEntry>>;
      readonly options?: Omit<NodeOptions, "name" | "dataDir">;
      readonly servers?: ServersUserConfig;
      readonly database?: DatabaseUserConfig;
      /** Of the replica whose data directory it has. */
      readonly folder?: string;
      /** Another way to the same chain. */
      readonly chainUrl?: string;
      /** Of nodes, as this node has them in its configuration. */
      readonly addresses?: Partial<Record<Name, readonly string[]>>;
    } = {},
    parts: Parts = this.#parts,
  ): Promise<Reachable> {
    const reporter = plainReporter(
      { node: name },
      {
        write: () => undefined,
        report: (error) => this.reported.push(error),
      },
    );
    const dataDir = this.#dataDirOf(name, folder);
    const { sequencer } = this.configuration(groups);
    const networks = { chain: { type: "http" as const, url: chainUrl } };
    return await serve(
      parseNodeOptions({
        name,
        dataDir,
        rpcPort: "0",
        statusPort: "0",
        ...options,
      }),
      {
        hre: await anEnvironment(
          {
            networks,
            sequencer: {
              ...sequencer,
              peers: this.#peersAt(addresses),
              ...config,
            },
          },
          "chain",
        ),
        parts,
        reporter,
        onFatal: (error) => {
          throw error;
        },
      },
    );
  }
}

/** The description of a group of a configuration. */
export function described(entry: GroupEntry | undefined): DescribedGroup {
  if (entry === undefined || typeof entry === "string")
    throw new Error("The group has no description.");
  return entry;
}

/** The names of the groups in which a node takes part. */
export async function groupsOf(client: RpcClient): Promise<readonly string[]> {
  const { groups } = await client.ask(statusType, "sequencer_status");
  return groups.map(({ name }) => name);
}

/** Resolves when the node takes part in the group. */
export async function untilJoined(
  client: RpcClient,
  name: string,
): Promise<void> {
  await until({ what: `it is in ${name}`, deadlineMs: 60_000 }, async () =>
    (await groupsOf(client)).includes(name) ? true : undefined,
  );
}

/** Resolves when the intent has its receipt. */
export async function untilConfirmed(
  client: RpcClient,
  id: string,
): Promise<void> {
  await until({ what: `${id} ends`, deadlineMs: 60_000 }, async () => {
    const method = "ptx_getTransactionReceipt";
    const receipt = await client.ask(receiptType, method, id);
    if (receipt === null) return undefined;
    expect(receipt.success).to.equal(true);
    return true;
  });
}

/** Mints in a group with the domain `group-token`; gives the id of the transaction. */
export async function mint(
  client: RpcClient,
  entry: GroupEntry | undefined,
): Promise<string> {
  return await client.ask(z.string(), "pgroup_sendTransaction", {
    domain: "group-token",
    group: described(entry).id,
    from: "user",
    function: "mint",
    input: { to: "pot", amount: "5" },
  });
}
