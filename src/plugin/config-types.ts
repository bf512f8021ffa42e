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
