import { expect } from "chai";
import { Interface } from "ethers";

import { call, failureOf } from "../../helpers/rpc/client.ts";
import { artifactOf } from "../helpers/private-contracts.ts";
import { runHere } from "../helpers/run.ts";

const domain = "private-contracts";

/** Runs nodes as `sequencer:run` does, until the work with their JSON-RPC is done. */
async function withNodes(
  work: (urlOf: (node: string) => string) => Promise<void>,
): Promise<void> {
  const urls = new Map<string, string>();
  let failure: unknown = new Error("The nodes did not start.");
  await runHere(
    { nodes: "3", blockTime: "100" },
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

interface Receipt {
  readonly success?: boolean;
  readonly failureMessage?: string;
  readonly domainReceipt?: {
    readonly receipt: {
      readonly to: string | null;
      readonly contractAddress: string | null;
      readonly logs: readonly {
        readonly topics: readonly string[];
        readonly data: string;
      }[];
    };
  };
}

describe("private-contracts over JSON-RPC", function () {
  this.timeout(60_000);

  it("are deployed, invoked and called as with Paladin's client", async function () {
    const { abi, bytecode } = await artifactOf("Coin");
    const coin = new Interface(abi);
    const entries = abi as readonly { type: string; name?: string }[];
    const entry = (name: string) =>
      entries.find((one) => (one.name ?? one.type) === name);
    await withNodes(async (urlOf) => {
      const members = ["owner@alice", "till@bob", "till@carol"];
      const { id: group } = await call<{ readonly id: string }>(
        urlOf("alice"),
        "pgroup_createGroup",
        {
          domain,
          name: "shop",
          members,
          configuration: { evmVersion: "cancun", threshold: "2" },
        },
      );
      const nodeOf = (who: string): string => urlOf(who.split("@")[1] ?? "");
      for (const member of members)
        await until(async () => {
          const found = await call<{ readonly contractAddress: string } | null>(
            nodeOf(member),
            "pgroup_getGroupById",
            domain,
            group,
          );
          return found?.contractAddress;
        });
      const send = async (from: string, more: object): Promise<Receipt> => {
        const url = nodeOf(from);
        const id = await call<string>(url, "pgroup_sendTransaction", {
          domain,
          group,
          from,
          ...more,
        });
        return await until(
          async () =>
            await call<Receipt | null>(
              url,
              "ptx_getTransactionReceiptFull",
              id,
            ),
        );
      };
      const ask = async (from: string, more: object): Promise<unknown> =>
        await call(nodeOf(from), "pgroup_call", {
          domain,
          group,
          from,
          ...more,
        });
      const addressOf = async (identity: string): Promise<string> => {
        const answer = await ask("owner@alice", {
          function: {
            type: "function",
            name: "addressOf",
            inputs: [{ name: "identity", type: "string" }],
            outputs: [{ name: "account", type: "address" }],
          },
          input: { identity },
        });
        return (answer as { readonly account: string }).account;
      };

      const deployed = await send("owner@alice", {
        function: entry("constructor"),
        bytecode,
        input: { supply: "1000" },
      });
      const to = deployed.domainReceipt?.receipt.contractAddress;
      expect(to).to.match(/^0x[0-9a-f]{40}$/);
      const till = await addressOf("till@bob");
      const paid = await send("owner@alice", {
        to,
        function: entry("transfer"),
        input: { to: till, value: "30" },
      });
      expect(paid.domainReceipt?.receipt.to).to.equal(to);
      const [log] = paid.domainReceipt?.receipt.logs ?? [];
      expect(log && coin.parseLog(log)?.args["value"]).to.equal(30n);

      // Another node knows of it a moment later.
      const balance = async (): Promise<unknown> =>
        await ask("till@carol", {
          to,
          function: entry("balanceOf"),
          input: { account: till },
        }).catch(() => undefined);
      const answer = await until(async () => {
        const found = await balance();
        return JSON.stringify(found) === '{"0":"30"}' ? found : undefined;
      });
      expect(answer).to.deep.equal({ "0": "30" });

      const poor = await send("till@bob", {
        to,
        function: entry("transfer"),
        input: { to: till, value: "31" },
      });
      expect(poor.success).to.equal(undefined);
      const [, data = ""] = /: (0x[0-9a-f]+)\.$/.exec(
        poor.failureMessage ?? "",
      ) ?? [""];
      expect(coin.parseError(data)?.name).to.equal("ERC20InsufficientBalance");
      const decoded = await call<{ readonly signature: string }>(
        urlOf("bob"),
        "ptx_decodeError",
        coin.encodeErrorResult("Error(string)", ["no"]),
        "",
      );
      expect(decoded.signature).to.equal("Error(string)");
      const nothing = await failureOf(
        ask("till@bob", {
          to: till,
          function: entry("balanceOf"),
          input: { account: till },
        }),
      );
      expect(nothing.message).to.include("There is no contract at");
      const wrong = await failureOf(
        call(urlOf("alice"), "pgroup_createGroup", {
          domain,
          members,
          configuration: { evmversion: "cancun" },
        }),
      );
      expect(wrong.message).to.include('no setting "evmversion"');
    });
  });
});
