import { type NodeName, parseNodeName } from "../../protocol/ids.ts";

/** Shorter than names of users may be: an account names what an intent touches, in 128 characters with its node. */
const nameRule = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;

/** The node of an account, which is written `name@node`; undefined if the text is no account. */
export function nodeOf(account: string): NodeName | undefined {
  const [name = "", node, more] = account.split("@");
  return more === undefined && nameRule.test(name)
    ? parseNodeName(node)
    : undefined;
}

/** The account of somebody on a node, who may say the node or leave it out. */
export function accountAt(node: NodeName, name: string): string {
  return name.includes("@") ? name : `${name}@${node}`;
}
