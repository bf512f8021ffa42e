import { parseFormat } from "./abi/format.ts";
import type { Abi } from "./abi/parse-abi.ts";
import type { AbiLibrary } from "./abi-library.ts";
import { UserError } from "./errors.ts";

/** What to tell a user whose transaction or call reverted, in the words of his ABI or a stored one if they have some. */
export function revertError(
  abis: AbiLibrary,
  data: string | undefined,
  abi?: Abi,
): UserError {
  if (data === undefined || data === "0x")
    return new UserError(
      "PD012214",
      "Transaction reverted (no revert data)",
      data,
    );
  try {
    const { summary = "" } = abis.decodeError(data, parseFormat(""), abi);
    return new UserError("PD012216", `Transaction reverted ${summary}`, data);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return new UserError(
      "PD012215",
      "Transaction reverted (revert data not decoded: no stored ABI has the error)",
      data,
    );
  }
}
