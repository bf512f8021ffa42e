import { AssertionError } from "chai";

/** The message with which an expectation fails. */
export async function messageOf(run: () => unknown): Promise<string> {
  try {
    await run();
  } catch (error) {
    if (error instanceof AssertionError) return error.message;
    throw error;
  }
  throw new Error("The expectation should have failed, and it did not.");
}
