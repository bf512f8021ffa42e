import { expect } from "chai";

import { abi } from "../../../src/domains/owned-coins/abi.ts";
import { call, failureOf } from "../../helpers/rpc/client.ts";
import { runHere } from "../helpers/run.ts";

const domain = "owned-coins";
const mint = "mint@alice";
const carol = "till@carol";
const dave = "till@dave";

/** Runs nodes as `sequencer:run` does, until the work with their JSON-RPC is done. */
async function withNodes(
  work: (urlOf: (node: string) => string) => Promise<void>,
): Promise<void> {
  const urls = new Map<string, string>();
  let failure: unknown = new Error("The nodes did not start.");
  await runHere(
    { nodes: "4", blockTime: "100" },
    {
      onFact: (fact, interrupt) => {
        if (fact.type === "node") urls.set(fact.node, fact.url);
        if (fact.type === "ready")
          void work((node) => urls.get(node) ?? "")
            .then(() => undefined)
            .catch((error: unknown) => error)
            .then((error) => {
              failure = error;
              interrupt();
            });
      },
    },
  );
  if (failure instanceof Error) throw failure;
}

/** Asks until there is an answer. */
async function until<Result>(
  ask: () => Promise<Result | null | undefined>,
): Promise<Result> {
  for (;;) {
    const answer = await ask();
    if (answer !== null && answer !== undefined) return answer;
  }
}

describe("owned-coins over JSON-RPC", function () {
  this.timeout(60_000);

  it("is created, issued, paid and asked about like any other group", async function () {
    await withNodes(async (urlOf) => {
      const functionOf = (name: string) =>
        abi.find((entry) => entry["name"] === name);
      const { id: group } = await call<{ readonly id: string }>(
        urlOf("alice"),
        "pgroup_createGroup",
        {
          domain,
          name: "coins",
          members: [mint, "eye@bob", carol, dave],
          configuration: {
            witnesses: "alice,bob",
            issuers: mint,
            threshold: "2",
          },
        },
      );
      const join = async (node: string) => {
        await until(async () => {
          const found = await call<{ readonly contractAddress: string } | null>(
            urlOf(node),
            "pgroup_getGroupById",
            domain,
            group,
          );
          return found?.contractAddress;
        });
      };
      for (const node of ["alice", "bob", "carol", "dave"]) await join(node);

      const send = async (from: string, name: string, input: object) => {
        const url = urlOf(from.split("@")[1] ?? "");
        const id = await call<string>(url, "pgroup_sendTransaction", {
          domain,
          group,
          from,
          function: functionOf(name),
          input,
        });
        const receipt = await until(
          async () =>
            await call<{ readonly success: boolean } | null>(
              url,
              "ptx_getTransactionReceipt",
              id,
            ),
        );
        return { url, id, receipt };
      };
      const ask = async (from: string, account: string) =>
        await call(urlOf(from.split("@")[1] ?? ""), "pgroup_call", {
          domain,
          group,
          from,
          function: functionOf("balanceOf"),
          input: { account },
        });
      /** A node knows its coins a moment after the block that has them. */
      const expectBalance = async (account: string, balance: string) => {
        const wanted = JSON.stringify({ balance, coins: "1" });
        await until(
          async () =>
            JSON.stringify(await ask(account, account)) === wanted || null,
        );
      };

      const issued = await send(mint, "issue", { to: carol, amount: "100" });
      expect(issued.receipt).to.include({ success: true });
      await expectBalance(carol, "100");
      const paid = await send(carol, "pay", { to: dave, amount: "30" });
      expect(paid.receipt).to.include({ success: true });
      await expectBalance(carol, "70");
      await expectBalance(dave, "30");
      expect(
        await call(paid.url, "ptx_getDomainReceipt", domain, paid.id),
      ).to.deep.equal({ type: "pay", from: carol, to: dave, amount: "30" });

      const poor = await send(dave, "redeem", { amount: "31" });
      expect(poor.receipt).to.include({
        failureMessage: `"${dave}" has 30, and 31 is asked for.`,
      });
      const blind = await failureOf(ask(dave, carol));
      expect(blind.message).to.include("dave does not see the coins");
      const thief = await failureOf(
        send(dave, "issue", { to: dave, amount: "1" }),
      );
      expect(thief.message).to.include("may not issue coins of this group");
    });
  });
});
