import type { Interface } from "ethers";

/** What a private contract said when it reverted. It is the `cause` of the error that users get. */
export class PrivateRevert extends Error {
  override readonly name = "PrivateRevert";
  /** The custom error, if the contract's ABI has it. */
  readonly error:
    { readonly name: string; readonly args: readonly unknown[] } | undefined;
  /** What was returned, if it was a custom error. */
  readonly data: string | undefined;

  private constructor(
    message: string,
    {
      error,
      data,
    }: {
      readonly error?: PrivateRevert["error"];
      readonly data?: string | undefined;
    } = {},
  ) {
    super(message);
    this.error = error;
    this.data = data;
  }

  /** Reads the reason that nodes give. What the ABI does not know stays as it is. */
  static from(reason: string, abi: Interface): PrivateRevert {
    const data = /with custom error 0x[0-9a-f]{8}: (0x[0-9a-f]+)\.$/.exec(
      reason,
    )?.[1];
    const parsed = data === undefined ? null : parse(data, abi);
    if (parsed === null) return new PrivateRevert(reason, { data });
    const { name } = parsed;
    const args: readonly unknown[] = parsed.args.toArray();
    const shown = args.map((arg) =>
      typeof arg === "string" ? JSON.stringify(arg) : String(arg),
    );
    return new PrivateRevert(
      `The contract reverted with ${name}(${shown.join(", ")}).`,
      { error: { name, args }, data },
    );
  }
}

/** Data may have been cut, or be of another error with the same selector. */
function parse(
  data: string,
  abi: Interface,
): ReturnType<typeof abi.parseError> {
  try {
    return abi.parseError(data);
  } catch {
    return null;
  }
}
