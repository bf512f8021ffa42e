import { hostname } from "node:os";

import type { Unavailable } from "../../src/api/rpc/gate.ts";
import { methods, standingMethods } from "../../src/api/rpc/methods.ts";
import {
  createReplicasMethod,
  replicasMethodName,
  type ReplicasView,
} from "../../src/api/rpc/methods/replicas.ts";
import { RpcServer } from "../../src/api/rpc/server.ts";
import { machineTimers } from "../../src/async/timers.ts";
import { stopThenClose } from "../../src/chain/client/stop.ts";
import type { Host } from "../../src/host/host.ts";
import { loadWallet } from "../../src/keys/wallet-file.ts";
import { SequencerError } from "../../src/plugin/errors.ts";
import type { Activate } from "../../src/replica/activation.ts";
import type { Role, RoleDetails } from "../../src/replica/options.ts";
import { Replica } from "../../src/replica/replica.ts";
import { openMachineDisk } from "../../src/store/disk.ts";
import type { NodeDatabase } from "../shared/database.ts";
import { failureOf } from "../shared/failure.ts";
import { databaseErrorOf } from "../shared/replica-errors.ts";
import { refusalOf } from "../shared/rpc-servers.ts";
import { ReplicaProgress } from "../../src/supervisor/progress.ts";
import { createNodeHost, type NodeHost } from "./node-host.ts";
import type { Prepared } from "./prepare.ts";
import { openReplicaOperators, PROGRESS_MS } from "./replica-operators.ts";
import { replicaOptionsOf } from "./replica-options.ts";
import type { Reachable } from "./reporter.ts";
import { createMonitor, reachableOf, type ServePorts } from "./serve.ts";
import { openStatusServer } from "./status-server.ts";
import { WhoIsActive } from "./who-is-active.ts";

/** Starts one replica of a node. It is up when it is passive; its node runs whenever it is the active one. */
export async function serveReplica(
  prepared: Prepared,
  database: NodeDatabase,
  ports: ServePorts,
): Promise<Reachable> {
  const { request, servers } = prepared;
  const { reporter, parts } = ports;
  const name = request.replica ?? hostname();
  const running = new RunningReplica({ name, database }, prepared, ports);
  const status = await openStatusServer(
    { node: request.name, port: request.statusPort, ...servers.status },
    { monitor: running.monitor, report: reporter.report },
  );
  await parts.add(status.close);
  const urls = await running.listen();
  const operators = await openReplicaOperators(prepared, running);
  await parts.add(operators.close);
  await parts.add(async () => {
    await stopThenClose(running.close, [prepared.usersClient]);
  });
  await parts.add(running.monitor.stop);
  await running.start(
    replicaOptionsOf(prepared, database, {
      name,
      url: urls.httpUrl,
      operatorUrl: operators.url,
    }),
  );
  return reachableOf(prepared, {
    ...urls,
    statusUrl: status.url,
    operatorUrl: operators.url,
  });
}

/** What a process has of a replica: a server and a monitor for as long as it lives, and a node while it is active. */
class RunningReplica {
  readonly monitor: ReturnType<typeof createMonitor>;
  readonly progress: ReplicaProgress;
  readonly name: string;
  readonly #database: NodeDatabase;
  readonly #prepared: Prepared;
  readonly #ports: ServePorts;
  readonly #server: RpcServer;
  readonly #whoIsActive: WhoIsActive;
  readonly #wallet: ReturnType<typeof loadWallet>;
  #replica: Replica | undefined;
  #node: NodeHost | undefined;

  constructor(
    {
      name,
      database,
    }: { readonly name: string; readonly database: NodeDatabase },
    prepared: Prepared,
    ports: ServePorts,
  ) {
    const { request, servers } = prepared;
    this.name = name;
    this.#database = database;
    this.#prepared = prepared;
    this.#ports = ports;
    this.#wallet = loadWallet({ directory: request.directory });
    this.monitor = createMonitor(prepared, ports, {
      hostOf: () => this.#host(),
      isPassive: () => this.#replica?.role !== "active",
      replica: () => this.#replica?.sample(),
    });
    this.progress = new ReplicaProgress(
      { payer: prepared.accounts.payer.address, waitMs: PROGRESS_MS },
      {
        timers: machineTimers,
        client: prepared.usersClient,
        indexedHeight: () => this.#node?.host.node.height(),
      },
    );
    this.#whoIsActive = new WhoIsActive(
      { node: request.name, replica: name },
      {
        timers: machineTimers,
        read: async () => await this.#replica?.status(),
        onChange: () => {
          if (this.#replica?.role !== "active") this.#server.pause(this.#why());
        },
      },
    );
    const replicas = createReplicasMethod(async () => await this.#view());
    const { rpcPort } = request;
    this.#server = new RpcServer(
      {
        ...servers.rpc,
        httpPort: rpcPort,
        webSocketPort: rpcPort === 0 ? 0 : rpcPort + 1,
        methods: methods.map((one) =>
          one.name === replicasMethodName ? replicas : one,
        ),
        standing: [...standingMethods, replicas],
      },
      {
        report: ports.reporter.report,
        unavailable: () =>
          this.#replica?.isCertain === true ? undefined : this.#why(),
      },
    );
    this.#server.pause(this.#why());
  }

  /** Undefined before it has started. */
  get replica(): Replica | undefined {
    return this.#replica;
  }

  get report(): (error: unknown) => void {
    return this.#ports.reporter.report;
  }

  async listen(): ReturnType<RpcServer["start"]> {
    const { request, servers } = this.#prepared;
    try {
      return await this.#server.start();
    } catch (error) {
      throw refusalOf(error, {
        node: request.name,
        port: request.rpcPort,
        host: { name: servers.rpc.host, option: "--rpc-host" },
        purpose: "the JSON-RPC",
        option: "--rpc-port",
      });
    }
  }

  /** Resolves when the replica is passive, or has become active at once. */
  async start(
    options: ConstructorParameters<typeof Replica>[0],
  ): Promise<void> {
    const { reporter } = this.#ports;
    const replica = new Replica(options, {
      timers: machineTimers,
      openDisk: openMachineDisk,
      activate: this.#activate,
      onRole: this.#onRole,
      onFact: (fact) => {
        this.monitor.seeReplica(fact);
        reporter.seeReplica(fact);
      },
      onAppend: this.monitor.seeAppend,
      exit: (reason) => {
        reporter.report(reason);
        // Nothing else ends what does not let itself be ended.
        process.exit(1);
      },
    });
    this.#replica = replica;
    try {
      await replica.start();
    } catch (error) {
      throw this.#failureOf(error);
    }
    this.#whoIsActive.start();
  }

  readonly close = async (): Promise<void> => {
    this.#whoIsActive.stop();
    await this.#replica?.stop();
    await this.#server.stop();
  };

  readonly #activate: Activate = async (openDisk, fail) => {
    const { reporter, onBatch } = this.#ports;
    const { request } = this.#prepared;
    const node = createNodeHost(this.#prepared, {
      ...(onBatch !== undefined && { onBatch }),
      wallet: this.#wallet,
      openDisk,
      onFact: (fact) => {
        this.monitor.see(fact);
        this.progress.see(fact);
        reporter.see(fact);
      },
      onFatal: (error) => {
        reporter.report(failureOf(request.name, error));
        fail(error);
      },
      report: reporter.report,
    });
    let leaveGroups: () => void = () => undefined;
    const close = async (): Promise<void> => {
      leaveGroups();
      await node.close();
      this.#node = undefined;
    };
    try {
      await node.host.startDurably();
      this.#node = node;
      leaveGroups = node.joinGroups();
      await node.host.answerThrough(this.#server, {
        why: () => this.#why(),
        report: reporter.report,
      });
    } catch (error) {
      await close();
      throw error;
    }
    return { deactivate: close };
  };

  readonly #onRole = (role: Role, details: RoleDetails): void => {
    const { reporter, onFatal } = this.#ports;
    this.#whoIsActive.setRole(role);
    if (role !== "active") this.#server.pause(this.#why());
    this.monitor.seeRole(role, details);
    reporter.seeRole(role, details);
    if (role === "stopped" && details.cause === "failed")
      onFatal(this.#failureOf(details.error));
  };

  #why(): Unavailable {
    return this.#whoIsActive.why;
  }

  #host(): Host {
    if (this.#node === undefined) throw new Error("The replica is passive.");
    return this.#node.host;
  }

  async #view(): Promise<ReplicasView | null> {
    const status = await this.#replica?.status();
    if (status === undefined) return null;
    const { active, snapshotSequence, replicas, since, ...rest } = status;
    return {
      ...rest,
      answeredBy: this.name,
      since: since.toISOString(),
      ...(active !== undefined && { active }),
      ...(snapshotSequence !== undefined && { snapshotSequence }),
      replicas: replicas.map(({ rpc, peersAddress, ...one }) => ({
        ...one,
        ...(rpc !== undefined && { rpc }),
        ...(peersAddress !== undefined && { peersAddress }),
      })),
    };
  }

  /** For the operator of the database, or of the node. */
  #failureOf(failure: unknown): Error {
    const error = databaseErrorOf(failure, this.#database);
    if (error instanceof SequencerError) return error;
    const cause = error instanceof Error ? error : new Error(String(error));
    const { name: node } = this.#prepared.request;
    return new SequencerError(
      "REPLICA_FAILED",
      { node, replica: this.name, reason: cause.message },
      cause,
    );
  }
}
