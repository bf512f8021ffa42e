import { parseQuantity, readAnswer } from "../chain/values.ts";
import type { ChainClient, Faucet } from "../chain/ports.ts";

/** Chains for tests, by what they call themselves, and how they give money away. */
const givers = [
  [/^HardhatNetwork\//i, "hardhat_setBalance"],
  [/^anvil\//i, "anvil_setBalance"],
] as const;

/** What somebody gets besides what he needs: 100 coins, enough for many transactions. */
const gift = 10n ** 20n;
/** Who needs more than a billion coins has made a mistake. */
const neededMax = 10n ** 27n;

/** Gives money on chains where it is worth nothing, and none on others. */
export function faucetOf(client: ChainClient): Faucet {
  let method: Promise<string | undefined> | undefined;
  const findMethod = async (): Promise<string | undefined> => {
    const version = String(await client.request("web3_clientVersion", []));
    return givers.find(([name]) => name.test(version))?.[1];
  };
  return async (address, needed) => {
    if (needed > neededMax) return false;
    method ??= findMethod().catch((error: unknown) => {
      method = undefined;
      throw error;
    });
    const give = await method;
    if (give === undefined) return false;
    const answer = await client.request("eth_getBalance", [address, "latest"]);
    if (readAnswer(parseQuantity, answer) >= needed) return false;
    const balance = `0x${(needed + gift).toString(16)}`;
    await client.request(give, [address, balance]);
    return true;
  };
}
