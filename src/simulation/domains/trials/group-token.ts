import { z } from "zod";

import { groupToken } from "../../../domains/group-token.ts";
import { Bank } from "../bank.ts";
import type { History, Trial } from "../trial.ts";

const accounts = ["a", "b", "c", "d", "e"];

/** A token of the whole group: everybody spends everything, so that intents contend for the same coins. */
export const groupTokenTrial: Trial = {
  domain: groupToken,
  configure: () => ({}),
  drawCalls: () => (random) => {
    const minted = String(random.between(1, 5_000));
    const amount = String(random.between(1, 500));
    const to = random.pick(accounts);
    const from = random.pick(accounts);
    const dice = random.below(10);
    const [signature, args] =
      dice < 4
        ? ["mint(string,uint256)", { to, amount: minted }]
        : dice < 9
          ? ["transfer(string,string,uint256)", { from, to, amount }]
          : ["burn(string,uint256)", { from, amount }];
    return { from: "somebody", signature, args };
  },
  drawPair: (random) => {
    const account = `only-${random.word()}`;
    const amount = String(random.between(1, 500));
    const to = random.pick(accounts);
    return [
      {
        from: "somebody",
        signature: "mint(string,uint256)",
        args: { to: account, amount },
      },
      {
        from: "somebody",
        signature: "transfer(string,string,uint256)",
        args: { from: account, to, amount },
      },
    ];
  },
  concerns: () => true,
  check,
};

const intentType = z.object({
  type: z.enum(["mint", "transfer", "burn"]),
  from: z.string().optional(),
  to: z.string().optional(),
  amount: z.string().transform(BigInt),
});
const coinType = z
  .object({ account: z.string(), amount: z.string().transform(BigInt) })
  .transform(({ account: owner, amount }) => ({ owner, amount }));

function check({ steps, unspent }: History): void {
  const bank = new Bank();
  for (const { intentId, payload } of steps) {
    const { type, from, to, amount } = intentType.parse(JSON.parse(payload));
    if (type !== "mint") bank.take(from ?? "", amount, intentId);
    if (type !== "burn") bank.add(to ?? "", amount);
  }
  bank.compare(unspent.map(({ data }) => coinType.parse(data)));
}
