import { z } from "zod";

import type { DomainState, NewState } from "../domain.ts";
import { bounds } from "./bounds.ts";
import { hashOf } from "./values.ts";

// A directory says which names there are: the accounts of a group, the pages of a storage. It is what makes absence safe. Who
// finds that a name is not there reads the part of the directory that would have it; who adds a name spends that part. So the
// ledger lets nobody add a name twice, or act on an absence that has passed. Who uses what is there needs no directory.
//
// The parts of a directory divide all names among them by the digits of their hashes, and always cover all of them: a part is
// only ever replaced by one with more names, or, when it is full, by sixteen parts with one more digit each.

export const DIRECTORY = "directory";

/** The directory of a group's accounts. Those of storages are called by `storageName`. */
export const accounts = "accounts";

const DIGITS = Array.from({ length: 16 }, (_, digit) => digit.toString(16));
/** A hash has no more. */
const DIGITS_MAX = 64;

/** A part of a directory: the names whose hashes begin with some digits. */
export interface Part {
  readonly directory: string;
  readonly prefix: string;
  readonly names: ReadonlySet<string>;
}

const partType = z
  .object({ names: z.array(z.string()).max(bounds.directoryNames) })
  .strict();

/** The labels of all parts that could have a name, with the shortest prefix first. One of them exists. */
export function* labelsOf(directory: string, name: string): Iterable<string> {
  const digits = digitsOf(name);
  for (let length = 0; length <= DIGITS_MAX; length++)
    yield labelOf(directory, digits.slice(0, length));
}

export function partState({ directory, prefix, names }: Part): NewState {
  return {
    schema: DIRECTORY,
    label: labelOf(directory, prefix),
    data: { names: [...names].sort() },
  };
}

/** What a part of a directory says; undefined if the state is none. */
export function readPart({ label, data }: DomainState): Part | undefined {
  const read = partType.safeParse(data).data;
  const end = label.lastIndexOf("/");
  if (read === undefined || end === -1) return undefined;
  return {
    directory: label.slice(0, end),
    prefix: label.slice(end + 1),
    names: new Set(read.names),
  };
}

/** A part with more names: itself, or what it is split into. */
export function withNames(part: Part, added: Iterable<string>): Part[] {
  const names = new Set([...part.names, ...added]);
  if (names.size <= bounds.directoryNames) return [{ ...part, names }];
  return DIGITS.flatMap((digit) => {
    const prefix = part.prefix + digit;
    const own = [...names].filter((name) => digitsOf(name).startsWith(prefix));
    return withNames({ ...part, prefix, names: new Set() }, own);
  });
}

function labelOf(directory: string, prefix: string): string {
  return `${directory}/${prefix}`;
}

function digitsOf(name: string): string {
  return hashOf(name).slice(2);
}
