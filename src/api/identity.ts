import { type NodeName, parseNodeName } from "../protocol/ids.ts";
import { isName } from "../keys/user-names.ts";
import { UserError } from "./errors.ts";

/** Somebody: a name on a node. */
export interface Identity {
  readonly name: string;
  readonly node: NodeName;
}

const addressRule = /^eth_address:0x[\da-f]{40}$/i;

/** Reads `name` or `name@node`. Throws a {@link UserError}. */
export function parseIdentity(text: string, local: NodeName): Identity {
  const [name = "", node, more] = text.split("@");
  const place = node === undefined ? local : parseNodeName(node);
  if (
    more !== undefined ||
    place === undefined ||
    !(isName(name) || addressRule.test(name))
  )
    throw new UserError(
      "PD020006",
      `'${text}' is not an identity; write name@node with letters, digits, '.', '_' and '-'`,
    );
  return { name, node: place };
}

/** Reads an identity of this node. Throws a {@link UserError}. */
export function parseLocalIdentity(text: string, local: NodeName): Identity {
  const identity = parseIdentity(text, local);
  if (identity.node !== local)
    throw new UserError(
      "PD012230",
      `'${text}' is an identity of node ${identity.node}, and this is ${local}`,
    );
  return identity;
}
