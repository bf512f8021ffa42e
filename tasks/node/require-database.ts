import type { SequencerConfig } from "../../src/plugin/config.ts";
import { SequencerError } from "../../src/plugin/errors.ts";
import type { NodeRequest } from "./options.ts";

/** A replica, and an operator's hand on it, need the database that all replicas of a node share. */
export function requireDatabase(
  { database }: Pick<SequencerConfig, "database">,
  { replica, operatorPort }: Pick<NodeRequest, "replica" | "operatorPort">,
): void {
  if (database !== undefined) return;
  if (replica !== undefined)
    throw new SequencerError("REPLICA_WITHOUT_DATABASE", { replica });
  if (operatorPort !== undefined)
    throw new SequencerError("OPERATOR_PORT_WITHOUT_DATABASE", {
      port: operatorPort,
    });
}
