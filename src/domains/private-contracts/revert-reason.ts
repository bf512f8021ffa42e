import { decodeLedgerError, toHex } from "../../ledger/index.ts";
import { bounds } from "./bounds.ts";
import type { Execution } from "./execution.ts";
import type { ContractOptions } from "./options.ts";

/** Bytes of revert data that are looked at. */
const DATA_BYTES_MAX = 4_096;

/** As Solidity numbers them. */
const panics: Readonly<Record<number, string>> = {
  0x01: "an assertion failed",
  0x11: "an arithmetic result does not fit",
  0x12: "division by zero",
  0x21: "a number that the enum does not have",
  0x22: "a byte array in storage is damaged",
  0x31: "pop() on an empty array",
  0x32: "an array has no such index",
  0x41: "too much memory",
  0x51: "a function that was never set is called",
};

/** Why an execution failed, for the user. */
export function reasonOf(
  { error, returned }: Extract<Execution, { readonly type: "failed" }>,
  { evmVersion, gasLimit }: ContractOptions,
): string {
  switch (error) {
    case "revert":
      return clip(`The contract reverted${saidBy(returned)}.`);
    case "out of gas":
    case "code store out of gas":
      return `It ran out of gas: a transaction of this group has ${gasLimit} (gasLimit).`;
    case "too much work":
      return `It asks for more work than a transaction of this group may do: ${gasLimit} units (gasLimit) beyond what its gas pays for. Do less at a time.`;
    case "invalid opcode":
      return `The contract ran into an instruction that ${evmVersion} does not have. Compile it for ${evmVersion}, or use a group with another evmVersion.`;
    default:
      return clip(`The contract failed: ${error}.`);
  }
}

function saidBy(returned: Uint8Array): string {
  const data = toHex(returned.slice(0, DATA_BYTES_MAX));
  const said = decodeLedgerError(data);
  if (said.type === "NoReason") return " without a reason";
  if (said.type === "Error") return `: ${JSON.stringify(said.message)}`;
  if (said.type === "Panic") {
    const meaning = panics[Number(said.code)] ?? "unknown";
    return ` with panic 0x${said.code.toString(16)}: ${meaning}`;
  }
  return ` with custom error ${data.slice(0, 10)}: ${data}`;
}

function clip(text: string): string {
  return text.length <= bounds.reasonLength
    ? text
    : `${text.slice(0, bounds.reasonLength)}…`;
}
