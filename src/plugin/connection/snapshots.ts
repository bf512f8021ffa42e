import type { JsonRpcRequest, JsonRpcResponse } from "hardhat/types/providers";

import { SequencerError } from "../errors.ts";
import type { TestCluster } from "./cluster.ts";
import type { RequestGate } from "./request-gate.ts";
import type { SavedCluster } from "./saved-cluster.ts";

type Next = () => Promise<JsonRpcResponse>;

/** What ran on the chain when a snapshot was taken. */
interface Snapshot {
  readonly cluster: TestCluster | undefined;
  readonly saved: SavedCluster | undefined;
}

interface SnapshotsPorts {
  readonly gate: RequestGate;
  /** The cluster that runs, after one that is being started has. */
  readonly running: () => Promise<TestCluster | undefined>;
}

/**
 * Snapshots of a simulated chain, with the nodes on it: `evm_snapshot` saves them, and `evm_revert` takes them back. So
 * `takeSnapshot` and `loadFixture` of Hardhat's network helpers do, too.
 */
export class Snapshots {
  readonly #ports: SnapshotsPorts;
  readonly #taken = new Map<bigint, Snapshot>();
  /** One after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(ports: SnapshotsPorts) {
    this.#ports = ports;
  }

  /** Takes a snapshot of the chain and of the nodes at the same moment. */
  async take(next: Next): Promise<JsonRpcResponse> {
    return await this.#inTurn(async () => {
      const { gate, running } = this.#ports;
      const cluster = await running();
      if (cluster === undefined)
        return this.#remember(await gate.pass(next), {
          cluster,
          saved: undefined,
        });
      return await gate.whileClosed(async () => {
        const saved = cluster.save();
        try {
          const response = await gate.enter(next);
          await cluster.rememberChain();
          return this.#remember(response, { cluster, saved });
        } catch (error) {
          saved.remove();
          throw error;
        }
      });
    });
  }

  /** Takes the chain back, and the nodes with it. */
  async goBack(request: JsonRpcRequest, next: Next): Promise<JsonRpcResponse> {
    return await this.#inTurn(async () => {
      const { gate, running } = this.#ports;
      const snapshot = this.#taken.get(idOf(request) ?? -1n);
      const cluster = await running();
      if (snapshot === undefined && cluster === undefined)
        return await gate.pass(next);
      // The chain would refuse it too, and forget all later snapshots with that.
      if (snapshot === undefined)
        return { jsonrpc: "2.0", id: request.id, result: false };
      const { saved } = snapshot;
      if (saved !== undefined && snapshot.cluster !== cluster)
        throw new SequencerError("SNAPSHOT_CLUSTER_STOPPED", undefined);
      let response: JsonRpcResponse | undefined;
      const goBack = async (): Promise<boolean> => {
        response = await gate.enter(next);
        return isDone(response);
      };
      // There were no nodes, so there are none again.
      if (saved === undefined) await cluster?.stop();
      if (saved === undefined || cluster === undefined) await goBack();
      else await cluster.restore(saved, goBack);
      if (response === undefined) throw new Error("The chain was not asked.");
      this.forget(request);
      return response;
    });
  }

  /** A chain that is asked to go back forgets that snapshot and all later ones, whether it can go back or not. */
  forget(request: JsonRpcRequest): void {
    const id = idOf(request);
    if (id === undefined) return;
    for (const [taken, { saved }] of this.#taken)
      if (taken >= id) {
        saved?.remove();
        this.#taken.delete(taken);
      }
  }

  #remember(response: JsonRpcResponse, snapshot: Snapshot): JsonRpcResponse {
    const id = "result" in response ? readId(response.result) : undefined;
    if (id === undefined) snapshot.saved?.remove();
    else this.#taken.set(id, snapshot);
    return response;
  }

  async #inTurn<Result>(run: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(run);
    this.#last = turn.catch(() => undefined);
    return await turn;
  }
}

function idOf({ params }: JsonRpcRequest): bigint | undefined {
  return Array.isArray(params) ? readId(params[0]) : undefined;
}

function readId(value: unknown): bigint | undefined {
  const isId = typeof value === "string" && /^0x[0-9a-f]+$/i.test(value);
  return isId ? BigInt(value) : undefined;
}

function isDone(response: JsonRpcResponse): boolean {
  return "result" in response && response.result === true;
}
