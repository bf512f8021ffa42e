import { ChainError } from "../ports.ts";
import type { Chain } from "../chain.ts";
import { inParallel } from "../parallel.ts";
import type { ChainLog, Header } from "../values.ts";
import { ChainMoved } from "../worker.ts";
import type { BlockLogs } from "./block-logs.ts";
import { blockOf, type ChainBlock, type Watched } from "./blocks.ts";
import type { BlockReference } from "./fork.ts";
import { canFollow } from "./parents.ts";

/** How many requests of one page are out at the same time. */
const REQUESTS_AT_ONCE = 16;
/** Nothing but the number of a block leads to it from those that are known, so that it is asked for so many times. */
const ROUNDS = 3;

interface PagePorts {
  readonly chain: Chain;
  readonly logs: BlockLogs;
  /** One process with one view, which may leave parents out. */
  readonly isSimulated: boolean;
}

/**
 * Blocks that no reorganisation reaches any more: those with logs, and the last. `anchors` are blocks that the chain must
 * have, so that it is the right one, and the page as deep as it seems.
 */
export async function readDeepPage(
  { chain, logs: blockLogs, isSimulated }: PagePorts,
  [from, to]: readonly [number, number],
  watched: Watched,
  anchors: readonly BlockReference[],
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
  const blocks = await inParallel(numbers, REQUESTS_AT_ONCE, async (number) => {
    const header = await headerOf(chain, number);
    const told = byNumber.get(number) ?? [];
    const own = await blockLogs.check(header, watched, told);
    return blockOf(header, own, watched);
  });
  if (isSimulated) return blocks;
  // In turn, so that a backend that is another chain would have to answer some of them, and others not. Logs name their blocks.
  for (let round = 0; round < ROUNDS; round++)
    for (const block of [...blocks.slice(-1), ...anchors])
      await requireBlock(chain, block);
  return blocks;
}

/** Blocks near the head, all of them: each the parent of the next, with logs of exactly these. */
export async function readRecentPage(
  { chain, logs, isSimulated }: PagePorts,
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
    if (
      parent !== undefined &&
      !canFollow(header, parent.hash, { isSimulated })
    )
      throw new ChainMoved("A block does not follow the one before.");
  });
  return await inParallel(headers, REQUESTS_AT_ONCE, async (header) =>
    blockOf(header, await logs.of(header, watched), watched),
  );
}

async function requireBlock(
  chain: Chain,
  { number, hash }: BlockReference,
): Promise<void> {
  if ((await headerOf(chain, number)).hash !== hash)
    throw new ChainMoved("Two answers differ about a block.");
}

async function headerOf(chain: Chain, number: number): Promise<Header> {
  const header = await chain.header(number);
  if (header?.number !== number)
    throw new ChainMoved("A block below the head is not there.");
  return header;
}
