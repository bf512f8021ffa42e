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

/** A token to be created. What is left out: all nodes, the first one as its notary, everything allowed but others minting. */
export interface NewToken extends Pick<
  NewClusterGroup,
  "members" | "threshold"
> {
  /** Members that see and endorse everything. The threshold says how many of them must. */
  readonly notaries?: readonly string[];
  /** Only identities of notaries mint. */
  readonly restrictMint?: boolean;
  readonly allowBurn?: boolean;
  readonly allowLock?: boolean;
  readonly name?: string;
  readonly symbol?: string;
}

type Amount = bigint | number;

/** What goes with everything that is asked of a token. */
export interface TokenOptions extends Pick<SendOptions, "dependsOn"> {
  /** Bytes, as hexadecimal digits. */
  readonly data?: string;
}

/** Who gets how much. Accounts are written `name@node`. */
export interface Recipient {
  readonly to: string;
  readonly amount: Amount;
}

/** A lock, as a node sees it. */
export type TokenLock = z.infer<typeof lockType>;

/** A token of a group. Every intent is sent by the node of the account that asks for it. */
export interface Token {
  readonly group: ClusterGroup;
  mint(
    minting: Recipient & { readonly by: string },
    options?: TokenOptions,
  ): Promise<SentIntent>;
  transfer(
    transfer: Recipient & { readonly from: string },
    options?: TokenOptions,
  ): Promise<SentIntent>;
  /** The same, but parked while there is not enough money, until it is resumed. */
  transferWhenFunded(
    transfer: Recipient & { readonly from: string },
    options?: TokenOptions,
  ): Promise<SentIntent>;
  burn(
    burning: { readonly from: string; readonly amount: Amount },
    options?: TokenOptions,
  ): Promise<SentIntent>;
  /** The id of the intent is the id of the lock. */
  lock(
    locking: { readonly from: string; readonly amount: Amount },
    options?: TokenOptions,
  ): Promise<SentIntent>;
  /** Pays out a lock of `from`; what nobody gets goes back. Without `by`, its owner does it. */
  unlock(
    unlocking: {
      readonly by?: string;
      readonly from: string;
      readonly lockId: string;
      readonly recipients: readonly Recipient[];
    },
    options?: TokenOptions,
  ): Promise<SentIntent>;
  /** Binds what unlocking a lock can do: exactly these recipients, with these bytes. */
  prepareUnlock(
    preparing: {
      readonly from: string;
      readonly lockId: string;
      readonly recipients: readonly Recipient[];
      readonly unlockData?: string;
    },
    options?: TokenOptions,
  ): Promise<SentIntent>;
  /** From then on `delegate` alone unlocks it, or passes that on. */
  delegateLock(
    delegating: {
      readonly by: string;
      readonly lockId: string;
      readonly delegate: string;
    },
    options?: TokenOptions,
  ): Promise<SentIntent>;
  /** What an account has on the ledger without what is locked, as its own node sees it, or as a notary does. */
  balanceOf(
    account: string,
    options?: { readonly at?: string },
  ): Promise<bigint>;
  /** Told by the nodes of its owner and its delegate, and by every notary. */
  lockOf(lockId: string, options: { readonly at: string }): Promise<TokenLock>;
}

/** Creates a group of the domain `notarised-token`. */
export async function createToken(
  cluster: RunningCluster,
  options: NewToken = {},
): Promise<Token> {
  requireOptions("createToken()", newToken, options);
  const { members, threshold, notaries, name, symbol, ...flags } = options;
  return tokenOf(
    await cluster.createGroup({
      ...(members && { members }),
      ...(threshold !== undefined && { threshold }),
      ...(name !== undefined && { name }),
      domain: "notarised-token",
      configuration: {
        ...(notaries && { notaries: notaries.join(",") }),
        ...(name !== undefined && { name }),
        ...(symbol !== undefined && { symbol }),
        ...Object.fromEntries(
          Object.entries(flags).map(([flag, value]) => [flag, String(value)]),
        ),
      },
    }),
  );
}

/** The token of a group that is there. */
export function tokenOf(group: ClusterGroup): Token {
  const send = async <Asked extends object>(
    functionName: keyof typeof shapes,
    asked: Asked,
    options: TokenOptions | undefined,
    read: (asked: Asked) => {
      readonly who: string;
      readonly args: Readonly<Record<string, Value>>;
    },
  ): Promise<SentIntent> => {
    const what = `token.${functionName}()`;
    requireOptions(what, shapes[functionName], asked);
    requireOptions(what, tokenOptions, options ?? {});
    const { data = "0x", dependsOn = [] } = options ?? {};
    const { who, args } = read(asked);
    const { name: from, node } = parseAccount(who);
    return await group.send(
      node,
      functionName,
      { ...args, data },
      { from, dependsOn },
    );
  };
  return {
    group,
    mint: async (minting, options) =>
      await send("mint", minting, options, ({ by: who, ...args }) => ({
        who,
        args,
      })),
    transfer: async (transfer, options) =>
      await send("transfer", transfer, options, ofOwner),
    transferWhenFunded: async (transfer, options) =>
      await send("transferWhenFunded", transfer, options, ofOwner),
    burn: async (burning, options) =>
      await send("burn", burning, options, ofOwner),
    lock: async (locking, options) =>
      await send("lock", locking, options, ofOwner),
    unlock: async (unlocking, options) =>
      await send("unlock", unlocking, options, ({ by, ...args }) => ({
        who: by ?? args.from,
        args: { ...args, recipients: plain(args.recipients) },
      })),
    prepareUnlock: async (preparing, options) =>
      await send("prepareUnlock", preparing, options, (args) => ({
        who: args.from,
        args: {
          unlockData: "0x",
          ...args,
          recipients: plain(args.recipients),
        },
      })),
    delegateLock: async (delegating, options) =>
      await send(
        "delegateLock",
        delegating,
        options,
        ({ by: who, ...args }) => ({ who, args }),
      ),
    balanceOf: async (owner, options = {}) => {
      requireOptions("token.balanceOf()", optional({ at: account }), options);
      const at = options.at ?? parseAccount(owner).node;
      const answer = await group.query(at, "balanceOf", { account: owner });
      return balanceType.parse(answer).totalBalance;
    },
    lockOf: async (lockId, options) => {
      requireOptions("token.lockOf()", { at: account }, options);
      return lockType.parse(
        await group.query(options.at, "lockOf", { lockId }),
      );
    },
  };
}

/** The owner of the money asks. */
function ofOwner<
  Args extends { readonly amount: Amount; readonly to?: string },
>({
  from: who,
  ...args
}: Args & { readonly from: string }): {
  readonly who: string;
  readonly args: Omit<Args, "from">;
} {
  return { who, args };
}

const newToken = optional({
  members: names,
  threshold,
  notaries: names,
  restrictMint: z.boolean(),
  allowBurn: z.boolean(),
  allowLock: z.boolean(),
  name: z.string(),
  symbol: z.string(),
});

const tokenOptions = optional({ ...sendOptions, data: z.string() });

const recipients = z.array(z.object({ to: account, amount }).strict());

const shapes = {
  mint: { by: account, to: account, amount },
  transfer: { from: account, to: account, amount },
  transferWhenFunded: { from: account, to: account, amount },
  burn: { from: account, amount },
  lock: { from: account, amount },
  unlock: {
    by: account.optional(),
    from: account,
    lockId: z.string(),
    recipients,
  },
  prepareUnlock: {
    from: account,
    lockId: z.string(),
    recipients,
    unlockData: z.string().optional(),
  },
  delegateLock: { by: account, lockId: z.string(), delegate: account },
} as const;

const balanceType = z.object({ totalBalance: z.bigint() });

const lockType = z.object({
  owner: z.string(),
  amount: z.bigint(),
  /** Empty: nobody but its owner. */
  delegate: z.string(),
  isPrepared: z.boolean(),
  recipients: z.array(z.object({ to: z.string(), amount: z.bigint() })),
  unlockData: z.string(),
});

/** Without whatever else a caller's objects have. */
function plain(recipients: readonly Recipient[]): readonly Value[] {
  return recipients.map(({ to, amount }) => ({ to, amount }));
}
