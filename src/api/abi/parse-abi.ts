import {
  ErrorFragment,
  EventFragment,
  Fragment,
  FunctionFragment,
  type ParamType,
} from "ethers";

import type { AbiEntry } from "../../domains/domain.ts";
import { sha256Hex } from "../../keys/sha256.ts";
import type { KeyedEntry } from "../../store/stored-abis.ts";
import { UserError } from "../errors.ts";
import { pace } from "../pace.ts";
import { solidityOf } from "./signature.ts";
import { keyOf, typeOf } from "./types.ts";

/** An entry of an ABI, read. */
export interface AbiItem {
  readonly definition: AbiEntry;
  readonly fragment: Fragment;
  /** As in Solidity. */
  readonly solidity: string;
  /** What it is found by, if it is something that can be found. */
  readonly key: Omit<KeyedEntry, "definition"> | undefined;
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
/** Names, types, lists and levels of types in one entry, which is read in one piece: hundreds of parameters. */
const partsMax = 2_000;

/** ABIs that were read lately. Users send the same one with every transaction, and reading takes milliseconds. */
const recent = new Map<string, Abi>();
const recentMax = 64;
/** Characters of all of them; read, they need about ten times as much memory. */
const recentCharactersMax = 4_194_304;
let recentCharacters = 0;

/** Reads a JSON ABI of this software, or of one entry, at once. Throws a {@link UserError}. */
export function parseAbi(entries: readonly AbiEntry[]): Abi {
  const text = JSON.stringify(entries);
  return remember(
    text,
    recent.get(text) ?? abiOfItems(requireFew(entries).map(parseItem)),
  );
}

/** Reads a JSON ABI of a user, which may be large, in small pieces. Throws a {@link UserError}. */
export async function readAbi(entries: readonly AbiEntry[]): Promise<Abi> {
  const text = JSON.stringify(entries);
  const known = recent.get(text);
  if (known !== undefined) return remember(text, known);
  const items: AbiItem[] = [];
  for (const definition of requireFew(entries)) {
    await pace.turn();
    items.push(parseItem(definition));
  }
  await pace.turn();
  return remember(text, abiOfItems(items));
}

function remember(text: string, abi: Abi): Abi {
  if (recent.delete(text)) recentCharacters -= text.length;
  recent.set(text, abi);
  recentCharacters += text.length;
  for (const oldest of recent.keys()) {
    if (recent.size <= recentMax && recentCharacters <= recentCharactersMax)
      break;
    recent.delete(oldest);
    recentCharacters -= oldest.length;
  }
  return abi;
}

function requireFew(entries: readonly AbiEntry[]): readonly AbiEntry[] {
  if (entries.length > entriesMax)
    throw new UserError(
      "PD012201",
      `The ABI has ${entries.length} entries; ${entriesMax} are allowed`,
    );
  return entries;
}

function parseItem(definition: AbiEntry): AbiItem {
  const fragment = parseEntry(definition);
  return {
    definition,
    fragment,
    solidity: solidityOf(fragment),
    key: keyOfEntry(fragment),
  };
}

/** The order of the entries does not matter for the hash. */
function abiOfItems(items: readonly AbiItem[]): Abi {
  const lines = items.map(({ solidity }) => solidity).sort();
  return { hash: sha256Hex(lines.join("\n")), items };
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
  return items.flatMap(({ definition, key }) =>
    key === undefined ? [] : [{ ...key, definition }],
  );
}

function keyOfEntry(fragment: Fragment): AbiItem["key"] {
  if (fragment instanceof FunctionFragment)
    return {
      type: "function",
      selector: fragment.selector,
      ...shapeOf(fragment),
    };
  if (fragment instanceof ErrorFragment)
    return { type: "error", selector: fragment.selector, ...shapeOf(fragment) };
  if (fragment instanceof EventFragment)
    return {
      type: "event",
      selector: fragment.topicHash,
      ...shapeOf(fragment),
    };
  return undefined;
}

/** Two entries with the same shape fit the same data. */
function shapeOf({ inputs }: Fragment): { readonly shape: string } {
  const types = inputs.map(
    (input) =>
      `${input.format("sighash")}${input.indexed === true ? " indexed" : ""}`,
  );
  return { shape: sha256Hex(types.join(",")) };
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

/** Types are read by functions that call themselves for every part of them. Gives the number of parts. */
function requireShort(value: unknown, before = 0): number {
  let parts = before + 1;
  if (parts > partsMax) throw new Error(`it has more than ${partsMax} parts`);
  if (typeof value === "string" && value.length > wordLengthMax)
    throw new Error(
      `a word has ${value.length} characters; ${wordLengthMax} are allowed`,
    );
  // A type is read level by level.
  if (typeof value === "string") return parts + levelsOf(value);
  if (typeof value !== "object" || value === null) return parts;
  for (const part of Object.values(value)) parts = requireShort(part, parts);
  return parts;
}

/** Lists and parts of tuples that a type is written with, as in `uint256[][]`. */
function levelsOf(type: string): number {
  return type.match(/[[(,]/g)?.length ?? 0;
}
