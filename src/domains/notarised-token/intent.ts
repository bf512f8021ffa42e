import { z } from "zod";

import { type DomainCall, DomainRefusal } from "../domain.ts";
import { account, amount, data, lockId, recipients } from "./words.ts";

/** Who asks, an identity of the node that sends the intent, and what he adds. */
const asked = { by: account, data };

const intentType = z.discriminatedUnion("type", [
  z.object({ type: z.literal("mint"), ...asked, to: account, amount }).strict(),
  z
    .object({ type: z.literal("transfer"), ...asked, to: account, amount })
    .strict(),
  z
    .object({
      type: z.literal("transferWhenFunded"),
      ...asked,
      to: account,
      amount,
    })
    .strict(),
  z.object({ type: z.literal("burn"), ...asked, amount }).strict(),
  z.object({ type: z.literal("lock"), ...asked, amount }).strict(),
  z
    .object({
      type: z.literal("unlock"),
      ...asked,
      lockId,
      from: account,
      recipients,
    })
    .strict(),
  z
    .object({
      type: z.literal("prepareUnlock"),
      ...asked,
      lockId,
      from: account,
      recipients,
      unlockData: data,
    })
    .strict(),
  z
    .object({
      type: z.literal("delegateLock"),
      ...asked,
      lockId,
      delegate: account,
    })
    .strict(),
]);

/** What a user asks of a token. */
export type TokenIntent = Readonly<z.infer<typeof intentType>>;

/** What takes coins of the one who asks. */
export type SpendingIntent = Extract<
  TokenIntent,
  { type: "transfer" | "transferWhenFunded" | "burn" | "lock" }
>;

/** What takes a lock. */
export type LockIntent = Extract<TokenIntent, { lockId: string }>;

const typeBySignature = new Map<string, TokenIntent["type"]>([
  ["mint(string,uint256,bytes)", "mint"],
  ["transfer(string,uint256,bytes)", "transfer"],
  ["transferWhenFunded(string,uint256,bytes)", "transferWhenFunded"],
  ["burn(uint256,bytes)", "burn"],
  ["lock(uint256,bytes)", "lock"],
  ["createLock(uint256,bytes)", "lock"],
  ["unlock(bytes32,string,(string,uint256)[],bytes)", "unlock"],
  [
    "prepareUnlock(bytes32,string,(string,uint256)[],bytes,bytes)",
    "prepareUnlock",
  ],
  ["delegateLock(bytes32,string,bytes)", "delegateLock"],
]);

/** Reads what a user asks. Throws a {@link DomainRefusal} for nonsense. */
export function readCall(call: DomainCall): TokenIntent {
  const { signature, args } = call;
  const type = typeBySignature.get(signature);
  if (type === undefined)
    throw new DomainRefusal(
      `A notarised-token does not carry out ${signature}. It carries out: ${[...typeBySignature.keys()].join(", ")}.`,
    );
  const by = readCaller(call);
  const read = intentType.safeParse({ ...args, type, by });
  if (read.success) return read.data;
  throw refusalOf(signature, args, read.error.issues);
}

/** Reads what a sender was asked for; undefined if it makes no sense. */
export function readPayload(payload: string): TokenIntent | undefined {
  try {
    return intentType.safeParse(JSON.parse(payload)).data;
  } catch {
    return undefined;
  }
}

/**
 * What an intent touches: the accounts whose coins it spends or adds to, and its lock. Coins are only ever taken from the
 * account of the one who asks, so intents that touch nothing in common never take the same; and because those who are paid
 * count too, an intent sees what those before it did to its account.
 */
export function touchesOf(intent: TokenIntent): readonly string[] {
  const names = [intent.by];
  if ("to" in intent) names.push(intent.to);
  if ("lockId" in intent) names.push(`lock:${intent.lockId}`);
  if ("from" in intent) names.push(intent.from);
  if (intent.type === "unlock")
    names.push(...intent.recipients.map(({ to }) => to));
  return [...new Set(names)];
}

function readCaller({ from, node }: DomainCall): string {
  const read = account.safeParse(`${from}@${node}`);
  if (read.success) return read.data;
  throw new DomainRefusal(
    `"${from.slice(0, 80)}" cannot have coins. Ask as somebody whose name has letters, digits, ".", "_" and "-", at most 63.`,
  );
}

function refusalOf(
  signature: string,
  args: DomainCall["args"],
  issues: readonly z.ZodIssue[],
): DomainRefusal {
  const problems = issues.map(({ path, message }) => {
    let value: unknown = args;
    for (const key of path)
      value =
        typeof value === "object" && value !== null
          ? Reflect.get(value, key)
          : undefined;
    const shown = JSON.stringify(value ?? null).slice(0, 80);
    return `${path.join(".")} ${message}, and is ${shown}`;
  });
  return new DomainRefusal(
    `${signature} cannot be done: ${problems.join("; ")}.`,
  );
}
