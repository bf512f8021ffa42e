import { z } from "zod";

import type { IntentId } from "../../../../protocol/ids.ts";
import type { DomainGroup } from "../../../../domains/domain.ts";
import { violation } from "../../../violation.ts";
import { Bank } from "../../bank.ts";
import { homeOf } from "../../people.ts";
import type { History } from "../../trial.ts";
import { type Lock, Locks, lockType } from "./locks.ts";

const account = z.string();
const amount = z.string().transform(BigInt);
const recipients = z.array(z.object({ to: account, amount }));
const ofLock = { by: account, lockId: z.string() };

const intentType = z.discriminatedUnion("type", [
  z.object({ type: z.literal("mint"), by: account, to: account, amount }),
  z.object({
    type: z.enum(["transfer", "transferWhenFunded"]),
    by: account,
    to: account,
    amount,
  }),
  z.object({ type: z.enum(["burn", "lock"]), by: account, amount }),
  z.object({ type: z.literal("unlock"), ...ofLock, recipients }),
  z.object({ type: z.literal("prepareUnlock"), ...ofLock, recipients }),
  z.object({ type: z.literal("delegateLock"), ...ofLock, delegate: account }),
]);
type Intent = z.infer<typeof intentType>;

const coinType = z.object({ owner: account, amount });

/** Accounts and locks after everything that was confirmed, one after the other. */
export function check({ group, steps, unspent }: History): void {
  const bank = new Bank();
  const locks = new Locks(bank);
  for (const { intentId, sender, payload } of steps) {
    const intent = intentType.parse(JSON.parse(payload));
    if (homeOf(intent.by) !== sender || !mayAsk(group, intent))
      throw violation("conserved", intentId, `is not for ${sender} to do`);
    perform(intent, intentId, { bank, locks });
  }
  const statesOf = (schema: string): readonly unknown[] =>
    unspent.filter((state) => state.schema === schema).map(({ data }) => data);
  bank.compare(statesOf("coin").map((data) => coinType.parse(data)));
  locks.compare(statesOf("lock").map((data): Lock => lockType.parse(data)));
}

function mayAsk(
  { configuration, endorsers }: DomainGroup,
  { type, by }: Intent,
): boolean {
  return (
    type !== "mint" ||
    configuration["restrictMint"] !== "true" ||
    endorsers.some((notary) => notary === homeOf(by))
  );
}

function perform(
  intent: Intent,
  id: IntentId,
  { bank, locks }: { readonly bank: Bank; readonly locks: Locks },
): void {
  const { by } = intent;
  switch (intent.type) {
    case "mint":
      bank.add(intent.to, intent.amount);
      return;
    case "transfer":
    case "transferWhenFunded":
      bank.take(by, intent.amount, id);
      bank.add(intent.to, intent.amount);
      return;
    case "burn":
      bank.take(by, intent.amount, id);
      return;
    case "lock":
      locks.lock(id, by, intent.amount);
      return;
    case "unlock":
      locks.unlock(intent, id);
      return;
    case "prepareUnlock":
      locks.prepare(intent, id);
      return;
    case "delegateLock":
      locks.delegate(intent, id);
      return;
  }
}
