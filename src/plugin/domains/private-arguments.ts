import {
  AbiCoder,
  type ConstructorFragment,
  type FunctionFragment,
  type Interface,
  type ParamType,
} from "ethers";

import { show } from "../../api/abi/read-value.ts";
import { keyOf, typeOf } from "../../api/abi/types.ts";
import { SequencerError } from "../errors.ts";

/** Finds a function of a contract. */
export function findFunction(abi: Interface, asked: unknown): FunctionFragment {
  const all: FunctionFragment[] = [];
  abi.forEachFunction((one) => all.push(one));
  const name = typeof asked === "string" ? asked : show(asked);
  const wanted = name.replaceAll(/\s/g, "");
  const matches = all.filter(
    (one) => one.name === wanted || one.format("sighash") === wanted,
  );
  const known = (some: readonly FunctionFragment[]): string =>
    some.map((one) => one.format("sighash")).join(", ");
  const [first] = matches;
  if (first === undefined)
    throw new SequencerError("CONTRACT_FUNCTION_UNKNOWN", {
      name,
      known: known(all),
    });
  if (matches.length > 1)
    throw new SequencerError("FUNCTION_AMBIGUOUS", {
      name: wanted,
      known: matches.map((one) => `\n  ${one.format("sighash")}`).join(""),
    });
  return first;
}

/** Refuses arguments that do not fit a function or a constructor; all problems at once. */
export function requireArguments(
  fragment: FunctionFragment | ConstructorFragment,
  args: unknown,
): asserts args is readonly unknown[] {
  const problems: string[] = [];
  if (Array.isArray(args)) checkList(fragment.inputs, args, "", problems);
  else problems.push(`${show(args)} is not a list`);
  if (problems.length > 0)
    throw new SequencerError("CONTRACT_ARGUMENTS_INVALID", {
      name: fragment.format("full").replace(/^function /, ""),
      problems: problems.join("; "),
    });
}

function checkList(
  params: readonly ParamType[],
  values: readonly unknown[],
  path: string,
  problems: string[],
): void {
  for (const [index, param] of params.entries()) {
    const name = `${path}${param.name || `argument ${index + 1}`}`;
    if (index >= values.length) problems.push(`${name} is missing`);
    else check(param, values[index], name, problems);
  }
  if (values.length > params.length)
    problems.push(
      `${path === "" ? "there" : path.slice(0, -1)} ${path === "" ? "are" : "has"} ${values.length} values instead of ${params.length}`,
    );
}

function check(
  param: ParamType,
  value: unknown,
  path: string,
  problems: string[],
): void {
  const type = typeOf(param);
  if (type.kind === "tuple" && Array.isArray(value))
    checkList(type.components, value, `${path}.`, problems);
  else if (type.kind === "tuple" && isRecord(value)) {
    const names = type.components.map(keyOf);
    for (const name of Object.keys(value))
      if (!names.includes(name))
        problems.push(`${path}.${name} is none of: ${names.join(", ")}`);
    for (const [index, component] of type.components.entries()) {
      const name = names[index] ?? "";
      if (Object.hasOwn(value, name))
        check(component, value[name], `${path}.${name}`, problems);
      else problems.push(`${path}.${name} is missing`);
    }
  } else if (
    type.kind === "array" &&
    Array.isArray(value) &&
    (type.length < 0 || value.length === type.length)
  )
    for (const [index, one] of value.entries())
      check(type.item, one, `${path}[${index}]`, problems);
  else if (
    type.kind === "array" ||
    type.kind === "tuple" ||
    !isWord(param, value)
  )
    problems.push(`${path} cannot be ${show(value)}: it is a ${param.type}`);
}

function isWord(param: ParamType, value: unknown): boolean {
  // The encoder takes anything for a bool.
  if (param.type === "bool") return typeof value === "boolean";
  try {
    AbiCoder.defaultAbiCoder().encode([param], [value]);
    return true;
  } catch {
    return false;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
