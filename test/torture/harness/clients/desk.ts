import type { Receipt, Wish } from "../evidence/evidence.ts";
import { ask, RpcRefusal } from "../network/rpc.ts";
import type { TokenGroup } from "./group.ts";

/** What a node says to a wish. */
export type Reply =
  | {
      readonly type: "accepted";
      readonly id: string;
      readonly isAgain: boolean;
    }
  | {
      readonly type: "refused";
      readonly code: number;
      readonly message: string;
    }
  | { readonly type: "unanswered"; readonly reason: string };

const KEY_USED = -32001;

const inputs = {
  mint: ["string to", "uint256 amount"],
  transfer: ["string from", "string to", "uint256 amount"],
} as const;

/** How clients talk to one node. */
export class Desk {
  readonly #url: string;
  readonly #group: TokenGroup;
  readonly #timeoutMs: number | undefined;

  constructor(options: {
    readonly url: string;
    readonly group: TokenGroup;
    /** A question without an answer fails after so long. */
    readonly timeoutMs?: number;
  }) {
    this.#url = options.url;
    this.#group = options.group;
    this.#timeoutMs = options.timeoutMs;
  }

  /** Asks for something. Who asks again with the same key gets the same transaction. */
  async wish(wish: Wish): Promise<Reply> {
    try {
      const id = await this.#ask<string>({
        method: "ptx_sendTransaction",
        params: [
          {
            type: "private",
            domain: "group-token",
            from: "user",
            to: this.#group.address,
            idempotencyKey: wish.key,
            ...callOf(wish),
          },
        ],
      });
      return { type: "accepted", id, isAgain: false };
    } catch (error) {
      if (!(error instanceof RpcRefusal)) return unanswered(error);
      if (error.code === KEY_USED) return await this.#recall(wish.key);
      return { type: "refused", code: error.code, message: error.message };
    }
  }

  /** Undefined as long as there is none. Throws if there is no answer. */
  async receipt(id: string): Promise<Receipt | undefined> {
    const receipt = await this.#ask<RawReceipt | null>({
      method: "ptx_getTransactionReceipt",
      params: [id],
    });
    return receipt === null ? undefined : receiptOf(receipt);
  }

  async balanceOf(account: string): Promise<number> {
    const { balance } = await this.#ask<{ readonly balance: string }>({
      method: "ptx_call",
      params: [
        {
          type: "private",
          domain: "group-token",
          from: "user",
          to: this.#group.address,
          function: "balanceOf",
          data: { account },
          abi: [
            functionOf(
              "balanceOf",
              ["string account"],
              ["uint256 balance", "uint256 coins"],
            ),
          ],
        },
      ],
    });
    return Number(balance);
  }

  async #ask<Result>(question: Parameters<typeof ask>[1]): Promise<Result> {
    return await ask<Result>(this.#url, question, this.#timeoutMs);
  }

  async #recall(key: string): Promise<Reply> {
    try {
      const known = await this.#ask<{ readonly id: string } | null>({
        method: "ptx_getTransactionByIdempotencyKey",
        params: [key],
      });
      // The first request with the key may still be on its way to the disk.
      return known === null
        ? { type: "unanswered", reason: "the key is used, and not yet known" }
        : { type: "accepted", id: known.id, isAgain: true };
    } catch (error) {
      if (error instanceof RpcRefusal)
        return { type: "refused", code: error.code, message: error.message };
      return unanswered(error);
    }
  }
}

interface RawReceipt {
  readonly id: string;
  readonly success?: true;
  readonly transactionHash?: string;
  readonly blockNumber?: number;
  readonly failureMessage?: string;
}

function receiptOf(raw: RawReceipt): Receipt {
  return {
    id: raw.id,
    isSuccess: raw.success === true,
    block: raw.blockNumber,
    transactionHash: raw.transactionHash,
    failure: raw.failureMessage,
  };
}

function callOf(wish: Wish): object {
  const { from, to, amount } = wish;
  const data =
    wish.function === "mint"
      ? { to, amount: String(amount) }
      : { from, to, amount: String(amount) };
  const abi = [functionOf(wish.function, inputs[wish.function], [])];
  return { function: wish.function, abi, data };
}

function functionOf(
  name: string,
  from: readonly string[],
  to: readonly string[],
): object {
  const read = (text: string): object => {
    const [type = "", parameter = ""] = text.split(" ");
    return { type, name: parameter };
  };
  return {
    type: "function",
    name,
    inputs: from.map(read),
    outputs: to.map(read),
  };
}

/** `fetch` says only that it failed; why is in the cause. */
function unanswered(error: unknown): Reply {
  const { cause, message } = error as Error;
  const code: unknown = Reflect.get(Object(cause), "code");
  return {
    type: "unanswered",
    reason: typeof code === "string" ? code : message,
  };
}
