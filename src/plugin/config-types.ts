import { z } from "zod";

/** An address of the base ledger. */
export const addressType: z.ZodType<string> = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, {
    message: 'Expected an address: "0x" and 40 hexadecimal digits',
  });

/** The name of a node. */
export const nodeNameType: z.ZodType<string> = z
  .string({ invalid_type_error: "Expected the name of a node, as a text" })
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, {
    message:
      'Expected a name: a letter or digit, then letters, digits, ".", "_" or "-", at most 64 in all',
  });

/** A whole number in a range, with one message for all that it is not. */
export function wholeNumber(
  { min, max }: { readonly min: number; readonly max: number },
  message = `Expected a whole number from ${min} to ${max}`,
): z.ZodType<number> {
  return z.custom<number>(
    (value) =>
      typeof value === "number" &&
      Number.isInteger(value) &&
      min <= value &&
      value <= max,
    { message },
  );
}

/** The same, with the unit in the message. */
export function counted(
  unit: string,
  range: { readonly min: number; readonly max: number },
): z.ZodType<number> {
  const { min, max } = range;
  return wholeNumber(
    range,
    `Expected a whole number of ${unit} from ${min} to ${max}`,
  );
}
