import { DomainRefusal } from "../../domains/domain.ts";
import { reasonOf } from "../../host/parts.ts";
import { NodeRefusal } from "../../node/service.ts";
import { SequencerError } from "../errors.ts";

/** What nodes and domains refuse, as errors that users know. */
export async function asUserError<Result>(
  run: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw userErrorOf(error);
  }
}

/** The same, for what is done at once. */
export function asUserErrorNow<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    throw userErrorOf(error);
  }
}

function userErrorOf(thrown: unknown): unknown {
  const error = reasonOf(thrown);
  return error instanceof NodeRefusal || error instanceof DomainRefusal
    ? new SequencerError("REFUSED", { reason: error.message }, error)
    : error;
}
