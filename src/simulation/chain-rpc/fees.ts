import type { Block } from "./block.ts";

const ELASTICITY = 2n;
const CHANGE_MAX = 8n;

/** The base fee after a block (EIP-1559). */
export function nextBaseFee(parent: Block): bigint | undefined {
  const { baseFee, gasUsed, gasLimit } = parent;
  if (baseFee === undefined) return undefined;
  const target = gasLimit / ELASTICITY;
  if (gasUsed === target) return baseFee;
  if (gasUsed > target) {
    const more = (baseFee * (gasUsed - target)) / target / CHANGE_MAX;
    return baseFee + (more > 1n ? more : 1n);
  }
  return baseFee - (baseFee * (target - gasUsed)) / target / CHANGE_MAX;
}
