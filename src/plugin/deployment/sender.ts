import { SequencerError } from "../errors.ts";
import type { Chain } from "./chain.ts";
import { parseAddress } from "./parse-address.ts";

/** The account to send from: the network's first, or the one that `from` names by address or by index. */
export async function chooseSender(
  chain: Pick<Chain, "accounts">,
  {
    network,
    from,
  }: { readonly network: string; readonly from: string | undefined },
): Promise<string> {
  const accounts = await chain.accounts();
  const [first] = accounts;
  if (first === undefined) throw new SequencerError("NO_ACCOUNTS", { network });
  if (from === undefined) return first;
  const chosen = /^\d+$/.test(from)
    ? accounts[Number(from)]
    : accounts.find((account) => account === parseAddress("--from", from));
  if (chosen === undefined)
    throw new SequencerError("SENDER_UNKNOWN", {
      value: from,
      network,
      count: accounts.length,
    });
  return chosen;
}
