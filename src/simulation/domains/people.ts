import type { NodeName } from "../../protocol/ids.ts";
import type { DomainState } from "../../domains/domain.ts";

/** Those who use a node. */
export const people = ["x", "y"];

/** Their accounts. */
export function accountsOn(nodes: readonly NodeName[]): string[] {
  return nodes.flatMap((node) => people.map((name) => `${name}@${node}`));
}

/** The node of an account. */
export function homeOf(account: string): string {
  return account.slice(account.indexOf("@") + 1);
}

/** Nobody need ever see a state in which nobody is named who uses his node. */
export function namesSomebodyOn(
  node: NodeName,
  { data }: DomainState,
): boolean {
  return JSON.stringify(data).includes(`@${node}"`);
}
