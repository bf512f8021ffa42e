/** Throws if a condition does not hold that must, whatever others do: the node is wrong, and must stop. */
export function invariant(
  condition: boolean,
  mustHold: string,
): asserts condition {
  if (!condition) throw new Error(`Invariant violated: ${mustHold}.`);
}
