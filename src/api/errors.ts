/**
 * What a user asked cannot be done. The key is part of the wire format: users tell errors apart by it. Keys are Paladin's
 * where it has one for the case; those that begin with PD099 are ours.
 */
export class UserError extends Error {
  override readonly name = "UserError";
  readonly key: string;
  /** Of a revert: what the contract said. */
  readonly data: string | undefined;

  constructor(key: string, message: string, data?: string) {
    super(message);
    this.key = key;
    this.data = data;
  }
}

/** For what the wire format has and this node has not. */
export function notSupported(what: string): UserError {
  return new UserError("PD099003", `${what} is not supported by this node`);
}
