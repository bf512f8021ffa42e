import {
  type ConstructorFragment,
  Fragment,
  FunctionFragment,
  type ParamType,
} from "ethers";

import {
  type Address,
  type Hex,
  parseAddress,
  parseHex,
} from "../ledger/index.ts";
import type { Json } from "../domains/domain.ts";
import { encodeParams } from "./abi/encode.ts";
import { type Abi, parseAbi } from "./abi/parse-abi.ts";
import { pickFunction } from "./abi/pick-function.ts";
import { hexBytes, readData } from "./abi/read-data.ts";
import { declarationOf, signatureOf } from "./abi/signature.ts";
import type { AbiLibrary } from "./abi-library.ts";
import { UserError } from "./errors.ts";
import type { TransactionInput } from "./input.ts";
import { readQuantity } from "./quantity.ts";
import { abiOf } from "./resolve-call.ts";

/** Who it is from does not matter here. */
type Input = Omit<TransactionInput, "from">;

/** What a user wants of the base ledger: a call, or the creation of a contract. */
export interface PublicCall {
  /** Undefined: to create a contract. */
  readonly to: Address | undefined;
  readonly data: Hex;
  readonly signature: string;
  readonly args: Readonly<Record<string, Json>>;
  readonly outputs: readonly ParamType[];
  readonly abi: Abi;
  readonly value: bigint;
  /** What the user says about gas; undefined: what is usual. */
  readonly gas: bigint | undefined;
  readonly maxFee: bigint | undefined;
  readonly tip: bigint | undefined;
}

/** Finds out what a user means. Throws a {@link UserError} if he cannot mean anything. */
export async function resolvePublic(
  input: Input,
  abis: AbiLibrary,
): Promise<PublicCall> {
  const to = input.to ?? undefined;
  const abi = await (to === undefined
    ? constructorAbi(input, abis)
    : abiOf(input, abis));
  const fragment =
    to === undefined
      ? pickConstructor(abi, input.function ?? "")
      : pickFunction(abi, input.function ?? "");
  const bytecode = bytecodeOf(input, to === undefined);
  const signature = signatureOf(fragment);
  const selector =
    fragment instanceof FunctionFragment ? fragment.selector : undefined;
  const args = readData(
    {
      label: declarationOf(fragment),
      selector: () => selector,
      inputs: fragment.inputs,
    },
    input.data,
  );
  const encoded = encodeParams(fragment.inputs, args).slice(2);
  return {
    to: to === undefined ? undefined : parseAddress(to.toLowerCase()),
    data: requireShort(`${selector ?? bytecode}${encoded}`, signature),
    signature,
    args,
    outputs: fragment instanceof FunctionFragment ? fragment.outputs : [],
    abi,
    value: readQuantity("value", input.value) ?? 0n,
    gas: readQuantity("gas", input.gas),
    ...feesOf(input),
  };
}

/** Whoever has no constructor need not say so. */
async function constructorAbi(input: Input, abis: AbiLibrary): Promise<Abi> {
  const hasAbi = (input.abi ?? input.abiReference ?? undefined) !== undefined;
  return hasAbi ? await abiOf(input, abis) : parseAbi([]);
}

function pickConstructor(
  { items }: Abi,
  asked: string,
): Fragment | ConstructorFragment {
  if (asked !== "")
    throw new UserError(
      "PD012204",
      "A function needs an address to call it at: set to, or leave function out",
    );
  const own = items.find(({ fragment }) => fragment.type === "constructor");
  return own?.fragment ?? Fragment.from({ type: "constructor", inputs: [] });
}

/** With 0x; empty for a call. */
function bytecodeOf(input: Input, isDeployment: boolean): string {
  const bytes = hexBytes(input.bytecode ?? "");
  const hasBytecode = (input.bytecode ?? undefined) !== undefined;
  if (!isDeployment && hasBytecode)
    throw new UserError(
      "PD012207",
      "Bytecode can only be supplied with a public constructor",
    );
  if (isDeployment && (bytes === undefined || bytes.length === 0))
    throw new UserError(
      "PD012210",
      "A deployment needs its bytecode, apart from the data of the constructor",
    );
  return `0x${bytes?.toString("hex") ?? ""}`;
}

/** No node takes more. */
const bytesMax = 131_072;

function requireShort(data: string, signature: string): Hex {
  const bytes = (data.length - 2) / 2;
  if (bytes > bytesMax)
    throw new UserError(
      "PD012208",
      `Data for ${signature}: with all that belongs to it, it has ${bytes} bytes; ${bytesMax} are allowed`,
    );
  return parseHex(data);
}

function feesOf(input: Input): Pick<PublicCall, "maxFee" | "tip"> {
  const maxFee = readQuantity("maxFeePerGas", input.maxFeePerGas);
  const tip = readQuantity("maxPriorityFeePerGas", input.maxPriorityFeePerGas);
  if (maxFee !== undefined && tip !== undefined && tip > maxFee)
    throw new UserError(
      "PD099012",
      `maxPriorityFeePerGas, ${tip}, is a part of maxFeePerGas and cannot be more than ${maxFee}`,
    );
  return { maxFee, tip };
}
