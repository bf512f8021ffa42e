import type { Evidence, Wish } from "../evidence/evidence.ts";
import { intentsOf, placesOf } from "./settlement.ts";
import type { Check, Violation } from "./violation.ts";

/** Every node has the same balances: those that the fulfilled intents come to, done plainly. Nothing is made or lost. */
export const checkBalances: Check = (evidence) => {
  const violations: Violation[] = [];
  const expected = expectedBalances(evidence);
  const asked = new Set(evidence.balances.map(({ account }) => account));
  for (const account of expected.keys())
    if (!asked.has(account))
      violations.push({
        property: "conserved",
        what: `nobody was asked what ${account} has`,
      });
  for (const { node, account, balance } of evidence.balances) {
    const right = expected.get(account) ?? 0;
    if (balance !== right)
      violations.push({
        property: "conserved",
        what: `at ${node}, ${account} has ${balance} instead of ${right}`,
      });
  }
  return violations;
};

/** What accounts have after all wishes that the ledger fulfilled, whether a client heard of it or not. */
function expectedBalances(evidence: Evidence): ReadonlyMap<string, number> {
  const balances = new Map<string, number>();
  const add = (account: string, amount: number): void => {
    balances.set(account, (balances.get(account) ?? 0) + amount);
  };
  const places = placesOf(evidence);
  const intents = intentsOf(evidence);
  for (const wish of fulfilledWishes(evidence, (id) => {
    const intent = intents.get(id);
    return intent !== undefined && places.has(intent);
  })) {
    if (wish.from !== undefined) add(wish.from, -wish.amount);
    add(wish.to, wish.amount);
  }
  return balances;
}

function fulfilledWishes(
  { answers, disks }: Evidence,
  isFulfilled: (transaction: string) => boolean,
): readonly Wish[] {
  const wishes = new Map(
    answers.flatMap((answer) =>
      answer.type === "wished" ? [[answer.key, answer.wish]] : [],
    ),
  );
  return disks.flatMap(({ transactions }) =>
    transactions.flatMap(({ id, key }) => {
      const wish = key === undefined ? undefined : wishes.get(key);
      return wish !== undefined && isFulfilled(id) ? [wish] : [];
    }),
  );
}
