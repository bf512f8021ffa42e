import { computeAddress, HDNodeWallet } from "ethers";
import type {
  NetworkConfig,
  ResolvedConfigurationVariable,
} from "hardhat/types/config";

import { SequencerError } from "../errors.ts";
import type { Ask } from "./mining.ts";

/** What a node endorses and pays with. The key must not leave the process, and is never shown. */
export interface NodeAccount {
  readonly address: string;
  readonly privateKey: string;
}

/** The words that Hardhat's node and Anvil publish, and make their accounts from. */
const published = {
  mnemonic: "test test test test test test test test test test test junk",
  passphrase: "",
  path: "m/44'/60'/0'/0",
  initialIndex: 0,
};

/**
 * An account for each node: the last ones of the network, as tests send from the first ones. Two who send from one account
 * take each other's nonces.
 */
export async function accountsFor(
  {
    network,
    config,
    count,
  }: {
    readonly network: string;
    readonly config: Readonly<NetworkConfig>;
    readonly count: number;
  },
  ports: { readonly ask: Ask },
): Promise<readonly NodeAccount[]> {
  const keys = await lastKeys({ network, config, count }, ports.ask);
  if (keys.length < count)
    throw new SequencerError("ACCOUNTS_TOO_FEW", {
      network,
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
      network,
      address: duplicate,
    });
  return accounts;
}

async function lastKeys(
  {
    network,
    config: { accounts },
    count,
  }: {
    readonly network: string;
    readonly config: Readonly<NetworkConfig>;
    readonly count: number;
  },
  ask: Ask,
): Promise<readonly string[]> {
  if (accounts === "remote") {
    const known = await ask("eth_accounts");
    const addresses = Array.isArray(known) ? known.map(String) : [];
    const keys = deriveLast({ ...published, count: addresses.length }, count);
    const isKnown = keys.every((key) =>
      addresses.includes(computeAddress(key).toLowerCase()),
    );
    if (isKnown && keys.length > 0) return keys;
    throw new SequencerError("KEYS_MISSING", { network, count });
  }
  if ("mnemonic" in accounts) {
    const mnemonic = await accounts.mnemonic.get();
    const passphrase = await accounts.passphrase.get();
    return deriveLast({ ...accounts, mnemonic, passphrase }, count);
  }
  return await Promise.all(
    accounts.slice(-count).map(async (account) => {
      const key: ResolvedConfigurationVariable =
        "privateKey" in account ? account.privateKey : account;
      return await key.getHexString();
    }),
  );
}

function deriveLast(
  wallet: {
    readonly mnemonic: string;
    readonly passphrase: string;
    readonly path: string;
    readonly initialIndex: number;
    readonly count: number;
  },
  count: number,
): readonly string[] {
  const { mnemonic, passphrase, path, initialIndex } = wallet;
  const parent = HDNodeWallet.fromPhrase(
    mnemonic.trim(),
    passphrase,
    path.replace(/\/$/, ""),
  );
  const taken = Math.min(count, wallet.count);
  return Array.from(
    { length: taken },
    (_, i) =>
      parent.deriveChild(initialIndex + wallet.count - taken + i).privateKey,
  );
}
