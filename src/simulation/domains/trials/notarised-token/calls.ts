import type { IntentId } from "../../../../protocol/ids.ts";
import type { DomainGroup } from "../../../../domains/domain.ts";
import type { Random } from "../../../random.ts";
import { accountsOn, people } from "../../people.ts";
import type { DrawCall, DrawnCall } from "../../trial.ts";

/** A lock, as it is if everything that was asked for happens. */
interface ExpectedLock {
  readonly id: IntentId;
  readonly owner: string;
  /** Who may unlock it. */
  spender: string;
  /** The last intent that uses it. */
  last: IntentId;
}

const data = "0x";

/** Who mints, pays, burns, and sets money aside for others. */
export function drawCalls(group: DomainGroup): DrawCall {
  const accounts = accountsOn(group.members);
  const locks: ExpectedLock[] = [];
  return (random, { id, node }) => {
    const from = random.pick(people);
    const by = `${from}@${node}`;
    const own = locks.filter(({ spender }) => spender === by);
    if (own.length > 0 && random.chance(0.5))
      return { from, ...useLock(random, random.pick(own), { id, accounts }) };
    const isMinter =
      group.configuration["restrictMint"] !== "true" ||
      group.endorsers.includes(node);
    const to = random.pick(accounts);
    if (isMinter && random.chance(0.4)) {
      const args = { to, amount: drawAmount(random, 5_000), data };
      return { from, signature: "mint(string,uint256,bytes)", args };
    }
    const amount = drawAmount(random, 500);
    const dice = random.below(10);
    if (dice < 5) {
      const args = { to, amount, data };
      return { from, signature: "transfer(string,uint256,bytes)", args };
    }
    if (dice < 7)
      return {
        from,
        signature: "transferWhenFunded(string,uint256,bytes)",
        args: { to, amount, data },
        mayPark: true,
      };
    if (dice < 8)
      return { from, signature: "burn(uint256,bytes)", args: { amount, data } };
    locks.push({ id, owner: by, spender: by, last: id });
    return { from, signature: "lock(uint256,bytes)", args: { amount, data } };
  };
}

/** Prepares a lock, gives it to somebody, or opens it. */
function useLock(
  random: Random,
  lock: ExpectedLock,
  { id, accounts }: { readonly id: IntentId; readonly accounts: string[] },
): Omit<DrawnCall, "from"> {
  const { id: lockId, owner: from, last } = lock;
  const after = [last];
  lock.last = id;
  const dice = random.below(3);
  if (dice === 0) {
    lock.spender = random.pick(accounts);
    const args = { lockId, delegate: lock.spender, data };
    return { signature: "delegateLock(bytes32,string,bytes)", args, after };
  }
  const to = random.pick(accounts);
  const recipients = [{ to, amount: drawAmount(random, 200) }];
  const args = { lockId, from, recipients, data };
  if (dice === 1)
    return {
      signature: "unlock(bytes32,string,(string,uint256)[],bytes)",
      args,
      after,
    };
  return {
    signature: "prepareUnlock(bytes32,string,(string,uint256)[],bytes,bytes)",
    args: { ...args, unlockData: data },
    after,
  };
}

function drawAmount(random: Random, most: number): string {
  return String(random.between(1, most));
}
