import { z } from "zod";

import { SequencerError } from "../errors.ts";

/** Types of options that several calls share. Whether a value makes sense is for nodes and domains to say. */
export const account = z.string();
export const amount = z.union([z.bigint(), z.number()]);
export const names = z.array(z.string());
export const threshold = z.union([z.number(), z.nan()]);
export const sendOptions = {
  dependsOn: z.array(z.union([z.string(), z.object({ id: z.string() })])),
} as const;

/** The options of `createGroup()`. */
export const newGroup = {
  domain: z.string(),
  members: names.optional(),
  threshold: threshold.optional(),
  name: z.string().optional(),
  configuration: z.record(z.string()).optional(),
} as const;

/** Refuses options that a compiler would refuse: unknown ones, missing ones, and those of another type. All at once. */
export function requireOptions(
  what: string,
  shape: z.ZodRawShape,
  value: unknown,
): void {
  const { error } = z.object(shape).strict().safeParse(value);
  if (error === undefined) return;
  const known = Object.keys(shape).join(", ");
  throw new SequencerError("OPTIONS_INVALID", {
    what,
    problems: error.issues
      .map((issue) =>
        issue.code === "unrecognized_keys"
          ? `${issue.keys.join(", ")}: unknown, expected one of ${known}`
          : `${issue.path.join(".") || "the options"}: ${issue.message}`,
      )
      .join("; "),
  });
}

/** A shape of which everything may be left out. */
export function optional(shape: z.ZodRawShape): z.ZodRawShape {
  return z.object(shape).partial().shape;
}
