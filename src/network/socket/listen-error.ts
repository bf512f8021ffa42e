/** Why a node cannot listen. */
export type ListenErrorCode = "IN_USE" | "NOT_ALLOWED" | "NOT_HERE" | "FAILED";

/** A node cannot listen where it was told to. */
export class ListenError extends Error {
  override readonly name = "ListenError";
  readonly code: ListenErrorCode;

  constructor(address: string, cause: NodeJS.ErrnoException) {
    const [code, why] = reasonOf(cause);
    super(`Cannot listen on ${address}: ${why}`, { cause });
    this.code = code;
  }
}

function reasonOf({
  code,
  message,
}: NodeJS.ErrnoException): readonly [ListenErrorCode, string] {
  switch (code) {
    case "EADDRINUSE":
      return [
        "IN_USE",
        "the port is in use. Stop who has it, or take another.",
      ];
    case "EACCES":
    case "EPERM":
      return [
        "NOT_ALLOWED",
        "this user is not allowed to. Take a port above 1023.",
      ];
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return ["NOT_HERE", "this machine does not have the address."];
    case undefined:
    default:
      return ["FAILED", message];
  }
}
