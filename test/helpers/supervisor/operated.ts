import { createReplicaMethods } from "../../../src/api/rpc/methods/operators.ts";
import { operatorServer } from "../../../src/api/rpc/http-rpc-server.ts";
import { machineTimers } from "../../../src/async/timers.ts";
import type { Replica } from "../../../src/replica/replica.ts";
import { ReplicaProgress } from "../../../src/supervisor/progress.ts";
import { createReplicaOperations } from "../../../src/supervisor/replica-operations.ts";

export interface OperatorSettings {
  readonly token: string;
  readonly port: number;
  /** Its own way to the chain. */
  readonly chainUrl: string;
}

const LOOK_MS = 50;

/** Opens the operators' server of a replica whose node does nothing but index a chain; gives its address. */
export async function openOperators(
  { name, token, port, chainUrl }: OperatorSettings & { readonly name: string },
  replica: () => Replica,
): Promise<string> {
  const client = {
    request: async (
      method: string,
      params: readonly unknown[],
    ): Promise<unknown> => {
      const response = await fetch(chainUrl, {
        method: "POST",
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      });
      const { result } = (await response.json()) as {
        readonly result: unknown;
      };
      return result;
    },
  };
  const indexer = { height: 0 };
  const progress = new ReplicaProgress(
    { payer: "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266", waitMs: 3_000 },
    {
      timers: machineTimers,
      client,
      indexedHeight: () =>
        replica().role === "active" ? indexer.height : undefined,
    },
  );
  setInterval(() => {
    client.request("eth_blockNumber", []).then(
      (height) => {
        indexer.height = Number(height);
      },
      () => undefined,
    );
  }, LOOK_MS).unref();
  const server = operatorServer(
    {
      host: "127.0.0.1",
      port,
      token,
      methods: createReplicaMethods(
        createReplicaOperations(
          { name },
          { replica, progress: async () => await progress.read() },
        ),
      ),
    },
    {
      report: (error) => {
        console.error(error);
      },
    },
  );
  return await server.start();
}
