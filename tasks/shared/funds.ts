import type { Account } from "../../src/plugin/accounts.ts";
import { Chain } from "../../src/plugin/deployment/chain.ts";
import { SequencerError } from "../../src/plugin/errors.ts";
import type { Connection } from "./chain.ts";

/** Every node pays for what it submits, and any of them may have to. */
export async function requireFunded(
  connection: Connection,
  names: readonly string[],
  accounts: readonly Account[],
): Promise<void> {
  const { networkName: network } = connection;
  const chain = new Chain(connection);
  const balances = await Promise.all(
    accounts.map(async ({ address }) => await chain.balanceOf(address)),
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
