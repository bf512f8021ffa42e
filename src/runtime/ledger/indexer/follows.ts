import { ZERO_BYTES32 } from "../../../ledger/index.ts";

/**
 * Whether a block can be the child of another. Chains for tests make blocks that nobody looks at only when they are asked
 * for (`hardhat_mine`), and then those know no parent; no other block but the first says so.
 */
export function follows(
  block: { readonly parentHash: string },
  parent: { readonly hash: string },
): boolean {
  return block.parentHash === parent.hash || block.parentHash === ZERO_BYTES32;
}
