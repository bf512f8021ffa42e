import { DomainRefusal } from "../../runtime/domains/domain.ts";
import { NodeRefusal } from "../../runtime/service.ts";
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

function userErrorOf(error: unknown): unknown {
  return error instanceof NodeRefusal || error instanceof DomainRefusal
    ? new SequencerError("REFUSED", { reason: error.message }, error)
    : error;
}
