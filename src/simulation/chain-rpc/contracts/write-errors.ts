import {
  type Hex,
  type LedgerError,
  ledgerErrorAbi,
  parseHex,
} from "../../../ledger/index.ts";
import {
  bytesContent,
  type Encoded,
  sequence,
  uintWord,
} from "../../../ledger/abi-writer.ts";
import { signatureHash } from "../../../ledger/abi-reader.ts";

interface Argument {
  readonly type: string;
  readonly name: string;
}

interface ErrorForm {
  readonly selector: string;
  readonly arguments: readonly Argument[];
}

const forms = new Map<string, ErrorForm>(
  ledgerErrorAbi.map((entry) => {
    const [, name = "", list = ""] = /^error (\w+)\((.*)\)$/.exec(entry) ?? [];
    return [
      name,
      {
        selector: signatureHash(entry).slice(0, 10),
        arguments: list
          .split(", ")
          .filter((argument) => argument !== "")
          .map((argument) => {
            const [type = "", argumentName = ""] = argument.split(" ");
            return { type, name: argumentName };
          }),
      },
    ];
  }),
);

/** The revert data of an error: the opposite of `decodeLedgerError`. */
export function encodeLedgerError(error: LedgerError): Hex {
  if (error.type === "NoReason") return parseHex("0x");
  if (error.type === "Unknown") return error.data;
  const form = forms.get(error.type);
  if (form === undefined) throw new Error(`No contract has ${error.type}.`);
  const values = form.arguments.map(({ type, name }) =>
    encode(type, Reflect.get(error, name)),
  );
  return parseHex(form.selector + sequence(...values));
}

function encode(type: string, value: unknown): Encoded {
  if (typeof value === "bigint") return uintWord(value);
  const bytes = parseHex(value);
  if (type === "bytes") return bytesContent(bytes);
  return bytes.slice(2).padStart(64, "0");
}
