import { SequencerError } from "../../src/plugin/errors.ts";

/** Why a node cannot go on, for the user. */
export function failureOf(node: string, error: unknown): Error {
  const cause = error instanceof Error ? error : new Error(String(error));
  return new SequencerError(
    "NODE_FAILED",
    { node, reason: cause.message },
    cause,
  );
}
