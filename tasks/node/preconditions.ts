import { type Account, accountWith } from "../../src/plugin/accounts.ts";
import { requireFactory } from "../../src/plugin/deployment/require-factory.ts";
import { SequencerError } from "../../src/plugin/errors.ts";
import type { ChainFacts, Connection } from "../shared/chain.ts";
import { openDataDir } from "../shared/data-dir.ts";
import { requireFunded } from "../shared/funds.ts";
import { requireSameAccounts, requireSameChain } from "../shared/resume.ts";
import type { NodeRequest } from "./options.ts";
import type { Peer } from "./peers.ts";

/** The accounts of a node. They may be the same. */
export interface NodeAccounts {
  readonly endorser: Account;
  /** Pays for what the node submits. */
  readonly payer: Account;
}

/** The accounts with which the node endorses and pays: their keys are there, and the one that pays can. */
export async function requireAccounts(
  connection: Connection,
  {
    name,
    own,
  }: {
    readonly name: string;
    readonly own: Pick<Peer, "endorser" | "payer">;
  },
): Promise<NodeAccounts> {
  const { networkName: network } = connection;
  const find = async (role: keyof NodeAccounts): Promise<Account> => {
    const address = own[role];
    const account = await accountWith(connection, address);
    if (account === undefined)
      throw new SequencerError("KEY_MISSING", {
        node: name,
        role,
        address,
        network,
      });
    return account;
  };
  const endorser = await find("endorser");
  const isSame = own.payer === own.endorser;
  const payer = isSame ? endorser : await find("payer");
  await requireFunded(connection, [name], [payer]);
  return { endorser, payer };
}

/** The factory, on the chain that the node was made for. Its first start decides which chain that is. */
export async function requireChain(
  { name, directory }: NodeRequest,
  {
    connection,
    chain,
    endorser,
    configured,
  }: {
    readonly connection: Connection;
    readonly chain: ChainFacts;
    readonly endorser: Account;
    readonly configured: string | undefined;
  },
): Promise<string> {
  const { saved, save } = openDataDir(directory);
  if (saved !== undefined) {
    await requireSameChain(saved, chain, { directory, connection });
    requireSameAccounts(saved, [endorser], directory);
    return saved.factory;
  }
  const factory = await requireFactory(connection, configured);
  const nodes = [{ name, address: endorser.address }];
  save({ version: 1, ...chain, factory, nodes });
  return factory;
}
