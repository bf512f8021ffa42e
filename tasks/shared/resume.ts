import type { Account } from "../../src/plugin/accounts.ts";
import { SequencerError } from "../../src/plugin/errors.ts";
import type { ChainFacts, Connection } from "./chain.ts";
import type { SavedRun } from "./data-dir.ts";

/** The chain has what the nodes remember of it. */
export async function requireSameChain(
  saved: SavedRun,
  found: ChainFacts,
  {
    directory,
    connection,
  }: { readonly directory: string; readonly connection: Connection },
): Promise<void> {
  const refuse = (reason: string): never => {
    throw new SequencerError("CHAIN_OTHER", {
      directory,
      network: connection.networkName,
      reason,
    });
  };
  if (found.chainId !== saved.chainId)
    refuse(`its id is ${found.chainId}, and theirs is ${saved.chainId}`);
  if (found.genesis !== saved.genesis)
    refuse(
      `its first block is ${found.genesis}, and theirs is ${saved.genesis}`,
    );
  const { factory, group } = saved;
  for (const [name, address] of [
    ["factory", factory],
    ["group", group?.address],
  ] as const) {
    if (address === undefined) continue;
    const params = [address, "latest"];
    const method = "eth_getCode";
    const code: unknown = await connection.provider.request({ method, params });
    if (code === "0x") refuse(`their ${name} ${address} is not there`);
  }
}

/** The committee on the ledger is made of addresses, so every node must have the one that it had. */
export function requireSameAccounts(
  saved: SavedRun,
  accounts: readonly Account[],
  directory: string,
): void {
  for (const [i, { name: node, address }] of saved.nodes.entries()) {
    const found = accounts[i]?.address ?? "missing";
    if (found.toLowerCase() !== address.toLowerCase())
      throw new SequencerError("ACCOUNTS_CHANGED", {
        directory,
        node,
        saved: address,
        found,
      });
  }
}
