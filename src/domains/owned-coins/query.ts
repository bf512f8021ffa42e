import {
  type DomainCall,
  DomainRefusal,
  type Json,
  type StateView,
} from "../domain.ts";
import { nodeOf } from "./account.ts";
import { coinsOf, sumOf } from "./coin.ts";

/** Answers `balanceOf(string)`, if the node that is asked sees the coins of the account. */
export function query(
  { group, node, signature, args }: DomainCall,
  view: StateView,
): Readonly<Record<string, Json>> {
  const { account } = args;
  if (signature !== "balanceOf(string)" || typeof account !== "string")
    throw new DomainRefusal(
      `Owned coins answer balanceOf(string account), and not ${signature} of ${JSON.stringify(args).slice(0, 80)}.`,
    );
  const owner = nodeOf(account);
  if (owner === undefined || !group.members.includes(owner))
    throw new DomainRefusal(
      `"${account.slice(0, 80)}" is nobody in the group. Write name@node with one of: ${group.members.join(", ")}.`,
    );
  if (owner !== node && !group.endorsers.includes(node))
    throw new DomainRefusal(
      `${node} does not see the coins of "${account}". Ask ${owner}, or a witness: ${group.endorsers.join(", ")}.`,
    );
  const coins = [...coinsOf(view, account)];
  return { balance: sumOf(coins).toString(), coins: coins.length.toString() };
}
