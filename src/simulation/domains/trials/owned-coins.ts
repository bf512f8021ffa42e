import { z } from "zod";

import type { NodeName } from "../../../protocol/ids.ts";
import type { DomainGroup } from "../../../domains/domain.ts";
import { ownedCoins } from "../../../domains/owned-coins/owned-coins.ts";
import type { Random } from "../../random.ts";
import { violation } from "../../violation.ts";
import { Bank } from "../bank.ts";
import { accountsOn, homeOf, namesSomebodyOn, people } from "../people.ts";
import type { DrawnCall, History, Trial } from "../trial.ts";

/** Coins that only their owners spend, each on his own node, while witnesses endorse. */
export const ownedCoinsTrial: Trial = {
  domain: ownedCoins,
  configure: ({ members, committee }, random) => {
    const [first, ...others] = accountsOn(members);
    const issuers = [first, ...random.shuffle(others).slice(0, 2)].join(",");
    const witnesses = committee.join(",");
    return random.chance(0.5) ? { witnesses, issuers } : { witnesses };
  },
  drawCalls:
    (group) =>
    (random, { node }) =>
      drawCall(random, node, group),
  concerns: namesSomebodyOn,
  check,
};

function drawCall(
  random: Random,
  node: NodeName,
  group: DomainGroup,
): DrawnCall {
  const from = random.pick(people);
  const to = random.pick(accountsOn(random.pick([[node], group.members])));
  if (issuersOf(group).includes(`${from}@${node}`) && random.chance(0.5)) {
    const args = { to, amount: String(random.between(1, 5_000)) };
    return { from, signature: "issue(string,uint256)", args };
  }
  const amount = String(random.between(1, 500));
  const dice = random.below(10);
  if (dice < 7)
    return { from, signature: "pay(string,uint256)", args: { to, amount } };
  return dice < 9
    ? { from, signature: "merge()", args: {} }
    : { from, signature: "redeem(uint256)", args: { amount } };
}

function issuersOf({ members, configuration }: DomainGroup): readonly string[] {
  return (
    configuration["issuers"]?.split(",") ?? accountsOn(members.slice(0, 1))
  );
}

const amountType = z.string().transform(BigInt);
const intentType = z.discriminatedUnion("type", [
  z.object({
    type: z.enum(["issue", "pay"]),
    from: z.string(),
    to: z.string(),
    amount: amountType,
  }),
  z.object({
    type: z.literal("redeem"),
    from: z.string(),
    amount: amountType,
  }),
  z.object({ type: z.literal("merge"), from: z.string() }),
]);
const coinType = z.object({ owner: z.string(), amount: amountType });

function check({ group, steps, unspent }: History): void {
  const bank = new Bank();
  for (const { intentId, sender, payload } of steps) {
    const intent = intentType.parse(JSON.parse(payload));
    const { type, from } = intent;
    const isAllowed = type !== "issue" || issuersOf(group).includes(from);
    if (homeOf(from) !== sender || !isAllowed)
      throw violation("conserved", intentId, `is not for ${sender} to do`);
    if (type === "merge") continue;
    if (type !== "issue") bank.take(from, intent.amount, intentId);
    if (type !== "redeem") bank.add(intent.to, intent.amount);
  }
  bank.compare(unspent.map(({ data }) => coinType.parse(data)));
}
