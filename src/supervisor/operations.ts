import { codes, RpcError } from "../api/rpc/errors.ts";
import type { CoordinatorOperations } from "../api/rpc/methods/coordinator.ts";
import type { Queries } from "../replica/postgres-log.ts";
import { type ElectionView, readElection } from "./election-view.ts";
import { readHistory } from "./history.ts";
import type { LogPlace } from "./options.ts";
import type { Supervisor } from "./supervisor.ts";
import { switchElection } from "./switch.ts";
import { makeMaster, WishRefusal } from "./wish.ts";

/** Entries of the history in a status. */
const HISTORY_MAX = 20;

/** What operators can do at a supervisor, whether it is on duty or not: it asks the schema, and leaves wishes there. */
export function createOperations(
  { name, ...place }: LogPlace & { readonly name: string },
  {
    control,
    supervisor,
  }: {
    readonly control: Queries;
    readonly supervisor: Pick<
      Supervisor,
      "isOnDuty" | "waitsFor" | "healthOf" | "problemOf"
    >;
  },
): CoordinatorOperations {
  const read = async (): Promise<ElectionView> =>
    await readElection(control, place);
  return {
    master: async () => {
      const { master = null, epoch } = await read();
      return { master, epoch };
    },
    setMaster: async (replica, isForced) => {
      try {
        return await makeMaster(control, place, { name: replica, isForced });
      } catch (error) {
        if (!(error instanceof WishRefusal)) throw error;
        throw new RpcError(
          codes.refused,
          `PD099023: ${replica} does not become the master: ${error.message}`,
        );
      }
    },
    switchElection: async (isOn) =>
      await switchElection(control, { ...place, isOn, by: name }),
    isElectionStopped: async () => !(await read()).isElectionOn,
    requestBuildingBlock: async (replica) => {
      const { master, isStopped, epoch } = await read();
      if (master === replica && !isStopped) return true;
      throw new RpcError(
        codes.notMaster,
        `PD099022: ${replica} is not the master in epoch ${epoch}; ${master ?? "nobody"} is`,
      );
    },
    stoppedHash: async () => await stoppedHash(control, place),
    status: async () => {
      const view = await read();
      const { isOnDuty, waitsFor = null } = supervisor;
      return {
        answeredBy: name,
        supervisor: view.supervisor?.name ?? null,
        master: view.master ?? null,
        epoch: view.epoch,
        head: view.head,
        isStopped: view.isStopped,
        isElectionOn: view.isElectionOn,
        tenureMs: view.tenureMs,
        waitsFor: waitsFor,
        replicas: view.replicas.map(
          ({ name: replica, role, rpc, operatorRpc, seenMsAgo }) => ({
            name: replica,
            role,
            health: isOnDuty ? supervisor.healthOf(replica) : null,
            problem: supervisor.problemOf(replica) ?? null,
            rpc: rpc ?? null,
            operatorRpc: operatorRpc ?? null,
            seenMsAgo,
          }),
        ),
        history: await lately(control, place),
      };
    },
  };
}

async function lately(
  control: Queries,
  place: LogPlace,
): Promise<Awaited<ReturnType<CoordinatorOperations["status"]>>["history"]> {
  const entries = await readHistory(control, place, { countMax: HISTORY_MAX });
  return entries.map((entry) => ({
    at: entry.at.toISOString(),
    act: entry.act,
    replica: entry.replica ?? null,
    epoch: entry.epoch,
    head: entry.head,
    reason: entry.reason,
    supervisor: entry.supervisor,
  }));
}

async function stoppedHash(
  control: Queries,
  place: LogPlace,
): Promise<Awaited<ReturnType<CoordinatorOperations["stoppedHash"]>>> {
  const { isStopped, epoch, head } = await readElection(control, place);
  if (isStopped) return { isStopped, epoch, ...head };
  const [last] = await readHistory(control, place, {
    act: "revoked",
    countMax: 1,
  });
  if (last === undefined) return null;
  return { isStopped, epoch: last.epoch, ...last.head };
}
