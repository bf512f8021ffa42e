import { HDNodeWallet } from "ethers";

/** The words that Hardhat's node and Anvil publish, and make their accounts from. */
export const publishedWords =
  "test test test test test test test test test test test junk";

const accounts = HDNodeWallet.fromPhrase(publishedWords, "", "m/44'/60'/0'/0");
const known = new Map<number, HDNodeWallet>();

/** The account with this number of those chains. It has money, and everybody knows its key. */
export function publishedAccount(index: number): {
  readonly address: string;
  readonly privateKey: string;
} {
  const account = known.get(index) ?? accounts.deriveChild(index);
  known.set(index, account);
  return account;
}
