import type { SequencerConfig } from "../../src/plugin/config.ts";
import { SequencerError } from "../../src/plugin/errors.ts";
import type { NodeRequest } from "./options.ts";

/** A replica shares a database with others. */
export function requireDatabase(
  { database }: Pick<SequencerConfig, "database">,
  { replica }: Pick<NodeRequest, "replica">,
): void {
  if (database === undefined && replica !== undefined)
    throw new SequencerError("REPLICA_WITHOUT_DATABASE", { replica });
}
