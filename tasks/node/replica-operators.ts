import { createReplicaMethods } from "../../src/api/rpc/methods/operators.ts";
import { withDiscovery } from "../../src/api/rpc/operator-methods.ts";
import { operatorServer } from "../../src/api/rpc/http-rpc-server.ts";
import type { Replica } from "../../src/replica/replica.ts";
import type { ReplicaProgress } from "../../src/supervisor/progress.ts";
import { createReplicaOperations } from "../../src/supervisor/replica-operations.ts";
import { refusalOf } from "../shared/rpc-servers.ts";
import type { Prepared } from "./prepare.ts";

/** How long the chain may take to answer while a supervisor waits: less than a probe may take. */
export const PROGRESS_MS = 700;

/** Lets operators and supervisors reach a replica, if a port was given for them. */
export async function openReplicaOperators(
  { request, servers }: Prepared,
  running: {
    readonly name: string;
    readonly replica: Replica | undefined;
    readonly progress: ReplicaProgress;
    readonly report: (error: unknown) => void;
  },
): Promise<{
  readonly url: string | undefined;
  readonly close: () => unknown;
}> {
  const access = servers.operator;
  if (access === undefined) return { url: undefined, close: () => undefined };
  const { report } = running;
  const operations = createReplicaOperations(running, {
    replica: () => running.replica,
    progress: async () => await running.progress.read(),
  });
  const server = operatorServer(
    { ...access, methods: withDiscovery(createReplicaMethods(operations)) },
    { report },
  );
  try {
    return {
      url: await server.start(),
      close: async () => {
        await server.stop();
      },
    };
  } catch (error) {
    throw refusalOf(error, {
      node: request.name,
      port: access.port,
      host: { name: access.host, option: "operatorHost" },
      purpose: "the JSON-RPC for operators",
      option: "--operator-port",
    });
  }
}
