import { ChainError } from "../chain/ports.ts";
import { UserError } from "./errors.ts";

/** Asks the chain for a user. What it throws is for him to read. */
export async function askChain<Answer>(
  ask: () => Promise<Answer>,
  explain: (refusal: ChainError) => UserError = refused,
): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    // Its message may name an address with a password.
    throw error.kind === "refused"
      ? explain(error)
      : new UserError("PD099011", "The chain cannot be reached");
  }
}

function refused(): UserError {
  return new UserError("PD099011", "The chain refuses to answer");
}
