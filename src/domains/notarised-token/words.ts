import { z } from "zod";

import { type NodeName, parseNodeName } from "../../protocol/ids.ts";
import { AMOUNT_MAX, tokenLimits } from "./limits.ts";

// The words that intents and states are made of, each written in one way only.

/** Somebody on a node. 128 characters at most: the protocol takes no longer names of what an intent touches. */
const accountRule =
  /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?@[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export const account = z
  .string({ message: "must be an account: name@node" })
  .regex(accountRule, "must be an account: name@node");

export const amount = z
  .string({ message: "must be an amount" })
  .refine(
    (text) => /^[1-9][0-9]{0,77}$/.test(text) && BigInt(text) <= AMOUNT_MAX,
    "must be from 1 to 2^256 - 1",
  );

export const data = z
  .string({ message: "must be bytes" })
  .regex(/^0x(?:[0-9a-f]{2})*$/, "must be bytes: 0x and hexadecimal digits")
  .max(
    2 + 2 * tokenLimits.dataBytes,
    `must have at most ${tokenLimits.dataBytes} bytes`,
  );

export const lockId = z
  .string({ message: "must be the id of a lock" })
  .regex(/^0x[0-9a-f]{64}$/, "must be the id of a lock: 32 bytes");

export const recipients = z
  .array(z.object({ to: account, amount }).strict().readonly(), {
    message: "must be a list",
  })
  .max(
    tokenLimits.recipients,
    `must have at most ${tokenLimits.recipients} recipients`,
  )
  .readonly();

export type Recipients = z.infer<typeof recipients>;

/** The node of an account. Undefined only for what is no account. */
export function nodeOf(owner: string): NodeName | undefined {
  return parseNodeName(owner.split("@")[1]);
}

export function totalOf(parts: Recipients): bigint {
  return parts.reduce((sum, part) => sum + BigInt(part.amount), 0n);
}
