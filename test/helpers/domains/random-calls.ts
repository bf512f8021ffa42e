import { getCreate2Address, id, keccak256 } from "ethers";

import type { Random } from "../random.ts";

/** A contract that counts how often it is called without data, and says so; with data, it destroys itself. */
export const countdown =
  "0x74366012575f54600101805f555f5260205ff35b33ff5f526015600bf3";

/** A call of one of the contracts of the scene. */
export interface RandomCall {
  readonly contract: "coin" | "workshop";
  readonly name: string;
  readonly args: readonly unknown[];
}

/** A call that may do anything that the contracts can do, and often something that they cannot. */
export function randomCall(
  random: Random,
  scene: { readonly users: readonly string[]; readonly workshop: string },
): RandomCall {
  const { below, pick } = random;
  const salt = (): string => id(`salt ${below(6)}`);
  const user = (): string => pick(scene.users);
  const amount = (): bigint => BigInt(below(400));
  const bytes = (): string =>
    `0x${"5a".repeat(pick([0, 1, 31, 32, 33, below(200)]))}`;
  const number = (): bigint => BigInt(random.bytes32()) >> BigInt(below(256));
  const coins: Readonly<Record<string, () => readonly unknown[]>> = {
    transfer: () => [user(), amount()],
    approve: () => [user(), amount()],
    transferFrom: () => [user(), user(), amount()],
    balanceOf: () => [user()],
  };
  const works: Readonly<Record<string, () => readonly unknown[]>> = {
    order: () => [
      BigInt(below(20)),
      BigInt(below(1_100)),
      "note ".repeat(below(12)),
      Array.from({ length: below(5) }, number),
    ],
    cancel: () => [BigInt(below(20))],
    fill: () => [BigInt(below(20)), number()],
    shrink: () => [BigInt(below(30))],
    write: () => [bytes()],
    cheer: () => [below(3)],
    divide: () => [number(), BigInt(below(3))],
    make: () => [number()],
    make2: () => [salt(), BigInt(below(9))],
    work: () => [salt(), BigInt(below(4))],
    attempt: () => [salt(), BigInt(below(4))],
    forge: () => [countdown, salt()],
    poke: () => [
      getCreate2Address(scene.workshop, salt(), keccak256(countdown)),
      pick(["0x", "0x", "0x", "0x00"]),
    ],
    recover: () => [
      random.bytes32(),
      pick([27, 28, 0]),
      random.bytes32(),
      random.bytes32(),
    ],
    scatter: () => [BigInt(below(8))],
    shout: () => [BigInt(below(100))],
  };
  const isCoin = random.chance(0.3);
  const [name, args] = pick(Object.entries(isCoin ? coins : works));
  return { contract: isCoin ? "coin" : "workshop", name, args: args() };
}
