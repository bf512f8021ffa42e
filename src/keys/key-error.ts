/** What is wrong with a key: others can read it, it is not there in full, or it is none. */
export type KeyErrorCode = "EXPOSED" | "UNREADABLE" | "INVALID";

/** A key cannot be used. The message never has the key in it. */
export class KeyError extends Error {
  override readonly name = "KeyError";
  readonly code: KeyErrorCode;

  constructor(
    code: KeyErrorCode,
    message: string,
    options: { readonly cause?: unknown } = {},
  ) {
    super(message, options);
    this.code = code;
  }
}
