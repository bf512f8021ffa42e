import {
  FunctionFragment,
  isAddress,
  isHexString,
  type ParamType,
} from "ethers";

import type { AbiEntry, Domain, Json } from "../../domains/domain.ts";
import { meantBy } from "../../api/abi/pick-function.ts";
import {
  readParams,
  ValueError,
  type ValueRules,
} from "../../api/abi/read-value.ts";
import { declarationOf } from "../../api/abi/signature.ts";
import { fits, keyOf, typeOf, type WordType } from "../../api/abi/types.ts";
import { SequencerError } from "../errors.ts";
import type { Value } from "./types.ts";

/** A function of a domain, with arguments as the domain wants them. */
export interface Call {
  readonly fragment: FunctionFragment;
  readonly signature: string;
  readonly args: Readonly<Record<string, Json>>;
}

/** Values as TypeScript users have them: integers also as bigint, addresses with a right checksum. */
const typeScriptRules: ValueRules = { allowsLists: false, readWord };

/** Finds the function that a user means, and reads its arguments. */
export function readCall(
  domain: Pick<Domain, "name" | "abi">,
  functionName: string,
  args: unknown,
  rules: ValueRules = typeScriptRules,
): Call {
  const fragment = pickFunction(domain, functionName);
  const signature = fragment.format("sighash");
  try {
    return {
      fragment,
      signature,
      args: readParams(fragment.inputs, args, rules),
    };
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw new SequencerError("ARGUMENTS_INVALID", {
      name: declarationOf(fragment),
      problems: error.message,
    });
  }
}

/** The functions of a domain, one in each line. */
export function functionLines(abi: readonly AbiEntry[]): string {
  return lines(functionsOf(abi));
}

/** What a domain answers, with integers as users of ethers know them. */
export function readAnswer(
  { outputs }: FunctionFragment,
  answer: Readonly<Record<string, Json>>,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(
    Object.entries(answer).map(([name, value]): [string, Value] => {
      const param = outputs.find((output) => output.name === name);
      return [name, param === undefined ? value : withIntegers(param, value)];
    }),
  );
}

function pickFunction(
  { name: domain, abi }: Pick<Domain, "name" | "abi">,
  name: string,
): FunctionFragment {
  const all = functionsOf(abi);
  const matches = name === "" ? [] : meantBy(all, name);
  const [first] = matches;
  if (first === undefined)
    throw new SequencerError("FUNCTION_UNKNOWN", {
      name,
      domain,
      known: lines(all),
    });
  if (matches.length > 1)
    throw new SequencerError("FUNCTION_AMBIGUOUS", {
      name,
      known: lines(matches),
    });
  return first;
}

function functionsOf(abi: readonly AbiEntry[]): readonly FunctionFragment[] {
  return abi
    .filter(({ type }) => type === "function")
    .map((entry) => FunctionFragment.from(entry));
}

function lines(fragments: readonly FunctionFragment[]): string {
  return fragments.map((one) => `\n  ${declarationOf(one)}`).join("");
}

/** A value of a type that has no parts; undefined if it is not of that type. */
function readWord(type: WordType, value: unknown): Json | undefined {
  switch (type.kind) {
    case "int": {
      const integer = readInteger(value);
      const isFit = integer !== undefined && fits(integer, type);
      return isFit ? integer.toString() : undefined;
    }
    case "bool":
      return typeof value === "boolean" ? value : undefined;
    case "string":
      return typeof value === "string" ? value : undefined;
    case "address":
      return isAddress(value) ? value.toLowerCase() : undefined;
    case "bytes":
      return isHexString(value, true) ? value.toLowerCase() : undefined;
    case "fixedBytes":
      return isHexString(value, type.length) ? value.toLowerCase() : undefined;
  }
}

function readInteger(value: unknown): bigint | undefined {
  if (typeof value === "bigint") return value;
  if (typeof value === "number" && Number.isSafeInteger(value))
    return BigInt(value);
  const isText = typeof value === "string" && /^-?\d{1,78}$/.test(value);
  return isText ? BigInt(value) : undefined;
}

function withIntegers(param: ParamType, value: Json): Value {
  const type = typeOf(param);
  if (type.kind === "array" && Array.isArray(value))
    return value.map((one: Json) => withIntegers(type.item, one));
  if (type.kind === "tuple" && isRecord(value))
    return Object.fromEntries(
      type.components.map((component, index): [string, Value] => {
        const name = keyOf(component, index);
        return [name, withIntegers(component, value[name] ?? null)];
      }),
    );
  return type.kind === "int" && typeof value === "string"
    ? BigInt(value)
    : value;
}

function isRecord(value: Json): value is Readonly<Record<string, Json>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
