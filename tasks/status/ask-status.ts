import { z } from "zod";

import { SequencerError } from "../../src/plugin/errors.ts";
import type { StatusFact } from "../../src/view/status.ts";
import { RpcClient } from "../shared/rpc-client.ts";

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
});

/** Where `sequencer:run` has its nodes unless it is told otherwise. */
const firstPort = 8550;
const nodesMax = 255;

/** Asks nodes how they are; without addresses, those that `sequencer:run` starts by default. */
export async function askStatus({
  url,
}: StatusOptions): Promise<readonly StatusFact[]> {
  if (url === undefined) return await askUsual();
  const clients = url.split(",").map((one) => new RpcClient(one.trim()));
  return await Promise.all(clients.map(askOne));
}

/** One after the other, until nobody is there. */
async function askUsual(): Promise<readonly StatusFact[]> {
  const facts: StatusFact[] = [];
  for (let i = 0; i < nodesMax; i += 1) {
    const client = new RpcClient(`http://127.0.0.1:${firstPort + 2 * i}`);
    try {
      facts.push(await askOne(client));
    } catch (error) {
      const isGone =
        error instanceof SequencerError && error.code === "NODE_UNREACHABLE";
      if (!isGone || i === 0) throw error;
      break;
    }
  }
  return facts;
}

async function askOne(client: RpcClient): Promise<StatusFact> {
  const status = await client.ask(statusType, "sequencer_status");
  return { type: "node-status", url: client.name, ...status };
}
