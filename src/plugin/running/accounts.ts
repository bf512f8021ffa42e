import { computeAddress, HDNodeWallet } from "ethers";
import type {
  NetworkConfig,
  ResolvedConfigurationVariable,
} from "hardhat/types/config";

import { SequencerError } from "../errors.ts";

/** What a node endorses and pays with. The key must not leave the process, and is never shown. */
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

/** The first accounts of a network, with their keys: one for each node. */
export async function accountsFor(
  connection: AccountsConnection,
  count: number,
): Promise<readonly Account[]> {
  const keys = await keysOf(connection, count);
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

async function keysOf(
  connection: AccountsConnection,
  count: number,
): Promise<readonly string[]> {
  const { accounts } = connection.networkConfig;
  if (accounts === "remote") return await publishedKeysOf(connection, count);
  if ("mnemonic" in accounts) {
    const [mnemonic, passphrase] = await Promise.all([
      accounts.mnemonic.get(),
      accounts.passphrase.get(),
    ]);
    return deriveKeys(
      { ...accounts, mnemonic, passphrase },
      Math.min(count, accounts.count),
    );
  }
  return await Promise.all(
    accounts.slice(0, count).map(async (account) => {
      const key: ResolvedConfigurationVariable =
        "privateKey" in account ? account.privateKey : account;
      return await key.getHexString();
    }),
  );
}

/** A chain for tests that owns the accounts which everybody knows the keys of needs no key in the configuration. */
async function publishedKeysOf(
  { networkName: network, provider }: AccountsConnection,
  count: number,
): Promise<readonly string[]> {
  const known = await provider.request({ method: "eth_accounts", params: [] });
  const addresses = (Array.isArray(known) ? known : []).map((address) =>
    String(address).toLowerCase(),
  );
  const keys = deriveKeys(
    {
      mnemonic: publishedWords,
      passphrase: "",
      path: defaultPath,
      initialIndex: 0,
    },
    count,
  );
  const isKnown = keys.every((key) =>
    addresses.includes(computeAddress(key).toLowerCase()),
  );
  if (!isKnown) throw new SequencerError("KEYS_MISSING", { network, count });
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
  count: number,
): readonly string[] {
  const parent = HDNodeWallet.fromPhrase(
    mnemonic.trim(),
    passphrase,
    path.replace(/\/$/, ""),
  );
  return Array.from(
    { length: count },
    (_, i) => parent.deriveChild(initialIndex + i).privateKey,
  );
}
