import type { Interface } from "ethers";

/** A custom error of a contract. */
export interface CustomError {
  readonly name: string;
  readonly args: readonly unknown[];
}

/** What a private contract said when it reverted. It is the `cause` of the error that users get. */
export class PrivateRevert extends Error {
  override readonly name = "PrivateRevert";
  /** The contract's own words if it reverted with a text; otherwise the message. */
  readonly reason: string;
  /** The custom error, if the contract's ABI has it. */
  readonly error: CustomError | undefined;
  /** What was returned, if it was a custom error. */
  readonly data: string | undefined;

  private constructor(
    message: string,
    {
      reason,
      error,
      data,
    }: {
      readonly reason?: string | undefined;
      readonly error?: CustomError;
      readonly data?: string | undefined;
    } = {},
  ) {
    super(message);
    this.reason = reason ?? message;
    this.error = error;
    this.data = data;
  }

  /** Reads the reason that nodes give. What the ABI does not know stays as it is. */
  static from(told: string, abi: Interface): PrivateRevert {
    const data = /with custom error 0x[0-9a-f]{8}: (0x[0-9a-f]+)\.$/.exec(
      told,
    )?.[1];
    const error = data === undefined ? undefined : readError(data, abi);
    if (error === undefined)
      return new PrivateRevert(told, { reason: wordsIn(told), data });
    const shown = error.args.map((arg) =>
      typeof arg === "string" ? JSON.stringify(arg) : String(arg),
    );
    return new PrivateRevert(
      `The contract reverted with ${error.name}(${shown.join(", ")}).`,
      { error, data },
    );
  }

  /** The custom error as another ABI has it: it may come from a contract that was called by the first one. */
  errorIn(abi: Interface): CustomError | undefined {
    return this.data === undefined ? undefined : readError(this.data, abi);
  }
}

/** Nodes quote what a contract said; long texts are cut. */
function wordsIn(told: string): string | undefined {
  const quoted = /^The contract reverted: (".*")\.$/s.exec(told)?.[1];
  if (quoted === undefined) return undefined;
  const words: unknown = JSON.parse(quoted);
  return typeof words === "string" ? words : undefined;
}

/** Data may have been cut, or be of another error with the same selector. */
function readError(data: string, abi: Interface): CustomError | undefined {
  try {
    const parsed = abi.parseError(data);
    return parsed === null
      ? undefined
      : { name: parsed.name, args: parsed.args.toArray() };
  } catch {
    return undefined;
  }
}
