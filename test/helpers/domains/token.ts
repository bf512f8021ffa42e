import { expect } from "chai";

import { DomainRefusal } from "../../../src/domains/domain.ts";
import { notarisedToken } from "../../../src/domains/notarised-token/notarised-token.ts";
import {
  readCoin,
  readLock,
} from "../../../src/domains/notarised-token/states.ts";
import { Play, type PlayedStep } from "./play.ts";

/** A token of two notaries, `bank` and `audit`, and two holders, `ann` and `bob`. */
export function aToken(
  configuration: Readonly<Record<string, string>> = {},
): Play {
  return new Play(notarisedToken, {
    members: ["bank", "audit", "ann", "bob"],
    configuration: { notaries: "bank, audit", ...configuration },
  });
}

/** Mints coins of these amounts for an account. */
export async function fund(
  play: Play,
  to: string,
  ...amounts: readonly (bigint | number)[]
): Promise<void> {
  for (const amount of amounts)
    await play.do("till@bank", "mint", { to, amount, data: "0x" });
}

export async function transfer(
  play: Play,
  { from, to, amount }: { from: string; to: string; amount: bigint | number },
): Promise<PlayedStep> {
  return await play.do(from, "transfer", { to, amount, data: "0x" });
}

/** Locks coins, and gives the id of the lock. */
export async function lockUp(
  play: Play,
  owner: string,
  amount: number,
): Promise<string> {
  const { intentId } = await play.do(owner, "lock", { amount, data: "0x" });
  return intentId;
}

/** What is in the hands of an account, as a notary sees it. */
export async function balanceOf(play: Play, account: string): Promise<string> {
  const { totalBalance } = await play.query("any@bank", "balanceOf", {
    account,
  });
  if (typeof totalBalance !== "string") throw new Error("No balance.");
  return totalBalance;
}

/** All that there is: in coins and in locks. */
export function supplyOf(play: Play): bigint {
  return play
    .unspent()
    .reduce(
      (sum, state) =>
        sum + ((readCoin(state) ?? readLock(state))?.amount ?? 0n),
      0n,
    );
}

/** Expects a refusal, and gives what it says. */
export async function refusal(action: () => unknown): Promise<string> {
  let thrown: unknown;
  try {
    await action();
  } catch (error) {
    thrown = error;
  }
  expect(thrown).to.be.instanceOf(DomainRefusal);
  return thrown instanceof DomainRefusal ? thrown.message : "";
}
