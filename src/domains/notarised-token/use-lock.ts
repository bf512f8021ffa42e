import type { DomainState } from "../domain.ts";
import { type Change, wrong } from "./change.ts";
import type { LockIntent } from "./intent.ts";
import { coin, type Lock, lock, readLock, spenderOf } from "./states.ts";
import { totalOf } from "./words.ts";

type IntentOf<Type extends LockIntent["type"]> = Extract<
  LockIntent,
  { type: Type }
>;

/** Unlocks a lock, or replaces it by one with other rights. Its value and its owner stay the same until it is unlocked. */
export function applyToLock(
  intent: LockIntent,
  inputs: readonly DomainState[],
): Change {
  const { by, lockId } = intent;
  const [input, ...others] = inputs;
  const locked = input && readLock(input);
  if (locked?.lockId !== lockId || others.length > 0)
    return wrong(`It spends something else than lock ${lockId}.`);
  if (spenderOf(locked) !== by)
    return wrong(
      `${by} has no say in lock ${lockId}: only ${spenderOf(locked)} has.`,
    );
  if ("from" in intent && intent.from !== locked.owner)
    return wrong(
      `Lock ${lockId} is of ${locked.owner}, and not of ${intent.from}.`,
    );
  switch (intent.type) {
    case "unlock":
      return unlock(intent, locked);
    case "prepareUnlock":
      return prepare(intent, locked);
    case "delegateLock": {
      // Who passes it to the owner gives it back.
      const { delegate } = intent;
      return replaceBy({
        ...locked,
        delegate: delegate === locked.owner ? undefined : delegate,
      });
    }
  }
}

/** The lock is over: what nobody gets goes back to its owner. */
function unlock(
  { lockId, recipients, data }: IntentOf<"unlock">,
  { owner, amount, prepared }: Lock,
): Change {
  if (
    prepared !== undefined &&
    JSON.stringify([prepared.recipients, prepared.data]) !==
      JSON.stringify([recipients, data])
  )
    return wrong(
      `Lock ${lockId} is prepared for other recipients or other data: lockOf says for which.`,
    );
  const rest = amount - totalOf(recipients);
  if (rest < 0n) return tooMuch(lockId, amount, totalOf(recipients));
  return {
    type: "change",
    outputs: [
      ...recipients.map((part) => coin(part.to, BigInt(part.amount))),
      ...(rest > 0n ? [coin(owner, rest)] : []),
    ],
    transfers: recipients.map((part) => ({
      from: owner,
      to: part.to,
      amount: part.amount,
    })),
  };
}

/** Only while the owner has the say: he must not be able to change what he has given away. */
function prepare(
  { lockId, recipients, unlockData }: IntentOf<"prepareUnlock">,
  locked: Lock,
): Change {
  const { owner, delegate, amount } = locked;
  if (delegate !== undefined)
    return wrong(`Only ${owner} prepares lock ${lockId}, and not ${delegate}.`);
  if (totalOf(recipients) > amount)
    return tooMuch(lockId, amount, totalOf(recipients));
  return replaceBy({ ...locked, prepared: { recipients, data: unlockData } });
}

function tooMuch(lockId: string, has: bigint, needs: bigint): Change {
  return wrong(`Lock ${lockId} has ${has}, and ${needs} is asked for.`);
}

function replaceBy(changed: Lock): Change {
  return { type: "change", outputs: [lock(changed)], transfers: [] };
}
