import { SequencerError } from "../../src/plugin/errors.ts";
import type { SavedRun } from "../shared/data-dir.ts";
import type { RunRequest } from "./options.ts";

/** Options that the earlier run has decided on must not say otherwise. */
export function requireSameOptions(
  saved: SavedRun,
  request: RunRequest,
  directory: string,
): void {
  const { nodes, group } = saved;
  for (const [option, value, before] of [
    ["--nodes", request.nodes, nodes.length],
    ["--threshold", request.threshold, group?.threshold],
    ["--policy", request.policy, group?.policy],
  ] as const)
    if (value !== undefined && before !== undefined && value !== before)
      throw new SequencerError("DATA_DIR_OTHER", {
        directory,
        option,
        value,
        saved: before,
      });
}
