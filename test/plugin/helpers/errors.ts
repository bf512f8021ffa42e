import { expect } from "chai";

import { SequencerError } from "../../../src/plugin/errors.ts";
import type { SequencerErrorCode } from "../../../src/plugin/errors.ts";

/** Expects a user error, and gives it. Texts may change; codes may not. */
export async function expectError(
  code: SequencerErrorCode,
  run: () => unknown,
): Promise<SequencerError> {
  const error = await caught(run);
  if (!(error instanceof SequencerError)) throw error;
  expect(error.code).to.equal(code);
  return error;
}

async function caught(run: () => unknown): Promise<unknown> {
  try {
    await run();
  } catch (error) {
    return error;
  }
  return new Error("Expected an error, but there was none");
}
