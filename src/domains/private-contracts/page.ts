import { z } from "zod";

import type { DomainState, NewState } from "../domain.ts";
import { bounds } from "./bounds.ts";
import { word, writeWord } from "./values.ts";

export const PAGE = "page";

/** Slots that are not zero. */
export type Slots = ReadonlyMap<bigint, bigint>;

const pageType = z.object({ slots: z.record(word, word) }).strict();

/** The name of the page that has a slot, within its storage. */
export function pageOf(slot: bigint): string {
  return writeWord(slot / bounds.pageSlots);
}

/** What a storage is called: an account may lose one and begin another. */
export function storageName(address: string, storage: number): string {
  return `${address}/${storage}`;
}

/** The state of a page. An empty page stays a state: whoever is not sure whether there is one has to ask the directory. */
export function pageState(label: string, slots: Slots): NewState {
  const written = [...slots]
    .filter(([, value]) => value !== 0n)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([slot, value]) => [writeWord(slot), writeWord(value)] as const);
  return { schema: PAGE, label, data: { slots: Object.fromEntries(written) } };
}

/** What is on a page; undefined if the state is none, or has slots of another. */
export function readPage({ label, data }: DomainState): Slots | undefined {
  const read = pageType.safeParse(data).data;
  if (read === undefined) return undefined;
  const slots = new Map<bigint, bigint>();
  for (const [slot, value] of Object.entries(read.slots)) {
    if (!label.endsWith(`/${pageOf(BigInt(slot))}`)) return undefined;
    slots.set(BigInt(slot), BigInt(value));
  }
  return slots;
}
