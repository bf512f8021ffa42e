import fc from "fast-check";

import type { Value } from "../../../src/plugin/connection/types.ts";

/** Somebody asks something of a token. */
export interface Wish {
  readonly who: string;
  readonly name: string;
  readonly args: Readonly<Record<string, Value>>;
}

/** Two users on each of two nodes, and one on each notary. */
export const accounts = [
  "ann@ann",
  "eve@ann",
  "bob@bob",
  "fay@bob",
  "till@bank",
  "clerk@audit",
] as const;

const account = fc.constantFrom(...accounts);
const amount = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 1, max: 60 }) },
  { weight: 1, arbitrary: fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }) },
);
const data = fc.constantFrom("0x", "0xc0de");
const recipients = fc.array(fc.record({ to: account, amount }), {
  maxLength: 3,
});

/** A lock is meant by how many were made before it; who uses it turns that into its id. */
const lockNumber = fc.nat(5);

type Arguments = Readonly<Record<string, fc.Arbitrary<Value>>>;

const kinds: readonly (readonly [weight: number, string, Arguments])[] = [
  [4, "mint", { to: account, amount, data }],
  [4, "transfer", { to: account, amount, data }],
  [1, "transferWhenFunded", { to: account, amount, data }],
  [1, "burn", { amount, data }],
  [3, "lock", { amount, data }],
  [3, "unlock", { lockId: lockNumber, from: account, recipients, data }],
  [
    2,
    "prepareUnlock",
    { lockId: lockNumber, from: account, recipients, unlockData: data, data },
  ],
  [2, "delegateLock", { lockId: lockNumber, delegate: account, data }],
];

const wish: fc.Arbitrary<Wish> = fc.oneof(
  ...kinds.map(([weight, name, args]) => ({
    weight,
    arbitrary: fc.record({
      who: name === "mint" ? fc.constant("till@bank") : account,
      name: fc.constant(name),
      args: fc.record(args),
    }),
  })),
);

/** What users may come up with, good and bad. */
export const wishes: fc.Arbitrary<readonly Wish[]> = fc.array(wish, {
  minLength: 5,
  maxLength: 40,
});

/** The wish with the id of a lock that was made, if it means one. */
export function withLock(
  { who, name, args }: Wish,
  locks: readonly string[],
): Wish {
  if (!("lockId" in args)) return { who, name, args };
  const number = Number(args["lockId"]);
  const lockId = locks[number % locks.length] ?? `0x${"ee".repeat(32)}`;
  return { who, name, args: { ...args, lockId } };
}
