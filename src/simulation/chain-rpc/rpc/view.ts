import {
  type Address,
  HEX_BYTES_MAX,
  LedgerInputError,
  parseAddress,
  parseHex,
} from "../../../ledger/index.ts";
import { parseQuantity, toQuantity } from "../../../chain/values.ts";
import { ChainError } from "../../../chain/ports.ts";
import type { Block } from "../block.ts";
import type { CallResult, Execution } from "../executor.ts";
import type { SimulatedLedger } from "../ledger.ts";
import { PoolRefusal } from "../mempool.ts";
import { TransactionError } from "../transaction.ts";
import { blockForm, logForms, receiptForms, transactionForm } from "./forms.ts";
import { findLogs } from "./logs.ts";

/** What one node sees of a chain. */
export interface ChainView {
  readonly ledger: SimulatedLedger;
  /** How many heads of the chain it has seen; the last of them is its own. */
  readonly heads: number;
  readonly clientVersion: string;
  /** Whether transactions that it takes get no further. */
  readonly dropsTransactions: boolean;
}

type Params = readonly unknown[];
type Method = (view: ChainView, params: Params) => unknown;

const GWEI = 1_000_000_000n;
const FEE_HISTORY_MAX = 1_024;

/** Answers one request as a node with this view does. Throws a `ChainError`. */
export function answerAt(
  view: ChainView,
  method: string,
  params: Params,
): unknown {
  const answer = methods.get(method);
  if (answer === undefined)
    throw refused(
      -32601,
      `the method ${method} does not exist/is not available`,
    );
  try {
    return answer(view, params);
  } catch (error) {
    if (error instanceof LedgerInputError)
      throw refused(-32602, `invalid argument: ${error.message}`);
    if (error instanceof TransactionError || error instanceof PoolRefusal)
      throw refused(-32000, error.message);
    throw error;
  }
}

const methods = new Map<string, Method>([
  ["eth_chainId", ({ ledger }) => toQuantity(ledger.options.chainId)],
  ["net_version", ({ ledger }) => String(ledger.options.chainId)],
  ["web3_clientVersion", ({ clientVersion }) => clientVersion],
  ["eth_blockNumber", (view) => toQuantity(headOf(view).number)],
  ["eth_syncing", () => false],
  [
    "eth_getBlockByNumber",
    (view, [tag, isWhole]) => {
      const block = blockAt(view, tag);
      return block === undefined ? null : blockForm(block, isWhole === true);
    },
  ],
  [
    "eth_getBlockByHash",
    (view, [hash, isWhole]) => {
      const block = byHash(view, hash);
      return block === undefined ? null : blockForm(block, isWhole === true);
    },
  ],
  [
    "eth_getBlockReceipts",
    (view, [where]) => {
      const block = isHash(where) ? byHash(view, where) : blockAt(view, where);
      return block === undefined ? null : receiptForms(block);
    },
  ],
  ["eth_getTransactionReceipt", receiptOf],
  ["eth_getTransactionByHash", transactionOf],
  [
    "eth_getLogs",
    (view, [filter]) =>
      findLogs(filter, {
        head: headOf(view).number,
        byHash: (hash) => byHash(view, hash),
        byNumber: (number) => view.ledger.tree.blockAt(headOf(view), number),
        logsOf: logForms,
      }),
  ],
  ["eth_getTransactionCount", countOf],
  [
    "eth_getBalance",
    (view, [address, tag]) =>
      toQuantity(
        view.ledger.accountAt(addressOf(address), knownBlock(view, tag))
          .balance,
      ),
  ],
  [
    "eth_getCode",
    (view, [address, tag]) =>
      view.ledger.codeAt(addressOf(address), knownBlock(view, tag)),
  ],
  ["eth_call", (view, params) => simulate(view, params).output],
  [
    "eth_estimateGas",
    (view, params) => toQuantity(simulate(view, params).gasUsed),
  ],
  [
    "eth_sendRawTransaction",
    (view, [raw]) => {
      const { ledger } = view;
      if (typeof raw === "string" && raw.length > 2 + 2 * HEX_BYTES_MAX)
        throw refused(-32000, `oversized data: limit ${HEX_BYTES_MAX}`);
      const bytes = parseHex(raw, "transaction");
      const head = headOf(view);
      return view.dropsTransactions
        ? ledger.requireSendable(bytes, head).hash
        : ledger.send(bytes, head).hash;
    },
  ],
  ["eth_gasPrice", (view) => toQuantity((headOf(view).baseFee ?? 0n) + GWEI)],
  [
    "eth_maxPriorityFeePerGas",
    (view) => {
      if (headOf(view).baseFee !== undefined) return toQuantity(GWEI);
      throw refused(
        -32601,
        "the method eth_maxPriorityFeePerGas does not exist/is not available",
      );
    },
  ],
  ["eth_feeHistory", feeHistory],
]);

/** The head of a view. */
export function headOf({ ledger, heads }: ChainView): Block {
  return ledger.tree.heads[heads - 1] ?? ledger.head;
}

function receiptOf(view: ChainView, [hash]: Params): unknown {
  const place = view.ledger.placeOf(String(hash), headOf(view));
  return place === undefined
    ? null
    : receiptForms(place.block)[place.mined.index];
}

function transactionOf(view: ChainView, [hash]: Params): unknown {
  const { ledger } = view;
  const place = ledger.placeOf(String(hash), headOf(view));
  if (place !== undefined)
    return transactionForm(place.mined.transaction, place);
  const waiting = ledger.mempool.byHash(String(hash));
  return waiting === undefined ? null : transactionForm(waiting);
}

function countOf(view: ChainView, [address, tag]: Params): unknown {
  const { ledger } = view;
  const sender = addressOf(address);
  const { nonce } = ledger.accountAt(sender, knownBlock(view, tag));
  if (tag !== "pending") return toQuantity(nonce);
  // For a node that is late, transactions of newer blocks still wait.
  const mined = ledger.accountAt(sender, ledger.head).nonce;
  const next = ledger.mempool.nextNonce(sender, Math.max(nonce, mined));
  return toQuantity(next);
}

/** A call at a block happens once more in that block; only one that is "pending" is in the next. */
function simulate(
  view: ChainView,
  [call, tag]: Params,
): Extract<CallResult, { readonly type: "Done" }> {
  const block = knownBlock(view, tag);
  const number = block.number + (tag === "pending" ? 1 : 0);
  const result = view.ledger.call(callOf(call), block, number);
  if (result.type === "Done") return result;
  throw new ChainError("refused", "execution reverted", {
    code: 3,
    data: result.data,
  });
}

function feeHistory(view: ChainView, [count, newest]: Params): unknown {
  const last = knownBlock(view, newest);
  const wanted = Math.min(
    Number(parseQuantity(count)),
    FEE_HISTORY_MAX,
    last.number + 1,
  );
  const first = last.number - wanted + 1;
  const blocks = Array.from({ length: wanted }, (_, i) =>
    view.ledger.tree.blockAt(last, first + i),
  ).filter((block) => block !== undefined);
  return {
    oldestBlock: toQuantity(first),
    baseFeePerGas: [...blocks, last].map(({ baseFee }) =>
      toQuantity(baseFee ?? 0n),
    ),
    gasUsedRatio: blocks.map(
      ({ gasUsed, gasLimit }) => Number(gasUsed) / Number(gasLimit),
    ),
  };
}

function blockAt(view: ChainView, tag: unknown): Block | undefined {
  const head = headOf(view);
  if (tag === "earliest") return view.ledger.tree.blockAt(head, 0);
  if (typeof tag !== "string" || !tag.startsWith("0x")) return head;
  const number = parseQuantity(tag);
  return number > BigInt(head.number)
    ? undefined
    : view.ledger.tree.blockAt(head, Number(number));
}

function isHash(value: unknown): boolean {
  return typeof value === "string" && value.length === HASH_LENGTH;
}

const HASH_LENGTH = 66;

function knownBlock(view: ChainView, tag: unknown): Block {
  const block = blockAt(view, tag);
  if (block === undefined) throw refused(-32000, "header not found");
  return block;
}

/** Nodes keep blocks of branches that the chain has left. */
function byHash(
  { ledger, heads }: ChainView,
  hash: unknown,
): Block | undefined {
  const block = ledger.tree.byHash(String(hash));
  return block !== undefined && block.since < heads ? block : undefined;
}

function callOf(value: unknown): Execution {
  const field = (name: string): unknown =>
    Reflect.get(Object(value), name) as unknown;
  const [from, to, amount] = [field("from"), field("to"), field("value")];
  return {
    from: addressOf(from ?? NOBODY),
    to: to === undefined || to === null ? undefined : addressOf(to),
    data: parseHex(field("data") ?? field("input") ?? "0x", "data"),
    value: amount === undefined ? 0n : parseQuantity(amount),
  };
}

const NOBODY = `0x${"00".repeat(20)}`;

function addressOf(value: unknown): Address {
  return parseAddress(typeof value === "string" ? value.toLowerCase() : value);
}

function refused(code: number, message: string): ChainError {
  return new ChainError("refused", message, { code });
}
