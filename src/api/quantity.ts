import { UserError } from "./errors.ts";

const MAX = 2n ** 256n - 1n;

/** Reads an amount as users write it: a number, decimal digits, or 0x and digits. Undefined if there is none. */
export function readQuantity(name: string, value: unknown): bigint | undefined {
  if (value === undefined || value === null) return undefined;
  const digits = typeof value === "number" ? String(value) : value;
  const isWritten =
    typeof digits === "string" && /^(\d{1,78}|0x[\da-f]{1,64})$/i.test(digits);
  // A number that JSON readers round is not what the user meant.
  const isExact = typeof value !== "number" || Number.isSafeInteger(value);
  const amount = isWritten && isExact ? BigInt(digits) : undefined;
  if (amount === undefined || amount > MAX)
    throw new UserError(
      "PD099012",
      `${name} cannot be ${JSON.stringify(value)}: write a whole number, as digits or as 0x and digits`,
    );
  return amount;
}
