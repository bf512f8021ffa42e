import hre from "hardhat";

import { faucetOf } from "../../../src/plugin/faucet.ts";
import { Cluster } from "../../../src/cluster/cluster.ts";
import type { Listening } from "../../../src/host/host.ts";
import { groupToken } from "../../../src/domains/group-token.ts";
import { openChainClient } from "../../../src/chain/client/open.ts";
import type { NodeFact } from "../../../src/node/ports.ts";
import { defaultSettings } from "../../../src/node/settings.ts";
import type { ChainClient, Faucet } from "../../../src/chain/ports.ts";
import type { NodeGroup } from "../../../src/node/service.ts";
import type { Timers } from "../../../src/async/timers.ts";
import { keyOf } from "../cluster.ts";
import { openTestLedger } from "../runtime-ledger.ts";
import { temporaryDirectory } from "../stores.ts";
import { call } from "./client.ts";

/** Real nodes on a chain of their own, each with its RPC. */
export class RealNodes {
  readonly client: ChainClient;
  readonly cluster: Cluster;
  /** Errors that servers reported. */
  readonly errors: unknown[] = [];
  readonly #urls = new Map<string, Listening>();
  readonly #directory = temporaryDirectory();

  private constructor(options: {
    readonly names: readonly string[];
    readonly client: ChainClient;
    readonly openClient: () => ChainClient;
    readonly chainId: bigint;
    readonly factory: string;
    readonly confirmations: number;
    readonly faucet: Faucet | undefined;
    readonly timers: Timers | undefined;
    readonly onFact: ((name: string, fact: NodeFact) => void) | undefined;
  }) {
    const { openClient } = options;
    this.client = options.client;
    this.cluster = new Cluster(
      {
        ...options,
        dataDir: this.#directory.path,
        settings: {
          ...defaultSettings,
          tickMs: 20,
          pollMs: 20,
          confirmations: options.confirmations,
        },
      },
      {
        openClient,
        keys: options.names.map(keyOf),
        domains: [groupToken],
        usersClient: openClient(),
        faucet: options.faucet ?? faucetOf(this.client),
        ...(options.timers && { timers: options.timers }),
        onFact: options.onFact ?? (() => undefined),
        onFatal: (name, error) => {
          throw new Error(`${name} has stopped.`, { cause: error });
        },
      },
    );
  }

  static async start(
    names: readonly string[],
    options: {
      readonly confirmations?: number;
      readonly faucet?: Faucet;
      /** Puts something between the nodes and their chain. It is called for each client that they open. */
      readonly through?: (chain: ChainClient) => ChainClient;
      readonly timers?: Timers;
      readonly onFact?: (name: string, fact: NodeFact) => void;
    } = {},
  ): Promise<RealNodes> {
    const { provider } = await hre.network.create();
    const client = openChainClient(provider);
    const { chainId, factory } = await openTestLedger(client);
    const { through, confirmations = 0, faucet, timers, onFact } = options;
    const nodes = new RealNodes({
      names,
      client,
      openClient: () => through?.(client) ?? openChainClient(provider),
      chainId,
      factory,
      confirmations,
      faucet,
      timers,
      onFact,
    });
    nodes.cluster.start();
    for (const name of names) await nodes.#serve(name);
    return nodes;
  }

  /** A group of all nodes. */
  async createGroup(): Promise<NodeGroup> {
    return await this.cluster.createGroup({ domain: groupToken.name });
  }

  urlsOf(name: string): Listening {
    const urls = this.#urls.get(name);
    if (urls === undefined) throw new Error(`${name} is down.`);
    return urls;
  }

  async ask<Result>(
    name: string,
    method: string,
    ...params: readonly unknown[]
  ): Promise<Result> {
    return await call<Result>(this.urlsOf(name).httpUrl, method, ...params);
  }

  /** Resolves with the receipt of a transaction. */
  async receipt<Receipt>(name: string, id: string): Promise<Receipt> {
    for (;;) {
      const method = "ptx_getTransactionReceiptFull";
      const receipt = await this.ask<Receipt | null>(name, method, id);
      if (receipt !== null) return receipt;
    }
  }

  /** Whatever is not on its disk is lost. */
  async crash(name: string): Promise<void> {
    this.#urls.delete(name);
    await this.cluster.member(name).crash();
  }

  async restart(name: string): Promise<void> {
    this.cluster.member(name).start();
    await this.#serve(name);
  }

  async stop(): Promise<void> {
    await this.cluster.stop();
    await this.client.close();
    this.#directory.remove();
  }

  async #serve(name: string): Promise<void> {
    const { host } = this.cluster.member(name);
    const ports = { httpPort: 0, webSocketPort: 0 };
    const urls = await host.listen(ports, (error) => {
      this.errors.push(error);
    });
    this.#urls.set(name, urls);
  }
}
