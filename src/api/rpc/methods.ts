import { z } from "zod/v4";

import { method, type Method } from "./method.ts";
import { abiMethods } from "./methods/abis.ts";
import { baseLedgerMethods } from "./methods/base-ledger.ts";
import { groupViewMethods } from "./methods/group-views.ts";
import { groupMethods } from "./methods/groups.ts";
import { identityMethods } from "./methods/identities.ts";
import { listenerMethods } from "./methods/listeners.ts";
import { receiptMethods } from "./methods/receipts.ts";
import { createReplicasMethod } from "./methods/replicas.ts";
import { sequencerMethods } from "./methods/sequencer.ts";
import { transactionMethods } from "./methods/transactions.ts";
import { openRpc } from "./openrpc.ts";

const discover = method({
  name: "rpc.discover",
  summary: "This document: all methods, in the OpenRPC format",
  params: {},
  result: z.record(z.string(), z.unknown()),
  run: () => document(),
});

/** Those that a passive replica answers too. */
export const standingMethods: readonly Method[] = [discover];

/** All methods of the server, family by family. */
export const methods: readonly Method[] = [
  ...transactionMethods,
  ...receiptMethods,
  ...abiMethods,
  ...identityMethods,
  ...listenerMethods,
  ...groupMethods,
  ...baseLedgerMethods,
  ...sequencerMethods,
  ...groupViewMethods,
  createReplicasMethod(async () => await Promise.resolve(null)),
  discover,
];

let known: ReturnType<typeof openRpc> | undefined;

/** Made when somebody asks for it, and once only. */
function document(): ReturnType<typeof openRpc> {
  known ??= openRpc(methods);
  return known;
}
