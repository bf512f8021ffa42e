import { requireFactory } from "../deployment/require-factory.ts";
import { SequencerError } from "../errors.ts";
import { type Account, accountWith } from "../running/accounts.ts";
import type { ChainFacts, Connection } from "../running/chain.ts";
import { openDataDir } from "../running/data-dir.ts";
import { requireFunded } from "../running/funds.ts";
import { requireSameAccounts, requireSameChain } from "../running/resume.ts";
import type { NodeRequest } from "./options.ts";
import type { Peer } from "./peers.ts";

/** The account with which the node endorses and pays. */
export async function requireAccount(
  connection: Connection,
  { name, own }: { readonly name: string; readonly own: Peer },
): Promise<Account> {
  const { networkName: network } = connection;
  const address = own.endorser;
  const account = await accountWith(connection, address);
  if (account === undefined)
    throw new SequencerError("KEY_MISSING", { node: name, address, network });
  await requireFunded(connection, [name], [account]);
  return account;
}

/** The factory, on the chain that the node was made for. Its first start decides which chain that is. */
export async function requireChain(
  { name, directory }: NodeRequest,
  {
    connection,
    chain,
    account,
    configured,
  }: {
    readonly connection: Connection;
    readonly chain: ChainFacts;
    readonly account: Account;
    readonly configured: string | undefined;
  },
): Promise<string> {
  const { saved, save } = openDataDir(directory);
  if (saved !== undefined) {
    await requireSameChain(saved, chain, { directory, connection });
    requireSameAccounts(saved, [account], directory);
    return saved.factory;
  }
  const factory = await requireFactory(connection, configured);
  const nodes = [{ name, address: account.address }];
  save({ version: 1, ...chain, factory, nodes });
  return factory;
}
