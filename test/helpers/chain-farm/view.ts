import { ChainError, type ChainClient } from "../../../src/chain/ports.ts";
import type { Answer, RecordedBlock } from "./record.ts";

/** Blocks from the first to a head, by number. */
const chains = new WeakMap<RecordedBlock, readonly RecordedBlock[]>();

function chainOf(head: RecordedBlock): readonly RecordedBlock[] {
  const known = chains.get(head);
  if (known !== undefined) return known;
  const chain: RecordedBlock[] = [];
  for (let block: RecordedBlock | undefined = head; block; block = block.parent)
    chain.unshift(block);
  chains.set(head, chain);
  return chain;
}

interface LogFilter {
  readonly blockHash?: string;
  readonly fromBlock?: string;
  readonly toBlock?: string;
  readonly address?: string | readonly string[];
  readonly topics?: readonly (string | readonly string[] | null)[];
}

/** Answers as a node does whose head is `head`. State that is not recorded comes from the chain as it is. */
export async function answerAt(
  head: RecordedBlock,
  truth: ChainClient,
  method: string,
  params: readonly unknown[],
): Promise<unknown> {
  const chain = chainOf(head);
  const [first, second] = params;
  switch (method) {
    case "web3_clientVersion":
      return "Farm/v1.0.0";
    case "eth_blockNumber":
      return toHex(head.number);
    case "eth_getBlockByNumber":
      return blockAnswer(blockAt(chain, first), second === true);
    case "eth_getBlockByHash":
      return blockAnswer(byHash(chain, first), second === true);
    case "eth_getBlockReceipts":
      return (byHash(chain, first) ?? blockAt(chain, first))?.receipts ?? null;
    case "eth_getTransactionReceipt":
      return (
        chain
          .flatMap(({ receipts }) => receipts)
          .find((receipt) => receipt["transactionHash"] === first) ?? null
      );
    case "eth_getTransactionByHash":
      return (
        chain
          .flatMap(({ transactions }) => transactions)
          .find(({ hash }) => hash === first) ?? null
      );
    case "eth_getLogs":
      return logsOf(chain, first as LogFilter);
    case "eth_getTransactionCount":
      if (second === "pending") return await truth.request(method, params);
      return toHex(countOf(chain, String(first), second));
    default:
      return await answerFromTruth(chain, truth, method, params);
  }
}

/** Calls are answered with the state of a block, if the chain as it is still has that block. */
async function answerFromTruth(
  chain: readonly RecordedBlock[],
  truth: ChainClient,
  method: string,
  params: readonly unknown[],
): Promise<unknown> {
  if (/^(evm|hardhat|anvil|debug)_|^eth_subscribe$/.test(method))
    throw new ChainError("refused", `the method ${method} does not exist`, {
      code: -32601,
    });
  const hasState = ["eth_call", "eth_getBalance", "eth_getCode"];
  if (!hasState.includes(method)) return await truth.request(method, params);
  const [first, tag] = params;
  const block = blockAt(chain, tag);
  if (block === undefined)
    throw new ChainError("refused", "header not found", { code: -32000 });
  const now = (await truth.request("eth_getBlockByNumber", [
    toHex(block.number),
    false,
  ])) as Answer | null;
  const isStillThere = now?.["hash"] === block.hash;
  const at = isStillThere ? toHex(block.number) : "latest";
  return await truth.request(method, [first, at]);
}

function blockAt(
  chain: readonly RecordedBlock[],
  tag: unknown,
): RecordedBlock | undefined {
  if (tag === "earliest") return chain[0];
  if (typeof tag !== "string" || !tag.startsWith("0x")) return chain.at(-1);
  return tag.length < 66 ? chain[Number(tag)] : undefined;
}

function byHash(
  chain: readonly RecordedBlock[],
  hash: unknown,
): RecordedBlock | undefined {
  return chain.findLast((block) => block.hash === hash);
}

function blockAnswer(
  recorded: RecordedBlock | undefined,
  isWhole: boolean,
): Answer | null {
  if (recorded === undefined) return null;
  const { block, transactions } = recorded;
  if (isWhole) return block;
  return { ...block, transactions: transactions.map(({ hash }) => hash) };
}

/** Late nodes answer with what they have, and say nothing of the rest. */
function logsOf(
  chain: readonly RecordedBlock[],
  filter: LogFilter,
): readonly Answer[] {
  const { blockHash, fromBlock = "latest", toBlock = "latest" } = filter;
  const head = chain.length - 1;
  let blocks: readonly RecordedBlock[];
  if (blockHash === undefined) {
    const from = fromBlock.startsWith("0x") ? Number(fromBlock) : head;
    const to = toBlock.startsWith("0x") ? Number(toBlock) : head;
    blocks = chain.slice(from, to + 1);
  } else {
    const block = byHash(chain, blockHash);
    if (block === undefined)
      throw new ChainError("refused", "unknown block", { code: -32000 });
    blocks = [block];
  }
  return blocks
    .flatMap(({ receipts }) => receipts)
    .flatMap(({ logs }) => logs as readonly Answer[])
    .filter((log) => isWanted(log, filter));
}

function isWanted(log: Answer, { address, topics = [] }: LogFilter): boolean {
  const addresses = address === undefined ? undefined : [address].flat();
  const isFrom =
    addresses === undefined ||
    addresses.some(
      (one) => one.toLowerCase() === String(log["address"]).toLowerCase(),
    );
  const own = log["topics"] as readonly string[];
  return (
    isFrom &&
    topics.every((wanted, i) => {
      const topic = own[i];
      return (
        wanted === null ||
        (topic !== undefined && [wanted].flat().includes(topic))
      );
    })
  );
}

/** Accounts of people start at nonce 0. */
function countOf(
  chain: readonly RecordedBlock[],
  address: string,
  tag: unknown,
): number {
  const block = blockAt(chain, tag);
  if (block === undefined)
    throw new ChainError("refused", "header not found", { code: -32000 });
  return chain
    .slice(0, block.number + 1)
    .flatMap(({ transactions }) => transactions)
    .filter(({ from }) => String(from).toLowerCase() === address.toLowerCase())
    .length;
}

function toHex(value: number): string {
  return `0x${value.toString(16)}`;
}
