import { ChainError } from "../../ports.ts";
import type { Chain } from "../chain.ts";
import { inParallel } from "../parallel.ts";
import type { ChainLog, Header } from "../values.ts";
import { ChainMoved } from "../worker.ts";
import type { BlockLogs } from "./block-logs.ts";
import { blockOf, type ChainBlock, type Watched } from "./blocks.ts";
import { canFollow } from "./parents.ts";

/** How many requests of one page are out at the same time. */
const REQUESTS_AT_ONCE = 16;

interface PagePorts {
  readonly chain: Chain;
  readonly logs: BlockLogs;
}

/** Blocks that no reorganisation reaches any more: those with logs, and the last. */
export async function readDeepPage(
  { chain, logs: blockLogs }: PagePorts,
  [from, to]: readonly [number, number],
  watched: Watched,
): Promise<readonly ChainBlock[]> {
  const logs = await blockLogs.between([from, to], watched);
  const byNumber = new Map<number, ChainLog[]>();
  for (const log of logs) {
    const others = byNumber.get(log.blockNumber);
    if (others === undefined) byNumber.set(log.blockNumber, [log]);
    else others.push(log);
  }
  const numbers = [...new Set([...byNumber.keys(), to])].sort((a, b) => a - b);
  if (numbers.some((number) => number < from || number > to))
    throw new ChainError("unreachable", "The chain sent logs of other blocks.");
  return await inParallel(numbers, REQUESTS_AT_ONCE, async (number) => {
    const header = await headerOf(chain, number);
    const told = byNumber.get(number) ?? [];
    const own = await blockLogs.check(header, watched, told);
    return blockOf(header, own, watched);
  });
}

/** Blocks near the head, all of them: each the parent of the next, with logs of exactly these. */
export async function readRecentPage(
  { chain, logs }: PagePorts,
  [from, to]: readonly [number, number],
  watched: Watched,
  tip: Header,
): Promise<readonly ChainBlock[]> {
  const numbers = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const headers = await inParallel(numbers, REQUESTS_AT_ONCE, async (number) =>
    number === tip.number ? tip : await headerOf(chain, number),
  );
  headers.forEach((header, i) => {
    const parent = headers[i - 1];
    if (parent !== undefined && !canFollow(header, parent.hash))
      throw new ChainMoved("A block does not follow the one before.");
  });
  return await inParallel(headers, REQUESTS_AT_ONCE, async (header) =>
    blockOf(header, await logs.of(header, watched), watched),
  );
}

async function headerOf(chain: Chain, number: number): Promise<Header> {
  const header = await chain.header(number);
  if (header?.number !== number)
    throw new ChainMoved("A block below the head is not there.");
  return header;
}
