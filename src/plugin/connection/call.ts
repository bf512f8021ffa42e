import {
  FunctionFragment,
  isAddress,
  isHexString,
  type ParamType,
} from "ethers";

import type { AbiEntry, Domain, Json } from "../../runtime/domains/domain.ts";
import {
  type AbiType,
  fits,
  keyOf,
  typeOf,
} from "../../runtime/users/abi/types.ts";
import { SequencerError } from "../errors.ts";
import type { Value } from "./types.ts";

/** A function of a domain, with arguments as the domain wants them. */
export interface Call {
  readonly fragment: FunctionFragment;
  readonly signature: string;
  readonly args: Readonly<Record<string, Json>>;
}

/** Finds the function that a user means, and reads its arguments. */
export function readCall(
  domain: Domain,
  functionName: string,
  args: Readonly<Record<string, Value>>,
): Call {
  const fragment = pickFunction(domain, functionName);
  const signature = fragment.format("sighash");
  const problems: string[] = [];
  const values = readTuple(fragment.inputs, args, "", problems);
  if (problems.length > 0)
    throw new SequencerError("ARGUMENTS_INVALID", {
      name: fragment.format("full").replace(/^function /, ""),
      problems: problems.join("; "),
    });
  return { fragment, signature, args: values };
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

function pickFunction(domain: Domain, asked: string): FunctionFragment {
  const all = domain.abi
    .filter(isFunction)
    .map((entry) => FunctionFragment.from(entry));
  const wanted = asked.replaceAll(/\s/g, "");
  const matches = all.filter((fragment) =>
    wanted.includes("(")
      ? fragment.format("sighash") === wanted
      : fragment.name === wanted,
  );
  const [first] = matches;
  if (first === undefined)
    throw new SequencerError("FUNCTION_UNKNOWN", {
      name: asked,
      domain: domain.name,
      known: signatures(all),
    });
  if (matches.length > 1)
    throw new SequencerError("FUNCTION_AMBIGUOUS", {
      name: asked,
      known: signatures(matches),
    });
  return first;
}

function isFunction({ type }: AbiEntry): boolean {
  return type === "function";
}

function signatures(fragments: readonly FunctionFragment[]): string {
  return fragments.map((fragment) => fragment.format("sighash")).join(", ");
}

function readTuple(
  params: readonly ParamType[],
  value: unknown,
  path: string,
  problems: string[],
): Readonly<Record<string, Json>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    problems.push(`${path || "the arguments"} must be an object`);
    return {};
  }
  const names = params.map(keyOf);
  for (const name of Object.keys(value))
    if (!names.includes(name))
      problems.push(`${at(path, name)} is none of: ${names.join(", ")}`);
  return Object.fromEntries(
    params.map((param, index) => {
      const name = names[index] ?? "";
      const given: unknown = Object.hasOwn(value, name)
        ? Reflect.get(value, name)
        : undefined;
      return [name, readValue(param, given, at(path, name), problems)];
    }),
  );
}

function readValue(
  param: ParamType,
  value: unknown,
  path: string,
  problems: string[],
): Json {
  if (value === undefined) {
    problems.push(`${path} is missing`);
    return null;
  }
  const type = typeOf(param);
  if (type.kind === "tuple")
    return readTuple(type.components, value, path, problems);
  if (type.kind === "array") {
    const { item, length } = type;
    if (Array.isArray(value) && (length < 0 || value.length === length))
      return value.map((one: unknown, index) =>
        readValue(item, one, `${path}[${index}]`, problems),
      );
  } else {
    const read = readWord(type, value);
    if (read !== undefined) return read;
  }
  problems.push(`${path} cannot be ${show(value)}: it is a ${param.type}`);
  return null;
}

/** A value of a type that has no parts; undefined if it is not of that type. */
function readWord(
  type: Exclude<AbiType, { readonly kind: "tuple" | "array" }>,
  value: unknown,
): Json | undefined {
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

function at(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

function show(value: unknown): string {
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "string") return JSON.stringify(value.slice(0, 40));
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" && value !== null
    ? "an object"
    : String(value);
}
