import type { ParamType } from "ethers";

import type { Json } from "../../domains/domain.ts";
import { layoutOf } from "./layout.ts";
import { fits, keyOf, type WordType } from "./types.ts";

/** A user's arguments do not fit the ABI. The message names every problem, up to a bound. */
export class ValueError extends Error {
  override readonly name = "ValueError";
}

/** How values are written. Which arguments there must be does not depend on it. */
export interface ValueRules {
  /** Whether a list may stand for all arguments, or for a tuple. */
  readonly allowsLists: boolean;
  /** Reads a value of a type without parts; undefined if it does not fit. */
  readonly readWord: (type: WordType, value: unknown) => Json | undefined;
}

/** Values as JSON has them. */
export const jsonRules: ValueRules = { allowsLists: true, readWord };

/** Problems in one message. A user corrects a few at a time, and strangers may send many. */
const problemsMax = 10;

/**
 * Reads arguments as users write them; gives them by name, each written in one way only. Refuses unknown, missing and
 * mistyped arguments, also inside tuples.
 */
export function readParams(
  params: readonly ParamType[],
  value: unknown,
  rules: ValueRules = jsonRules,
): Readonly<Record<string, Json>> {
  const reader = new Reader(rules);
  const values = reader.params(params, value, "");
  reader.finish();
  return values;
}

class Reader {
  readonly #rules: ValueRules;
  readonly #problems: string[] = [];

  constructor(rules: ValueRules) {
    this.#rules = rules;
  }

  finish(): void {
    if (this.#problems.length > 0)
      throw new ValueError(this.#problems.join("; "));
  }

  params(
    params: readonly ParamType[],
    value: unknown,
    path: string,
  ): Readonly<Record<string, Json>> {
    const names = params.map(keyOf);
    const given = this.#byName(names, value, path);
    if (given === undefined) return {};
    return Object.fromEntries(
      params.map((param, index): [string, Json] => {
        const name = names[index] ?? "";
        return [name, this.#value(param, given.get(name), at(path, name))];
      }),
    );
  }

  #byName(
    names: readonly string[],
    value: unknown,
    path: string,
  ): ReadonlyMap<string, unknown> | undefined {
    const { allowsLists } = this.#rules;
    if (Array.isArray(value) && allowsLists) {
      if (value.length > names.length)
        this.#add(
          `${path || "the list"} has ${value.length} values; ${known(names)}`,
        );
      return new Map(names.map((name, index) => [name, value[index]]));
    }
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      const wanted = allowsLists ? "an object or a list" : "an object";
      this.#add(`${path || "the arguments"} must be ${wanted}`);
      return undefined;
    }
    const given = new Map<string, unknown>(Object.entries(value));
    const wanted = new Set(names);
    for (const name of given.keys())
      if (!wanted.has(name))
        this.#add(`${at(path, shorten(name))} is unknown; ${known(names)}`);
    return given;
  }

  #value(param: ParamType, value: unknown, path: string): Json {
    if (value === undefined) {
      this.#add(`${path} is missing`);
      return null;
    }
    const { type } = layoutOf(param);
    if (type.kind === "tuple") return this.params(type.components, value, path);
    if (type.kind === "array") {
      const { item, length } = type;
      if (Array.isArray(value) && (length < 0 || value.length === length))
        return value.map((one: unknown, index) =>
          this.#value(item, one, `${path}[${index}]`),
        );
    } else {
      const read = this.#rules.readWord(type, value);
      if (read !== undefined) return read;
    }
    this.#add(
      `${path} cannot be ${show(value)}: it is of type ${param.format()}`,
    );
    return null;
  }

  #add(problem: string): void {
    this.#problems.push(problem);
    if (this.#problems.length < problemsMax) return;
    this.#problems.push("and perhaps more");
    this.finish();
  }
}

/** A value as JSON has it: numbers also as text, bytes also without 0x. */
function readWord(type: WordType, value: unknown): Json | undefined {
  switch (type.kind) {
    case "int": {
      const integer = readInteger(value);
      return integer !== undefined && fits(integer, type)
        ? integer.toString()
        : undefined;
    }
    case "bool":
      if (value === true || value === "true") return true;
      return value === false || value === "false" ? false : undefined;
    case "string":
      return typeof value === "string" ? value : undefined;
    case "address":
      return readBytes(value, 20);
    case "bytes":
      return readBytes(value, undefined);
    case "fixedBytes":
      return readBytes(value, type.length);
  }
}

function readInteger(value: unknown): bigint | undefined {
  if (typeof value === "number")
    return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  // The longest that fits has 78 digits.
  if (typeof value !== "string" || value.length > 80) return undefined;
  const [, sign, digits] = /^(-?)(\d+|0x[\da-f]+)$/i.exec(value) ?? [];
  if (digits === undefined) return undefined;
  return sign === "-" ? -BigInt(digits) : BigInt(digits);
}

function readBytes(
  value: unknown,
  length: number | undefined,
): string | undefined {
  if (typeof value !== "string") return undefined;
  const digits = value.replace(/^0x/i, "").toLowerCase();
  const isLong = length === undefined || digits.length === length * 2;
  return isLong && digits.length % 2 === 0 && /^[\da-f]*$/.test(digits)
    ? `0x${digits}`
    : undefined;
}

function known(names: readonly string[]): string {
  return names.length === 0
    ? "there are no arguments"
    : `the names are ${names.join(", ")}`;
}

function at(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

/** A value for messages. */
export function show(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(shorten(value));
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" && value !== null
    ? "an object"
    : String(value);
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
