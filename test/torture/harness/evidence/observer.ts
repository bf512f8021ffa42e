import { setTimeout } from "node:timers/promises";

import { ask } from "../network/rpc.ts";
import type { Journal } from "./journal.ts";

/** What a node said of itself, as far as it is of interest here; without a height it did not answer. */
export interface Sample {
  readonly atMs: number;
  readonly node: string;
  readonly height?: number;
  /** Who coordinates, as far as the node knows. */
  readonly active?: string;
  /** Its own intents that have not ended. */
  readonly open?: number;
  readonly missingStates?: number;
}

interface Status {
  readonly height: number;
  readonly groups: readonly {
    readonly address: string;
    readonly active?: string;
    readonly own: Readonly<Record<string, number>>;
    readonly missingStates: number;
  }[];
}

/** Asks a node how it is. */
export async function sampleOf(
  { name, url }: { readonly name: string; readonly url: string },
  group: string,
): Promise<Sample> {
  const silent = { atMs: Date.now(), node: name };
  try {
    const question = { method: "sequencer_status", params: [] };
    const { height, groups } = await ask<Status>(url, question, 1_000);
    const own = groups.find(({ address }) => address === group);
    if (own === undefined) return { ...silent, height };
    return {
      ...silent,
      height,
      ...(own.active !== undefined && { active: own.active }),
      open: openOf(own.own),
      missingStates: own.missingStates,
    };
  } catch {
    return silent;
  }
}

function openOf(counts: Readonly<Record<string, number>>): number {
  let open = 0;
  for (const [state, count] of Object.entries(counts))
    if (state !== "Confirmed" && state !== "Reverted") open += count;
  return open;
}

/** Asks all nodes again and again how they are, until it is told to stop. */
export async function observe(
  options: { readonly everyMs: number; readonly group: string },
  ports: {
    readonly nodes: readonly { readonly name: string; readonly url: string }[];
    readonly journal: Journal<Sample>;
    readonly stop: AbortSignal;
  },
): Promise<void> {
  const { everyMs, group } = options;
  await Promise.all(
    ports.nodes.map(async (node) => {
      while (!ports.stop.aborted) {
        ports.journal.add(await sampleOf(node, group));
        await setTimeout(everyMs);
      }
    }),
  );
}
