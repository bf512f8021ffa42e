import { z } from "zod/v4";

import { method, type Method } from "../method.ts";
import { epoch, head, turnHash } from "./operators.ts";

/** Names come from operators, and go into messages. */
const replicaName = z
  .string()
  .regex(
    /^[^\p{Cc}\p{Cf}\s]{1,255}$/u,
    "Expected the name of a replica: 1 to 255 characters without spaces",
  );

const master = z
  .strictObject({ master: z.string().nullable(), epoch })
  .readonly()
  .meta({ id: "Master" });

const stoppedHash = z
  .strictObject({
    isStopped: z.boolean(),
    epoch,
    sequence: z.int().nonnegative(),
    hash: turnHash,
  })
  .readonly()
  .meta({ id: "StoppedHash" });

const supervised = z
  .strictObject({
    name: z.string(),
    role: z.string(),
    /** Null at a supervisor that is not on duty. */
    health: z.enum(["healthy", "unhealthy", "unknown"]).nullable(),
    problem: z.string().nullable(),
    rpc: z.string().nullable(),
    operatorRpc: z.string().nullable(),
    seenMsAgo: z.number(),
  })
  .readonly()
  .meta({ id: "SupervisedReplica" });

const historyEntry = z
  .strictObject({
    at: z.iso.datetime(),
    act: z.string(),
    replica: z.string().nullable(),
    epoch,
    head,
    reason: z.string(),
    supervisor: z.string(),
  })
  .readonly()
  .meta({ id: "ElectionEntry" });

const status = z
  .strictObject({
    answeredBy: z.string(),
    /** The supervisor that has the duty. */
    supervisor: z.string().nullable(),
    master: z.string().nullable(),
    epoch,
    head,
    isStopped: z.boolean(),
    isElectionOn: z.boolean(),
    tenureMs: z.number(),
    /** What the supervisor on duty waits for; null elsewhere. */
    waitsFor: z.string().nullable(),
    replicas: z.array(supervised).readonly(),
    history: z.array(historyEntry).readonly(),
  })
  .readonly()
  .meta({ id: "SupervisorStatus" });

/** What operators can do with a supervisor. */
export interface CoordinatorOperations {
  readonly master: () => Promise<z.input<typeof master>>;
  readonly setMaster: (
    name: string,
    isForced: boolean,
  ) => Promise<z.input<typeof master>>;
  /** Gives whether that changed anything. */
  readonly switchElection: (isOn: boolean) => Promise<boolean>;
  readonly isElectionStopped: () => Promise<boolean>;
  /** Throws an `RpcError` if it is not the master. */
  readonly requestBuildingBlock: (name: string) => Promise<true>;
  readonly stoppedHash: () => Promise<z.input<typeof stoppedHash> | null>;
  readonly status: () => Promise<z.input<typeof status>>;
}

/** The methods of the operators' server of a supervisor. */
export function createCoordinatorMethods(
  operations: CoordinatorOperations,
): readonly Method[] {
  return [
    method({
      name: "coordinator_getMaster",
      summary:
        "The replica that has the lease, and its epoch; null if none has",
      params: {},
      result: master,
      run: operations.master,
    }),
    method({
      name: "coordinator_setMaster",
      summary:
        "Makes a healthy replica the master; true passes over its health, never over the stopped hash",
      params: { replica: replicaName, force: z.boolean() },
      result: master,
      run: async ({ replica, force }) =>
        await operations.setMaster(replica, force),
    }),
    method({
      name: "coordinator_startElection",
      summary: "Starts elections again; false if they were not stopped",
      params: {},
      result: z.boolean(),
      run: async () => await operations.switchElection(true),
    }),
    method({
      name: "coordinator_stopElection",
      summary:
        "Stops elections: the master stays the master, also if it dies; false if they were stopped",
      params: {},
      result: z.boolean(),
      run: async () => await operations.switchElection(false),
    }),
    method({
      name: "coordinator_electionStopped",
      summary: "Whether elections are stopped",
      params: {},
      result: z.boolean(),
      run: operations.isElectionStopped,
    }),
    method({
      name: "coordinator_requestBuildingBlock",
      summary:
        "True for the replica that has the lease; otherwise the error −32003. It is an answer: the append to the log is the proof",
      params: { replica: replicaName },
      result: z.literal(true),
      run: async ({ replica }) =>
        await operations.requestBuildingBlock(replica),
    }),
    method({
      name: "coordinator_getStoppedHash",
      summary:
        "The last turn at which the log was stopped, and whether it is stopped now; null if it never was",
      params: {},
      result: stoppedHash.nullable(),
      run: operations.stoppedHash,
    }),
    method({
      name: "coordinator_status",
      summary:
        "The master, the replicas and their health, the switch, and what was done lately",
      params: {},
      result: status,
      run: operations.status,
    }),
  ];
}
