import { ChainError } from "../ports.ts";

/** Tells trouble when it comes, when it becomes trouble of another kind, and when it is over: not for every attempt. */
export function tellOnce(
  tell: (reason: string | undefined) => void,
): (error: Error | undefined) => void {
  let told: string | undefined;
  return (error) => {
    const kind = error && kindOf(error);
    if (kind === told) return;
    told = kind;
    tell(error?.message);
  };
}

/** A chain may be unreachable in many ways at once. Numbers change from attempt to attempt. */
function kindOf(error: Error): string {
  if (error instanceof ChainError && error.kind === "unreachable")
    return error.kind;
  return `${error.name}: ${error.message.replaceAll(/0x[0-9a-f]+|\d+/gi, "#")}`;
}
