import { z } from "zod";

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
  /** What an account has on the ledger without what is locked. Its own node tells, and every notary. */
  balanceOf(node: string, account: string): Promise<bigint>;
  /** Told by the nodes of its owner and its delegate, and by every notary. */
  lockOf(node: string, lockId: string): Promise<TokenLock>;
}

/** Creates a group of the domain `notarised-token`. */
export async function createToken(
  cluster: RunningCluster,
  { members, threshold, notaries, name, symbol, ...flags }: NewToken = {},
): Promise<Token> {
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
  const send = async (
    who: string,
    functionName: string,
    args: Readonly<Record<string, Value>>,
    { data = "0x", dependsOn = [] }: TokenOptions = {},
  ): Promise<SentIntent> => {
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
    mint: async ({ by, ...args }, options) =>
      await send(by, "mint", args, options),
    transfer: async ({ from, ...args }, options) =>
      await send(from, "transfer", args, options),
    transferWhenFunded: async ({ from, ...args }, options) =>
      await send(from, "transferWhenFunded", args, options),
    burn: async ({ from, ...args }, options) =>
      await send(from, "burn", args, options),
    lock: async ({ from, ...args }, options) =>
      await send(from, "lock", args, options),
    unlock: async ({ by, recipients, ...args }, options) =>
      await send(
        by ?? args.from,
        "unlock",
        { ...args, recipients: plain(recipients) },
        options,
      ),
    prepareUnlock: async (
      { recipients, unlockData = "0x", ...args },
      options,
    ) =>
      await send(
        args.from,
        "prepareUnlock",
        { ...args, unlockData, recipients: plain(recipients) },
        options,
      ),
    delegateLock: async ({ by, ...args }, options) =>
      await send(by, "delegateLock", args, options),
    balanceOf: async (node, account) =>
      balanceType.parse(await group.query(node, "balanceOf", { account }))
        .totalBalance,
    lockOf: async (node, lockId) =>
      lockType.parse(await group.query(node, "lockOf", { lockId })),
  };
}

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
