import { z } from "zod";

import {
  account,
  amount,
  names,
  optional,
  requireOptions,
  sendOptions,
  threshold,
} from "../connection/require-options.ts";
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

/** Who gets how much of what was not there before. */
export interface Issue {
  /** An issuer. */
  readonly by: string;
  readonly to: string;
  readonly amount: bigint | number;
}

/** What intents must wait for. */
export type CoinSendOptions = Pick<SendOptions, "dependsOn">;

/** The coins of a group. Every intent is sent by the node of the account that asks for it. */
export interface OwnedCoins {
  readonly group: ClusterGroup;
  /** Makes a coin out of nothing. */
  issue(issue: Issue, options?: CoinSendOptions): Promise<SentIntent>;
  pay(payment: Payment, options?: CoinSendOptions): Promise<SentIntent>;
  /** Takes coins out of the world. */
  redeem(
    payment: Omit<Payment, "to">,
    options?: CoinSendOptions,
  ): Promise<SentIntent>;
  /** Makes one coin of the smallest coins of an account. */
  merge(
    merging: Pick<Payment, "from">,
    options?: CoinSendOptions,
  ): Promise<SentIntent>;
  /** What an account has on the ledger, as its own node sees it, or as a witness does. */
  balanceOf(
    account: string,
    options?: { readonly at?: string },
  ): Promise<bigint>;
}

/** Creates a group of the domain `owned-coins`. */
export async function createCoins(
  cluster: RunningCluster,
  options: NewCoins = {},
): Promise<OwnedCoins> {
  requireOptions("createCoins()", newCoins, options);
  const { witnesses, issuers, ...group } = options;
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
  const send = async <Asked extends object>(
    functionName: keyof typeof shapes,
    asked: Asked,
    options: CoinSendOptions = {},
    read: (asked: Asked) => {
      readonly who: string;
      readonly args: Readonly<Record<string, Value>>;
    },
  ): Promise<SentIntent> => {
    const what = `coins.${functionName}()`;
    requireOptions(what, shapes[functionName], asked);
    requireOptions(what, optional(sendOptions), options);
    const { who, args } = read(asked);
    const { name: from, node } = parseAccount(who);
    return await group.send(node, functionName, args, { ...options, from });
  };
  return {
    group,
    issue: async (issue, options) =>
      await send("issue", issue, options, ({ by: who, ...args }) => ({
        who,
        args,
      })),
    pay: async (payment, options) =>
      await send("pay", payment, options, ({ from: who, ...args }) => ({
        who,
        args,
      })),
    redeem: async (payment, options) =>
      await send("redeem", payment, options, ({ from: who, ...args }) => ({
        who,
        args,
      })),
    merge: async (merging, options) =>
      await send("merge", merging, options, ({ from: who }) => ({
        who,
        args: {},
      })),
    balanceOf: async (owner, options = {}) => {
      requireOptions("coins.balanceOf()", optional({ at: account }), options);
      const at = options.at ?? parseAccount(owner).node;
      const { balance } = await group.query(at, "balanceOf", {
        account: owner,
      });
      if (typeof balance !== "bigint") throw new Error("No balance is told.");
      return balance;
    },
  };
}

const newCoins = optional({
  members: names,
  threshold,
  name: z.string(),
  witnesses: names,
  issuers: names,
});

const shapes = {
  issue: { by: account, to: account, amount },
  pay: { from: account, to: account, amount },
  redeem: { from: account, amount },
  merge: { from: account },
} as const;
