import type { RunFact } from "./facts.ts";

/**
 * Tells whether a fact is news to people. All nodes of a run share one chain: it is gone when the first of them says so, and
 * back when the last one does.
 */
export function createNews(): (fact: RunFact) => boolean {
  const without = new Set<string>();
  return (fact) => {
    if (fact.type !== "chain-trouble") return true;
    const { node, reason } = fact;
    if (reason === null) return without.delete(node) && without.size === 0;
    const isOnlyOne = [...without].every((one) => one === node);
    without.add(node);
    return isOnlyOne;
  };
}
