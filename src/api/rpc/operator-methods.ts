import { z } from "zod/v4";

import { method, type Method } from "./method.ts";
import { createCoordinatorMethods } from "./methods/coordinator.ts";
import { createReplicaMethods } from "./methods/operators.ts";
import { openRpc } from "./openrpc.ts";

const description =
  "What operators can do at a replica and at a supervisor, each on a port of its own and with a token. Parameters are given by position, all of them; null stands for one that is left out.";

/** The methods of a server for operators, and one that describes them. */
export function withDiscovery(methods: readonly Method[]): readonly Method[] {
  const all: readonly Method[] = [
    ...methods,
    method({
      name: "rpc.discover",
      summary: "This document: all methods, in the OpenRPC format",
      params: {},
      result: z.record(z.string(), z.unknown()),
      run: () => openRpc(all, description),
    }),
  ];
  return all;
}

function nobody(): never {
  throw new Error("These methods are only described.");
}

/** Those of a replica, for its description. */
export const replicaMethods: readonly Method[] = createReplicaMethods({
  isActive: nobody,
  start: nobody,
  stop: nobody,
  syncStatus: nobody,
});

/** Those of a supervisor, for its description. */
export const coordinatorMethods: readonly Method[] = createCoordinatorMethods({
  master: nobody,
  setMaster: nobody,
  switchElection: nobody,
  isElectionStopped: nobody,
  requestBuildingBlock: nobody,
  stoppedHash: nobody,
  status: nobody,
});

/** All methods for operators, in the OpenRPC format. */
export function operatorDocument(): Record<string, unknown> {
  return openRpc([...replicaMethods, ...coordinatorMethods], description);
}
