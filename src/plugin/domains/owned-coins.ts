import type {
  ClusterGroup,
  NewClusterGroup,
  RunningCluster,
  SendOptions,
  SentIntent,
  Value,
} from "../connection/types.ts";
import { parseAccount } from "./account.ts";

/** Coins to be created. What is left out: all nodes, all of them witnesses, everybody at the first one an issuer. */
export interface NewCoins extends Pick<
  NewClusterGroup,
  "members" | "threshold" | "name"
> {
  /** Members whose endorsements count. They see all coins. */
  readonly witnesses?: readonly string[];
  /** Accounts that may issue, as `name@node`. */
  readonly issuers?: readonly string[];
}

/** Who gets how much from whom. Accounts are written `name@node`. */
export interface Payment {
  readonly from: string;
  readonly to: string;
  readonly amount: bigint | number;
}

/** What intents must wait for. */
export type CoinSendOptions = Pick<SendOptions, "dependsOn">;

/** The coins of a group. Every intent is sent by the node of the account that it is `from`. */
export interface OwnedCoins {
  readonly group: ClusterGroup;
  /** Makes a coin out of nothing; `from` must be an issuer. */
  issue(payment: Payment, options?: CoinSendOptions): Promise<SentIntent>;
  pay(payment: Payment, options?: CoinSendOptions): Promise<SentIntent>;
  /** Takes coins out of the world. */
  redeem(
    payment: Omit<Payment, "to">,
    options?: CoinSendOptions,
  ): Promise<SentIntent>;
  /** Makes one coin of the smallest coins of an account. */
  merge(account: string, options?: CoinSendOptions): Promise<SentIntent>;
  /** What an account has on the ledger, as its own node sees it, or as a witness does. */
  balanceOf(
    account: string,
    options?: { readonly at: string },
  ): Promise<bigint>;
}

/** Creates a group of the domain `owned-coins`. */
export async function createCoins(
  cluster: RunningCluster,
  { witnesses, issuers, ...group }: NewCoins = {},
): Promise<OwnedCoins> {
  return coinsOf(
    await cluster.createGroup({
      ...group,
      domain: "owned-coins",
      configuration: {
        ...(witnesses && { witnesses: witnesses.join(",") }),
        ...(issuers && { issuers: issuers.join(",") }),
      },
    }),
  );
}

/** The coins of a group that is there. */
export function coinsOf(group: ClusterGroup): OwnedCoins {
  const send = async (
    functionName: string,
    account: string,
    args: Readonly<Record<string, Value>>,
    options: CoinSendOptions = {},
  ): Promise<SentIntent> => {
    const { name, node } = parseAccount(account);
    return await group.send(node, functionName, args, {
      ...options,
      from: name,
    });
  };
  return {
    group,
    issue: async ({ from, ...args }, options) =>
      await send("issue", from, args, options),
    pay: async ({ from, ...args }, options) =>
      await send("pay", from, args, options),
    redeem: async ({ from, ...args }, options) =>
      await send("redeem", from, args, options),
    merge: async (account, options) =>
      await send("merge", account, {}, options),
    balanceOf: async (account, options) => {
      const at = options?.at ?? parseAccount(account).node;
      const { balance } = await group.query(at, "balanceOf", { account });
      if (typeof balance !== "bigint") throw new Error("No balance is told.");
      return balance;
    },
  };
}
