import { isDeepStrictEqual } from "node:util";

import { z } from "zod";

import { violation } from "../../../violation.ts";
import type { Bank } from "../../bank.ts";

const amount = z.string().transform(BigInt);
const recipientsType = z.array(z.object({ to: z.string(), amount }));

/** What a lock on the ledger says. */
export const lockType = z.object({
  lockId: z.string(),
  owner: z.string(),
  amount,
  delegate: z.string().optional(),
  prepared: z.object({ recipients: recipientsType }).optional(),
});

export type Lock = z.infer<typeof lockType>;
type Recipients = z.infer<typeof recipientsType>;

/** Who uses which lock. */
interface Use {
  readonly by: string;
  readonly lockId: string;
}

/** Money that is set aside, as plain as can be. */
export class Locks {
  readonly #bank: Bank;
  readonly #locks = new Map<string, Lock>();

  constructor(bank: Bank) {
    this.#bank = bank;
  }

  lock(lockId: string, owner: string, value: bigint): void {
    this.#bank.take(owner, value, lockId);
    this.#locks.set(lockId, { lockId, owner, amount: value });
  }

  /** What nobody gets goes back to the owner. */
  unlock(use: Use & { readonly recipients: Recipients }, id: string): void {
    const { owner, amount: value, prepared } = this.#find(use, id);
    const { recipients } = use;
    const isPrepared = isDeepStrictEqual(
      prepared?.recipients ?? recipients,
      recipients,
    );
    const rest = value - totalOf(recipients);
    if (!isPrepared || rest < 0n)
      throw violation("conserved", id, "opens a lock as it must not");
    this.#locks.delete(use.lockId);
    for (const { to, amount: part } of recipients) this.#bank.add(to, part);
    this.#bank.add(owner, rest);
  }

  prepare(use: Use & { readonly recipients: Recipients }, id: string): void {
    const lock = this.#find(use, id);
    const { recipients } = use;
    if (lock.delegate !== undefined || totalOf(recipients) > lock.amount)
      throw violation("conserved", id, "prepares a lock as it must not");
    this.#locks.set(use.lockId, { ...lock, prepared: { recipients } });
  }

  delegate(use: Use & { readonly delegate: string }, id: string): void {
    const lock = this.#find(use, id);
    const delegate = use.delegate === lock.owner ? undefined : use.delegate;
    this.#locks.set(use.lockId, { ...lock, delegate });
  }

  /** Whether there are these locks, and no others. */
  compare(found: readonly Lock[]): void {
    const byId = (a: Lock, b: Lock): number => (a.lockId < b.lockId ? -1 : 1);
    const write = (locks: Iterable<Lock>): unknown =>
      [...locks].sort(byId).map(({ delegate, prepared, ...lock }) => ({
        ...lock,
        delegate,
        prepared,
      }));
    if (!isDeepStrictEqual(write(found), write(this.#locks.values())))
      throw violation("conserved", "locks", "are not what they should be");
  }

  /** `id` names what is to blame if somebody uses a lock that is not his to use. */
  #find({ by, lockId }: Use, id: string): Lock {
    const lock = this.#locks.get(lockId);
    if (lock === undefined || (lock.delegate ?? lock.owner) !== by)
      throw violation("conserved", id, `uses lock ${lockId.slice(0, 14)}`);
    return lock;
  }
}

function totalOf(recipients: Recipients): bigint {
  return recipients.reduce((sum, { amount: part }) => sum + part, 0n);
}
