/** Hardhat makes thousands of empty blocks at once without their parents' hashes, and fills in zeros. */
const UNKNOWN = `0x${"0".repeat(64)}`;

interface Child {
  readonly number: number;
  readonly parentHash: string;
}

/** The hash of a block's parent, if the chain tells it. */
export function parentOf({ number, parentHash }: Child): string | undefined {
  return parentHash === UNKNOWN && number > 0 ? undefined : parentHash;
}

/** Whether a block can be the next one after another with this hash. */
export function canFollow(child: Child, hash: string): boolean {
  const parent = parentOf(child);
  return parent === undefined || parent === hash;
}
