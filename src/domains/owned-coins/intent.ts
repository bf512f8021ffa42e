import { z } from "zod";

import { type DomainCall, DomainRefusal } from "../domain.ts";
import { accountAt, nodeOf } from "./account.ts";
import { amountType } from "./coin.ts";

const account = z
  .string()
  .refine(
    (text) => nodeOf(text) !== undefined,
    "an account is name@node, with a name of up to 63 characters",
  );

const from = account;
const to = account;
const amount = amountType;

const intentType = z.discriminatedUnion("type", [
  z.object({ type: z.literal("issue"), from, to, amount }).strict(),
  z.object({ type: z.literal("pay"), from, to, amount }).strict(),
  z.object({ type: z.literal("redeem"), from, amount }).strict(),
  z.object({ type: z.literal("merge"), from }).strict(),
]);

/** What an account wants done. */
export type CoinIntent = Readonly<z.infer<typeof intentType>>;

const types: ReadonlyMap<string, CoinIntent["type"]> = new Map([
  ["issue(string,uint256)", "issue"],
  ["pay(string,uint256)", "pay"],
  ["redeem(uint256)", "redeem"],
  ["merge()", "merge"],
]);

/** Reads what a user asks. Throws a {@link DomainRefusal} for nonsense. */
export function readCall({
  node,
  from: asker,
  signature,
  args,
}: DomainCall): CoinIntent {
  const type = types.get(signature);
  if (type === undefined)
    throw new DomainRefusal(
      `Owned coins know no ${signature}. Call one of: ${[...types.keys()].join(", ")}.`,
    );
  const owner = accountAt(node, asker);
  if (nodeOf(owner) !== node)
    throw new DomainRefusal(
      `"${asker}" is nobody on ${node}. Ask as name@${node}.`,
    );
  const read = intentType.safeParse({ ...args, type, from: owner });
  if (read.success) return read.data;
  const problems = read.error.issues.map(({ path, message }) => {
    const [name] = path;
    return name === undefined
      ? message
      : `${name}: ${message}, but is ${show(args[name])}`;
  });
  throw new DomainRefusal(
    `${signature} does not take these arguments: ${problems.join("; ")}.`,
  );
}

/** What an intent asks for; undefined if its payload is nonsense. */
export function readPayload(payload: string): CoinIntent | undefined {
  try {
    return intentType.safeParse(JSON.parse(payload)).data;
  } catch {
    return undefined;
  }
}

/** The same intent always as the same text. */
export function writePayload(intent: CoinIntent): string {
  return JSON.stringify(intent);
}

/** Accounts whose coins an intent spends or creates. */
export function accountsIn(intent: CoinIntent): readonly string[] {
  return "to" in intent && intent.to !== intent.from
    ? [intent.from, intent.to]
    : [intent.from];
}

function show(value: unknown): string {
  return value === undefined ? "missing" : JSON.stringify(value).slice(0, 80);
}
