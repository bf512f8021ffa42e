import {
  ErrorFragment,
  EventFragment,
  Fragment,
  FunctionFragment,
  type ParamType,
} from "ethers";

import type { AbiEntry } from "../../domains/domain.ts";
import { sha256Hex } from "../../sha256.ts";
import type { KeyedEntry } from "../../store/stored-abis.ts";
import { UserError } from "../errors.ts";
import { solidityOf } from "./signature.ts";
import { keyOf, typeOf } from "./types.ts";

/** An entry of an ABI, read. */
export interface AbiItem {
  readonly definition: AbiEntry;
  readonly fragment: Fragment;
}

/** An ABI, read, with the hash that it is known by. */
export interface Abi {
  readonly hash: string;
  readonly items: readonly AbiItem[];
}

/** Entries of one ABI. The largest that people deploy have a few hundred. */
const entriesMax = 2_000;
/** Characters of a type or a name. */
const wordLengthMax = 256;

/** ABIs that were read lately. Users send the same one with every transaction, and reading takes milliseconds. */
const recent = new Map<string, Abi>();
const recentMax = 64;

/** Reads a JSON ABI. Throws a {@link UserError}. */
export function parseAbi(entries: readonly AbiEntry[]): Abi {
  const text = JSON.stringify(entries);
  const abi = recent.get(text) ?? readAbi(entries);
  recent.delete(text);
  recent.set(text, abi);
  if (recent.size > recentMax) {
    const [oldest] = recent.keys();
    if (oldest !== undefined) recent.delete(oldest);
  }
  return abi;
}

function readAbi(entries: readonly AbiEntry[]): Abi {
  if (entries.length > entriesMax)
    throw new UserError(
      "PD012201",
      `The ABI has ${entries.length} entries; ${entriesMax} are allowed`,
    );
  const items = entries.map((definition) => ({
    definition,
    fragment: parseEntry(definition),
  }));
  return { hash: hashOf(items), items };
}

/** Reads one entry. Throws a {@link UserError}. */
export function parseEntry(definition: AbiEntry): Fragment {
  try {
    requireShort(definition);
    const fragment = Fragment.from(definition);
    // There are kinds of entries that can be read and not written.
    solidityOf(fragment);
    requireNames(fragment.inputs);
    if (fragment instanceof FunctionFragment) requireNames(fragment.outputs);
    return fragment;
  } catch (error) {
    const name = definition["name"];
    const entry = typeof name === "string" ? name : definition["type"];
    throw new UserError(
      "PD012201",
      `The ABI's entry ${JSON.stringify(entry ?? null)} is invalid: ${error instanceof Error ? error.message.split(" (")[0] : ""}`,
    );
  }
}

/** What an ABI's entries are found by. */
export function keyed({ items }: Abi): readonly KeyedEntry[] {
  return items.flatMap(({ definition, fragment }): KeyedEntry[] => {
    if (fragment instanceof FunctionFragment)
      return [{ type: "function", selector: fragment.selector, definition }];
    if (fragment instanceof ErrorFragment)
      return [{ type: "error", selector: fragment.selector, definition }];
    if (fragment instanceof EventFragment)
      return [{ type: "event", selector: fragment.topicHash, definition }];
    return [];
  });
}

/** The order of the entries does not matter. */
function hashOf(items: readonly AbiItem[]): string {
  const lines = items.map(({ fragment }) => solidityOf(fragment)).sort();
  return sha256Hex(lines.join("\n"));
}

/** Values are kept by name, so no two may have the same one. */
function requireNames(params: readonly ParamType[]): void {
  const names = new Set(params.map(keyOf));
  if (names.size < params.length) throw new Error("two have the same name");
  for (const param of params) {
    const type = typeOf(param);
    if (type.kind === "tuple") requireNames(type.components);
    if (type.kind === "array") requireNames([type.item]);
  }
}

/** Types are read by functions that call themselves for every part of them. */
function requireShort(value: unknown): void {
  if (typeof value === "string" && value.length > wordLengthMax)
    throw new Error(`a word has ${value.length} characters`);
  if (typeof value !== "object" || value === null) return;
  for (const part of Object.values(value)) requireShort(part);
}
