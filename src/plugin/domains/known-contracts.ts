import type { Interface, InterfaceAbi } from "ethers";

import type { ClusterGroup } from "../connection/types.ts";

/** Any private contract, whatever its ABI. */
export interface AnyPrivateContract<Abi extends InterfaceAbi = InterfaceAbi> {
  readonly group: ClusterGroup;
  readonly address: string;
  readonly abi: Abi;
  readonly interface: Interface;
}

const known = new WeakSet<AnyPrivateContract>();

/** Remembers a private contract, so that it is recognised without loading what it is made of. */
export function rememberPrivateContract(contract: AnyPrivateContract): void {
  known.add(contract);
}

/** Whether a value is a private contract. */
export function isPrivateContract(value: unknown): value is AnyPrivateContract {
  const objects: WeakSet<object> = known;
  return typeof value === "object" && value !== null && objects.has(value);
}
