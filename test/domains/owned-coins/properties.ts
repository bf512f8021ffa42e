import { expect } from "chai";
import fc from "fast-check";

import { DomainRefusal, type Json } from "../../../src/domains/domain.ts";
import { readCoin } from "../../../src/domains/owned-coins/coin.ts";
import { ownedCoins } from "../../../src/domains/owned-coins/owned-coins.ts";
import { Play } from "../../helpers/domains/play.ts";
import { nodeNamed } from "../../helpers/domains/states.ts";

const members = ["bank", "shop", "home"];
const accounts = ["mint@bank", "bob@shop", "alice@home", "carol@home"];
const signatures = [
  "issue(string,uint256)",
  "pay(string,uint256)",
  "redeem(uint256)",
  "merge()",
  "balanceOf(string)",
];

const anyAccount = fc.constantFrom(...accounts);
const anyAmount = fc.bigInt({ min: 1n, max: 30n });
const anyIntent = fc.oneof(
  fc.record({
    function: fc.constant("issue"),
    who: fc.constant("mint@bank"),
    args: fc.record({ to: anyAccount, amount: anyAmount }),
  }),
  fc.record({
    function: fc.constant("pay"),
    who: anyAccount,
    args: fc.record({ to: anyAccount, amount: anyAmount }),
  }),
  fc.record({
    function: fc.constant("redeem"),
    who: anyAccount,
    args: fc.record({ amount: anyAmount }),
  }),
  fc.record({
    function: fc.constant("merge"),
    who: anyAccount,
    args: fc.constant({}),
  }),
);

function aPlay(): Play {
  return new Play(ownedCoins, {
    members,
    configuration: { witnesses: "bank,shop" },
  });
}

/** What everybody has, by the states alone. */
function balances(play: Play): ReadonlyMap<string, bigint> {
  const sums = new Map(accounts.map((account) => [account, 0n]));
  for (const state of play.unspent()) {
    const coin = readCoin(state);
    if (coin === undefined) throw new Error("A state is no coin.");
    sums.set(coin.owner, (sums.get(coin.owner) ?? 0n) + coin.amount);
  }
  return sums;
}

/** Runs something that may refuse, and nothing else. */
function orRefusal(run: () => unknown): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof DomainRefusal)) throw error;
  }
}

const anyJson = fc
  .jsonValue({ maxDepth: 2 })
  .map((value): Json => JSON.parse(JSON.stringify(value)) as Json);
const anyArgs = fc.oneof(
  fc.dictionary(
    fc.constantFrom("to", "amount", "account", "from", "type", "__proto__"),
    fc.oneof(anyJson, anyAccount, fc.constantFrom("1", "0", "1e3")),
  ),
  fc.dictionary(fc.string(), anyJson),
);
const anyPayload = fc.oneof(
  fc.string(),
  fc.json(),
  fc
    .record(
      {
        type: fc.constantFrom("issue", "pay", "redeem", "merge", "steal"),
        from: fc.oneof(anyAccount, fc.string()),
        to: fc.oneof(anyAccount, fc.string()),
        amount: fc.oneof(anyJson, fc.constantFrom("0", "1", "9".repeat(39))),
        memo: anyJson,
      },
      { requiredKeys: ["type"] },
    )
    .map((intent) => JSON.stringify(intent)),
);

describe("owned-coins: properties", function () {
  this.timeout(30_000);

  it("keeps books that agree with a plain list of balances", async function () {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyIntent, { maxLength: 40 }),
        async (intents) => {
          const play = aPlay();
          const expected = new Map(accounts.map((account) => [account, 0n]));
          const add = (account: string, amount: bigint) =>
            expected.set(account, (expected.get(account) ?? 0n) + amount);
          for (const { function: name, who, args } of intents) {
            const outcome = await play.send(who, name, args);
            // Nobody refuses what an honest node assembled.
            expect(outcome.type).to.be.oneOf(["done", "reverted"]);
            const amount = "amount" in args ? args.amount : 0n;
            const isCovered = (expected.get(who) ?? 0n) >= amount;
            if (name !== "merge")
              expect(outcome.type === "done").to.equal(
                name === "issue" || isCovered,
              );
            if (outcome.type !== "done" || name === "merge") continue;
            if (name !== "issue") add(who, -amount);
            if ("to" in args) add(args.to, amount);
          }
          expect(balances(play)).to.deep.equal(expected);
        },
      ),
      { numRuns: 150, seed: 1 },
    );
  });

  it("answers to every owner what the states say", async function () {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyIntent, { maxLength: 20 }),
        async (intents) => {
          const play = aPlay();
          for (const { function: name, who, args } of intents)
            await play.send(who, name, args);
          for (const [account, balance] of balances(play)) {
            const at = [account, "anybody@bank"];
            for (const who of at)
              expect(
                (await play.query(who, "balanceOf", { account }))["balance"],
              ).to.equal(balance.toString());
          }
        },
      ),
      { numRuns: 50, seed: 2 },
    );
  });

  it("refuses or takes whatever users ask, and fails at nothing", function () {
    const play = aPlay();
    fc.assert(
      fc.property(
        fc.oneof(fc.constantFrom(...signatures), fc.string()),
        fc.oneof(fc.constantFrom("alice", "alice@home", ""), fc.string()),
        anyArgs,
        (signature, from, args) => {
          const node = nodeNamed("home");
          const call = { group: play.group, node, from, signature, args };
          orRefusal(() => ownedCoins.check(call));
          orRefusal(() => ownedCoins.query(call, play.view("home")));
        },
      ),
      { numRuns: 2_000, seed: 3 },
    );
  });

  it("refuses or takes whatever configuration, and fails at nothing", function () {
    const names = members.map(nodeNamed);
    const setting = fc.oneof(
      fc.string(),
      fc.array(fc.constantFrom(...members, ...accounts, "")).map(String),
    );
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.oneof(fc.constantFrom("witnesses", "issuers"), fc.string()),
          setting,
        ),
        (configuration) => {
          const plan = { members: names, configuration };
          orRefusal(() => {
            ownedCoins.checkGroup(plan);
            const witnesses = ownedCoins.endorsersOf?.(plan) ?? [];
            expect(witnesses.length).to.be.greaterThan(0);
            expect(names).to.include.members([...witnesses]);
            expect(new Set(witnesses).size).to.equal(witnesses.length);
          });
        },
      ),
      { numRuns: 2_000, seed: 4 },
    );
  });

  it("assembles or reverts whatever payload, and witnesses take only what an owner may ask", async function () {
    const play = aPlay();
    for (const to of accounts)
      await play.do("mint@bank", "issue", { to, amount: 50n });
    const before = balances(play);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...members),
        anyPayload,
        async (node, payload) => {
          const step = await play.assemblePayload(node, payload);
          if (step.type !== "assembled") {
            expect(step.type).to.equal("reverted");
            return;
          }
          const refusal = await play.endorse(step);
          const { from } = JSON.parse(payload) as { readonly from: string };
          if (from.split("@")[1] !== node)
            expect(refusal).to.include("does not speak for");
        },
      ),
      { numRuns: 2_000, seed: 5 },
    );
    expect(balances(play)).to.deep.equal(before);
  });
});
