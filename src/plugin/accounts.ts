import { computeAddress, HDNodeWallet } from "ethers";
import type {
  NetworkConfig,
  ResolvedConfigurationVariable,
} from "hardhat/types/config";

import { SequencerError } from "./errors.ts";

/** What a node endorses or pays with. The key must not leave the process, and is never shown. */
export interface Account {
  readonly address: string;
  readonly privateKey: string;
}

/** The part of a Hardhat connection that has to do with accounts. */
export interface AccountsConnection {
  readonly networkName: string;
  readonly networkConfig: Readonly<NetworkConfig>;
  readonly provider: {
    readonly request: (request: {
      readonly method: string;
      readonly params: readonly unknown[];
    }) => Promise<unknown>;
  };
}

/** The words that Hardhat's node and Anvil publish, and make their accounts from. */
const publishedWords =
  "test test test test test test test test test test test junk";
const defaultPath = "m/44'/60'/0'/0";

/** Which accounts of a network are taken. */
export type End = "first" | "last";

/** Accounts of a network, with their keys: one for each node. */
export async function accountsFor(
  connection: AccountsConnection,
  count: number,
  end: End = "first",
): Promise<readonly Account[]> {
  const keys = await keysOf(connection, {
    needed: count,
    rangeIn: (total) => {
      const taken = Math.min(count, total);
      return { first: end === "first" ? 0 : total - taken, taken };
    },
  });
  if (keys.length < count)
    throw new SequencerError("ACCOUNTS_TOO_FEW", {
      network: connection.networkName,
      have: keys.length,
      need: count,
    });
  const accounts = keys.map((privateKey) => ({
    privateKey,
    address: computeAddress(privateKey),
  }));
  const addresses = accounts.map(({ address }) => address);
  const duplicate = addresses.find((one, i) => addresses.indexOf(one) !== i);
  if (duplicate !== undefined)
    throw new SequencerError("ACCOUNT_DUPLICATE", {
      network: connection.networkName,
      address: duplicate,
    });
  return accounts;
}

/** The account of a network with this address; undefined if its key is not there. */
export async function accountWith(
  connection: AccountsConnection,
  address: string,
): Promise<Account | undefined> {
  const wanted = address.toLowerCase();
  const keys = await keysOf(connection, {
    needed: 1,
    rangeIn: (total, addresses) => {
      // To derive a key takes milliseconds, and a chain has many.
      const first = addresses?.indexOf(wanted) ?? -1;
      return first === -1 ? { first: 0, taken: total } : { first, taken: 1 };
    },
  });
  return keys
    .map((privateKey) => ({ privateKey, address: computeAddress(privateKey) }))
    .find((known) => known.address.toLowerCase() === wanted);
}

interface Range {
  readonly first: number;
  readonly taken: number;
}

/** Which accounts are wanted. */
interface Choice {
  readonly needed: number;
  /** Out of so many; the addresses are there if the chain names them. */
  readonly rangeIn: (total: number, addresses?: readonly string[]) => Range;
}

async function keysOf(
  connection: AccountsConnection,
  choice: Choice,
): Promise<readonly string[]> {
  const { accounts } = connection.networkConfig;
  if (accounts === "remote") return await publishedKeysOf(connection, choice);
  if ("mnemonic" in accounts) {
    const [mnemonic, passphrase] = await Promise.all([
      accounts.mnemonic.get(),
      accounts.passphrase.get(),
    ]);
    return deriveKeys(
      { ...accounts, mnemonic, passphrase },
      choice.rangeIn(accounts.count),
    );
  }
  const { first, taken } = choice.rangeIn(accounts.length);
  return await Promise.all(
    accounts.slice(first, first + taken).map(async (account) => {
      const key: ResolvedConfigurationVariable =
        "privateKey" in account ? account.privateKey : account;
      return await key.getHexString();
    }),
  );
}

/** A chain for tests that owns the accounts which everybody knows the keys of needs no key in the configuration. */
async function publishedKeysOf(
  { networkName: network, provider }: AccountsConnection,
  choice: Choice,
): Promise<readonly string[]> {
  const known = await provider.request({ method: "eth_accounts", params: [] });
  const addresses = (Array.isArray(known) ? known : []).map((address) =>
    String(address).toLowerCase(),
  );
  const range = choice.rangeIn(addresses.length, addresses);
  const keys = deriveKeys(
    {
      mnemonic: publishedWords,
      passphrase: "",
      path: defaultPath,
      initialIndex: 0,
    },
    range,
  );
  const isKnown = keys.every((key) =>
    addresses.includes(computeAddress(key).toLowerCase()),
  );
  if (!isKnown || keys.length < choice.needed)
    throw new SequencerError("KEYS_MISSING", { network, count: choice.needed });
  return keys;
}

function deriveKeys(
  {
    mnemonic,
    passphrase,
    path,
    initialIndex,
  }: {
    readonly mnemonic: string;
    readonly passphrase: string;
    readonly path: string;
    readonly initialIndex: number;
  },
  { first, taken }: Range,
): readonly string[] {
  const parent = HDNodeWallet.fromPhrase(
    mnemonic.trim(),
    passphrase,
    path.replace(/\/$/, ""),
  );
  return Array.from(
    { length: taken },
    (_, i) => parent.deriveChild(initialIndex + first + i).privateKey,
  );
}
