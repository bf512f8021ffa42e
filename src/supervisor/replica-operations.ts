import { codes, RpcError } from "../api/rpc/errors.ts";
import type { ReplicaOperations } from "../api/rpc/methods/operators.ts";
import { OrderRefusal } from "../replica/orders.ts";
import type { Replica } from "../replica/replica.ts";
import type { Progress } from "./progress.ts";

/** What operators can do with a replica. */
export function createReplicaOperations(
  { name }: { readonly name: string },
  {
    replica,
    progress,
  }: {
    /** Undefined before it has started. */
    readonly replica: () => Replica | undefined;
    readonly progress: () => Promise<Progress>;
  },
): ReplicaOperations {
  const started = (): Replica => {
    const one = replica();
    if (one === undefined)
      throw new RpcError(
        codes.refused,
        `PD099023: ${name} has not started yet`,
      );
    return one;
  };
  return {
    isActive: () => replica()?.isCertain === true,
    start: async (hash, epoch) =>
      await orRefuse(name, async () => await started().grant({ hash, epoch })),
    stop: async (epoch) => {
      const head = await orRefuse(
        name,
        async () => await started().revoke(epoch),
      );
      if (head !== undefined) return head;
      throw new RpcError(
        codes.refused,
        `PD099023: ${name} lost the lease before it could stop the log`,
      );
    },
    syncStatus: async () => {
      const one = started();
      const { role, applied } = one.place();
      const { epoch = null } = one.sample();
      return { replica: name, role, epoch, applied, ...(await progress()) };
    },
  };
}

async function orRefuse<Result>(
  name: string,
  act: () => Promise<Result>,
): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof OrderRefusal)) throw error;
    throw new RpcError(
      codes.refused,
      `PD099023: ${name} refuses: ${error.message}`,
    );
  }
}
