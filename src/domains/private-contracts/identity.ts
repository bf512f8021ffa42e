import { type Hex, keccak256, toHex } from "../../ledger/index.ts";
import { type NodeName, parseNodeName } from "../../protocol/ids.ts";
import { type DomainGroup, DomainRefusal } from "../domain.ts";

const NAME_LENGTH_MAX = 128;

/** Whether somebody on a node may be called so. The node follows after an `@`, so a name has none. */
export function isName(text: string): boolean {
  return (
    text.length > 0 && text.length <= NAME_LENGTH_MAX && !/[@\s]/.test(text)
  );
}

/**
 * The private address of `name@node` in a group: whom contracts see as `msg.sender`. Nobody has a key for it. It is another
 * one in every group, and so are the addresses of the contracts that come from it.
 */
export function privateAddressOf(
  { address }: Pick<DomainGroup, "address">,
  { name, node }: { readonly name: string; readonly node: NodeName },
): Hex {
  const text = JSON.stringify([
    "private-contracts",
    address.toLowerCase(),
    `${name}@${node}`,
  ]);
  return toHex(keccak256(text).slice(12));
}

/** Reads `name@node`, or `name` for somebody on this node. Throws a {@link DomainRefusal}. */
export function readIdentity(
  text: string,
  { group, node }: { readonly group: DomainGroup; readonly node: NodeName },
): { readonly name: string; readonly node: NodeName } {
  const [name = "", place, ...more] = text.split("@");
  const where = place === undefined ? node : parseNodeName(place);
  if (
    !isName(name) ||
    more.length > 0 ||
    where === undefined ||
    !group.members.includes(where)
  )
    throw new DomainRefusal(
      `${JSON.stringify(text)} is nobody in this group. Write name@node, with a node out of: ${group.members.join(", ")}.`,
    );
  return { name, node: where };
}
