import { setTimeout } from "node:timers/promises";

import { z } from "zod";

import { drainingLines } from "../../src/view/status.ts";
import { nodeAt } from "../shared/ask-node.ts";
import { parseNumber } from "../shared/parse-option.ts";
import type { RpcClient } from "../shared/rpc-client.ts";

/** What the user asks for, as typed. */
export interface DrainOptions {
  readonly url?: string | undefined;
  readonly undo?: boolean;
  readonly timeout?: string | undefined;
}

/** What `sequencer:drain` tells. */
export type DrainFact =
  /** It takes part again. */
  | { readonly type: "undone"; readonly node: string }
  /** It was told, and cannot be stopped yet; told again when the reasons change. */
  | {
      readonly type: "draining";
      readonly node: string;
      readonly reasons: readonly string[];
    }
  | {
      readonly type: "drained";
      readonly node: string;
      readonly elapsedMs: number;
    }
  /** It was not waited for any longer, and goes on leaving the role to others. */
  | {
      readonly type: "not-drained";
      readonly node: string;
      readonly reasons: readonly string[];
    }
  /** It was drained and takes part again: it was told to, or has started again. */
  | { readonly type: "not-draining"; readonly node: string };

const timeoutSeconds = 600;
const pollMs = 250;

const statusType = z.object({
  name: z.string(),
  draining: z
    .object({ isDone: z.boolean(), reasons: z.array(z.string()) })
    .optional(),
});

/** Asks a node to leave the role of the coordinator to others, and waits until it can be stopped. */
export async function drainNode(
  { url, undo = false, timeout }: DrainOptions,
  tell: (fact: DrainFact) => void,
): Promise<DrainFact> {
  const seconds =
    parseNumber("--timeout", timeout, { min: 1, max: 1_000_000 }) ??
    timeoutSeconds;
  const client = nodeAt(url);
  const startMs = performance.now();
  await client.ask(z.boolean(), "sequencer_drain", !undo);
  if (undo) {
    const { name: node } = await askHow(client);
    const undone: DrainFact = { type: "undone", node };
    tell(undone);
    return undone;
  }
  let told: string | undefined;
  let hasBegun = false;
  for (;;) {
    const { name: node, draining } = await askHow(client);
    if (hasBegun && draining === undefined) {
      const last: DrainFact = { type: "not-draining", node };
      tell(last);
      return last;
    }
    hasBegun = draining !== undefined;
    const { isDone = false, reasons = [] } = draining ?? {};
    const elapsedMs = Math.round(performance.now() - startMs);
    const isLate = elapsedMs > 1_000 * seconds;
    if (isDone || isLate) {
      const last: DrainFact = isDone
        ? { type: "drained", node, elapsedMs }
        : { type: "not-drained", node, reasons };
      tell(last);
      return last;
    }
    const now = JSON.stringify(reasons);
    if (now !== told && reasons.length > 0)
      tell({ type: "draining", node, reasons });
    told = now;
    await setTimeout(pollMs);
  }
}

async function askHow(client: RpcClient): Promise<z.output<typeof statusType>> {
  return await client.ask(statusType, "sequencer_status");
}

/** A fact for people. */
export function drainLines(fact: DrainFact): string[] {
  const { node } = fact;
  switch (fact.type) {
    case "undone":
      return [`${node} takes part again.`];
    case "draining":
      return drainingLines(node, { isDone: false, reasons: fact.reasons });
    case "drained":
      return drainingLines(node, { isDone: true, reasons: [] });
    case "not-drained":
      return [
        ...drainingLines(node, { isDone: false, reasons: fact.reasons }),
        `${node} goes on leaving the role to others. Run the task again to wait for it, or with --undo.`,
      ];
    case "not-draining":
      return [
        `${node} takes part again: somebody told it to, or it has started again. Run the task again.`,
      ];
  }
}
