import type { NetworkConnection } from "hardhat/types/network";
import type { JsonRpcRequest, JsonRpcResponse } from "hardhat/types/providers";

import type { SequencerConfig } from "../config.ts";
import { SequencerError } from "../errors.ts";
import type { TestCluster } from "./cluster.ts";
import { RequestGate } from "./request-gate.ts";
import { Snapshots } from "./snapshots.ts";
import type {
  ClusterStartOptions,
  ConnectionSequencer,
  RunningCluster,
} from "./types.ts";

/** `connection.sequencer`. Nothing of the runtime is loaded before the first start. */
export class LazySequencer implements ConnectionSequencer {
  readonly #config: SequencerConfig;
  readonly #connection: NetworkConnection<string>;
  readonly #gate = new RequestGate();
  readonly #snapshots = new Snapshots({
    gate: this.#gate,
    running: async () => {
      await this.#starting?.catch(() => undefined);
      return this.isRunning ? this.#cluster : undefined;
    },
  });
  #starting: Promise<TestCluster> | undefined;
  #cluster: TestCluster | undefined;

  constructor(
    config: SequencerConfig,
    ports: { readonly connection: NetworkConnection<string> },
  ) {
    this.#config = config;
    this.#connection = ports.connection;
  }

  get isRunning(): boolean {
    return this.#cluster?.isStopped === false;
  }

  get cluster(): RunningCluster {
    if (this.#cluster?.isStopped !== false)
      throw new SequencerError("CLUSTER_NOT_STARTED", {
        network: this.#connection.networkName,
      });
    return this.#cluster;
  }

  async start(options: ClusterStartOptions = {}): Promise<RunningCluster> {
    if (this.#starting !== undefined || this.isRunning)
      throw new SequencerError("CLUSTER_RUNNING", {
        network: this.#connection.networkName,
      });
    this.#starting = this.#open(options);
    try {
      this.#cluster = await this.#starting;
      return this.#cluster;
    } finally {
      this.#starting = undefined;
    }
  }

  /** Sees every request to the chain: nodes go where snapshots of the chain go. */
  async onRequest(
    request: JsonRpcRequest,
    next: () => Promise<JsonRpcResponse>,
  ): Promise<JsonRpcResponse> {
    const { method } = request;
    const { networkConfig, networkName: network } = this.#connection;
    if (networkConfig.type !== "edr-simulated") {
      if (method === "evm_revert" && this.isRunning)
        throw new SequencerError("SNAPSHOT_NOT_SIMULATED", { network });
      return await next();
    }
    if (this.#gate.isInside) {
      const response = await next();
      if (method === "evm_revert") this.#snapshots.forget(request);
      return response;
    }
    switch (method) {
      case "evm_snapshot":
        return await this.#snapshots.take(next);
      case "evm_revert":
        return await this.#snapshots.goBack(request, next);
      default:
        return this.#starting === undefined && this.#cluster === undefined
          ? await next()
          : await this.#gate.pass(next);
    }
  }

  /** Stops whatever runs, or is about to. */
  async stop(): Promise<void> {
    await this.#starting?.catch(() => undefined);
    await this.#cluster?.stop();
  }

  async #open(options: ClusterStartOptions): Promise<TestCluster> {
    const { openCluster } = await import("./open.ts");
    return await openCluster(
      this.#connection,
      this.#config,
      options,
      this.#gate,
    );
  }
}
