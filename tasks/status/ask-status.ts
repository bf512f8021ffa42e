import { z } from "zod";

import { SequencerError } from "../../src/plugin/errors.ts";
import { isDown, type StatusFact } from "../../src/view/status.ts";
import { clientAt } from "../shared/ask-node.ts";
import type { RpcClient } from "../shared/rpc-client.ts";

/** What the user asks for, as typed. */
export interface StatusOptions {
  readonly url?: string | undefined;
}

const counts = z.record(z.number());
const statusType = z.object({
  name: z.string(),
  height: z.number(),
  boot: z.number(),
  groups: z.array(
    z.object({
      address: z.string(),
      name: z.string(),
      domain: z.string(),
      isMember: z.boolean(),
      epoch: z.string(),
      endorsers: z.array(z.string()),
      threshold: z.number(),
      trouble: z.string().optional(),
      sender: z.string(),
      coordinator: z.string(),
      active: z.string().optional(),
      heartbeatAgeMs: z.number().optional(),
      ranking: z.array(z.string()),
      range: z.number(),
      rangeStart: z.number(),
      rangeEnd: z.number(),
      own: counts,
      coordinated: counts,
      blocked: z.array(z.object({ id: z.string(), why: z.string() })),
      missingStates: z.number(),
    }),
  ),
  groupsAside: z.number(),
  rejoining: z
    .array(z.object({ group: z.string().optional(), why: z.string() }))
    .default([]),
  openTransactions: z.number(),
  dropped: counts,
  draining: z
    .object({ isDone: z.boolean(), reasons: z.array(z.string()) })
    .optional(),
});

/** Where `sequencer:run` has its nodes unless it is told otherwise. */
const firstPort = 8550;
const nodesMax = 255;

/** The nodes to ask, in the order in which they are shown. */
export interface StatusSource {
  readonly ask: () => Promise<readonly StatusFact[]>;
}

/**
 * The nodes at `--url`. Without it, those that `sequencer:run` starts by default: the first one must answer, and a node
 * that has answered once is asked again.
 */
export function statusSource({ url }: StatusOptions): StatusSource {
  if (url === undefined) return new UsualNodes();
  const clients = url.split(",").map((one) => clientAt(one.trim()));
  return { ask: async () => await Promise.all(clients.map(askOne)) };
}

/** Asks nodes how they are, once. */
export async function askStatus(
  options: StatusOptions,
): Promise<readonly StatusFact[]> {
  return await statusSource(options).ask();
}

class UsualNodes implements StatusSource {
  readonly #known: RpcClient[] = [];

  /** The known ones, and then one after the other, until nobody is there. */
  async ask(): Promise<readonly StatusFact[]> {
    const facts = await Promise.all(this.#known.map(askOne));
    for (let i = this.#known.length; i < nodesMax; i += 1) {
      const client = clientAt(`http://127.0.0.1:${firstPort + 2 * i}`);
      const fact = await askOne(client);
      if (isDown(fact)) {
        if (i > 0) break;
        const { url, reason } = fact;
        throw new SequencerError("NODE_UNREACHABLE", { url, reason });
      }
      this.#known.push(client);
      facts.push(fact);
    }
    return facts;
  }
}

async function askOne(client: RpcClient): Promise<StatusFact> {
  const method = "sequencer_status";
  const answer = await client.tryAsk(statusType, method);
  const url = client.name;
  if ("result" in answer) return { type: "node-status", url, ...answer.result };
  const { code, reason } = answer;
  return {
    type: "node-down",
    url,
    reason:
      code === "NODE_REFUSED" ? `it refused ${method}: ${reason}` : reason,
  };
}
