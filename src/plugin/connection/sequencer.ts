import type { NetworkConnection } from "hardhat/types/network";

import type { SequencerConfig } from "../config.ts";
import { SequencerError } from "../errors.ts";
import type { TestCluster } from "./cluster.ts";
import type {
  ClusterStartOptions,
  ConnectionSequencer,
  RunningCluster,
} from "./types.ts";

/** `connection.sequencer`. Nothing of the runtime is loaded before the first start. */
export class LazySequencer implements ConnectionSequencer {
  readonly #config: SequencerConfig;
  readonly #connection: NetworkConnection<string>;
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

  /** Stops whatever runs, or is about to. */
  async stop(): Promise<void> {
    await this.#starting?.catch(() => undefined);
    await this.#cluster?.stop();
  }

  async #open(options: ClusterStartOptions): Promise<TestCluster> {
    const { openCluster } = await import("./open.ts");
    return await openCluster(this.#connection, this.#config, options);
  }
}
