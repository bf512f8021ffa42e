import type { Account } from "../../src/plugin/accounts.ts";
import { SequencerError } from "../../src/plugin/errors.ts";
import type { Connection } from "./chain.ts";

/** Every node pays for what it submits, and any of them may have to. */
export async function requireFunded(
  { ethers, networkName: network }: Connection,
  names: readonly string[],
  accounts: readonly Account[],
): Promise<void> {
  const balances = await Promise.all(
    accounts.map(
      async ({ address }) => await ethers.provider.getBalance(address),
    ),
  );
  const poor = accounts.flatMap(({ address }, i) =>
    balances[i] === 0n ? [`${address} (${names[i] ?? ""})`] : [],
  );
  if (poor.length > 0)
    throw new SequencerError("FUNDS_MISSING", {
      network,
      accounts: poor.join(", "),
    });
}
