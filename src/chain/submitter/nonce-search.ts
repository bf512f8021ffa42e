import { type ChainClient, ChainError } from "../ports.ts";
import type { Chain } from "../chain.ts";
import { readSender } from "./block-senders.ts";

/** Which transaction used a nonce. */
export interface NonceUse {
  readonly block: number;
  readonly blockHash: string;
  readonly transactionHash: string;
  readonly transactionIndex: number;
}

/** How far a search for the use of a nonce is. It goes on where it stopped. */
export interface NonceSearch {
  /** Where it began. */
  readonly first: number;
  /** As of this block the nonce is used. */
  high: number;
  /** As of this block it is not; undefined until one is known. */
  low: number | undefined;
  /** Old counts are missing or wrong, so blocks are read one by one, downwards. */
  isWalking: boolean;
  steps: number;
}

/** Requests of one look. */
const REQUESTS_MAX = 16;
/** More than a day of blocks on Ethereum. A search that found nothing in them begins again at the head. */
const WALK_MAX = 8_192;

interface Wanted {
  readonly address: string;
  readonly nonce: number;
}

/** Begins at a block as of which the nonce is used. */
export function searchFrom(high: number): NonceSearch {
  return { first: high, high, low: undefined, isWalking: false, steps: 0 };
}

/**
 * Looks for the transaction that used a nonce: in the block in which the count of the address passed it, and if it is not
 * there, in all blocks. "more": to be continued; "none": it is in no block that was read, so the search has to begin again.
 * The chain may have moved, or the nonce was used without a transaction (EIP-7702).
 */
export async function findNonceUse(
  search: NonceSearch,
  wanted: Wanted,
  ports: { readonly chain: Chain; readonly client: ChainClient },
): Promise<NonceUse | "more" | "none"> {
  for (let requests = 0; requests < REQUESTS_MAX; requests++) {
    if (search.isWalking) {
      const found = await walk(search, wanted, ports.client);
      if (found !== "more") return found;
    } else if (search.low === search.high - 1) {
      const { use } = await readUse(search.high, wanted, ports.client);
      if (use !== undefined) return use;
      startWalk(search, search.first);
    } else {
      await narrow(search, wanted, ports.chain);
    }
  }
  return "more";
}

/** Halves what is between the bounds, or goes back twice as far for the lower one. */
async function narrow(
  search: NonceSearch,
  { address, nonce }: Wanted,
  chain: Chain,
): Promise<void> {
  const { high, low } = search;
  const back = 2 ** Math.min(search.steps++, 30);
  const at =
    low === undefined
      ? Math.max(-1, high - back)
      : Math.floor((low + high) / 2);
  if (at < 0) {
    search.low = -1;
    return;
  }
  try {
    const count = await chain.transactionCount(address, at);
    if (count > nonce) search.high = at;
    else search.low = at;
  } catch (error) {
    if (!(error instanceof ChainError) || error.kind !== "refused") throw error;
    startWalk(search, high);
  }
}

function startWalk(search: NonceSearch, from: number): void {
  search.high = from;
  search.low = undefined;
  search.isWalking = true;
  search.steps = 0;
}

async function walk(
  search: NonceSearch,
  wanted: Wanted,
  client: ChainClient,
): Promise<NonceUse | "more" | "none"> {
  if (search.high < 0 || search.steps++ >= WALK_MAX) return "none";
  const { use, isPassed } = await readUse(search.high, wanted, client);
  search.high--;
  return use ?? (isPassed ? "none" : "more");
}

async function readUse(
  number: number,
  { address, nonce }: Wanted,
  client: ChainClient,
): Promise<{
  readonly use: NonceUse | undefined;
  /** There is an earlier nonce in the block, so that no block below has this one. */
  readonly isPassed: boolean;
}> {
  const block = await readSender(client, address, number);
  if (block === undefined)
    throw new ChainError(
      "unreachable",
      `The chain does not show block ${number}, in which nonce ${nonce} of ${address} may have been used.`,
    );
  const found = block.transactions.find((one) => one.nonce === nonce);
  return {
    use: found && {
      block: number,
      blockHash: block.hash,
      transactionHash: found.hash,
      transactionIndex: found.index,
    },
    isPassed: block.transactions.some((one) => one.nonce < nonce),
  };
}
