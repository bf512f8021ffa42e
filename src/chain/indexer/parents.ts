import { ZERO_BYTES32 } from "../../ledger/index.ts";

interface Child {
  readonly number: number;
  readonly parentHash: string;
}

/** The hash of a block's parent, if the chain tells it: Hardhat makes many empty blocks at once without, and says zero. */
export function parentOf({ number, parentHash }: Child): string | undefined {
  return parentHash === ZERO_BYTES32 && number > 0 ? undefined : parentHash;
}

/** Whether a block can be the next one after another with this hash. Only a simulated chain may leave the parent out. */
export function canFollow(
  child: Child,
  hash: string,
  { isSimulated }: { readonly isSimulated: boolean },
): boolean {
  return (parentOf(child) ?? (isSimulated ? hash : undefined)) === hash;
}
