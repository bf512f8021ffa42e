import { expect } from "chai";

import type { SubmitFact } from "../../../src/view/submit.ts";
import { askDomain } from "../../../tasks/call/ask-domain.ts";
import { createGroup } from "../../../tasks/group/create-group.ts";
import { submitIntent } from "../../../tasks/submit/submit-intent.ts";
import { RealNodes } from "../../helpers/rpc/real-nodes.ts";
import { expectError } from "../../plugin/helpers/errors.ts";
import { JsonServer } from "../../plugin/helpers/http.ts";
import { freePort } from "../../plugin/helpers/processes.ts";
import { runJson, runRefused, transactionsOf } from "../helpers/commands.ts";

describe("sequencer:submit", function () {
  this.timeout(120_000);
  let nodes: RealNodes;
  let url: string;
  let address: string;
  const submit = async (
    options: Parameters<typeof submitIntent>[0] = {},
  ): Promise<SubmitFact> =>
    await submitIntent({ url, wait: true, ...options }, () => undefined);

  before(async () => {
    nodes = await RealNodes.start(["alice", "bob"]);
    url = nodes.urlsOf("alice").httpUrl;
    ({ address } = await nodes.createGroup());
  });
  after(async () => {
    await nodes.stop();
    expect(nodes.errors).to.deep.equal([]);
  });

  it("takes a bare name or a signature, and arguments by name or by place", async () => {
    const facts: SubmitFact[] = [];
    await submitIntent(
      { url, function: "mint", args: '{"to":"pot","amount":"5"}', wait: true },
      (fact) => facts.push(fact),
    );
    expect(facts[0]).to.include({
      type: "submitted",
      group: address,
      function: "mint(string,uint256)",
    });
    expect(facts[1]?.type).to.equal("confirmed");
    for (const name of [
      "mint(string,uint256)",
      "mint(string to, uint256 amount)",
    ])
      expect(
        (await submit({ function: name, args: '["pot",1]' })).type,
      ).to.equal("confirmed");
    const refused = await submit({
      function: "transfer",
      args: '["pot","me",8]',
    });
    expect(refused.type).to.equal("reverted");
  });

  it("refuses what is wrong by its name, and sends nothing", async () => {
    const before = await transactionsOf(nodes, "alice");
    const mint = { function: "mint", args: '{"to":"pot","amount":"5"}' };
    const refusals = [
      [{}, "FUNCTION_MISSING", "mint(string to, uint256 amount)"],
      [{ function: " " }, "FUNCTION_MISSING", "transfer(string from"],
      [
        { function: "destroy" },
        "FUNCTION_UNKNOWN",
        "balanceOf(string account)",
      ],
      [{ function: "mint(" }, "FUNCTION_UNKNOWN", "mint(string to"],
      [{ function: "mint(uint256)" }, "FUNCTION_UNKNOWN", "mint(string to"],
      [{ function: "balanceOf", args: '["pot"]' }, "FUNCTION_IS_VIEW", "call"],
      [{ function: "mint" }, "ARGUMENTS_INVALID", "to is missing"],
      [
        { ...mint, args: '{"to":"pot","amout":"5"}' },
        "ARGUMENTS_INVALID",
        "amout is unknown; the names are to, amount; amount is missing",
      ],
      [{ ...mint, args: '["pot"]' }, "ARGUMENTS_INVALID", "amount is missing"],
      [{ ...mint, args: '["pot",1,2]' }, "ARGUMENTS_INVALID", "3 values"],
      [{ ...mint, args: '["pot","x"]' }, "ARGUMENTS_INVALID", "uint256"],
      [{ ...mint, args: '["pot",-1]' }, "ARGUMENTS_INVALID", "-1"],
      [{ ...mint, args: '[7,"1"]' }, "ARGUMENTS_INVALID", "to cannot be 7"],
      [
        { ...mint, args: '["pot",12345678901234567890]' },
        "ARGUMENTS_INVALID",
        "as text",
      ],
      [{ ...mint, args: "{" }, "ARGS_INVALID", "{"],
      [{ ...mint, args: "" }, "ARGS_INVALID", "--args"],
      [{ ...mint, args: "7" }, "ARGS_INVALID", "7"],
      [{ ...mint, args: "null" }, "ARGS_INVALID", "null"],
      [{ ...mint, timeout: "0" }, "NUMBER_INVALID", "--timeout"],
      [{ ...mint, group: "" }, "GROUP_UNKNOWN", address.toLowerCase()],
      [{ ...mint, group: "theirs" }, "GROUP_UNKNOWN", "theirs"],
      [{ ...mint, group: `0x${"1".repeat(40)}` }, "GROUP_UNKNOWN", "0x1111"],
      [{ ...mint, group: `0x${"1".repeat(64)}` }, "GROUP_UNKNOWN", "0x1111"],
      [{ ...mint, from: "me@bob" }, "NODE_REFUSED", "me@bob"],
      [{ ...mint, from: "a b" }, "NODE_REFUSED", "a b"],
      [{ ...mint, url: "nowhere" }, "URL_INVALID", "--url"],
      [{ ...mint, url: `${url},${url}` }, "URL_INVALID", "--url"],
    ] as const;
    for (const [options, code, text] of refusals) {
      const error = await expectError(code, async () => await submit(options));
      expect(error.message).to.include(text);
    }
    const down = `http://127.0.0.1:${await freePort()}`;
    await expectError(
      "NODE_UNREACHABLE",
      async () => await submit({ ...mint, url: down }),
    );
    expect(await transactionsOf(nodes, "alice")).to.equal(before);
  });

  it("does not take functions from a node that talks nonsense", async () => {
    const group = {
      id: `0x${"22".repeat(32)}`,
      domain: "odd",
      name: "",
      created: "",
      members: [],
      contractAddress: address,
      genesisTransaction: null,
    };
    const server = new JsonServer(async ({ body }) => {
      const { method } = JSON.parse(body) as { method: string };
      const odd = { type: "function", name: "f(", stateMutability: "view" };
      return await Promise.resolve({
        result:
          method === "pgroup_queryGroups"
            ? [group]
            : [{ ...odd, inputs: [{ type: "what" }], outputs: [] }],
      });
    });
    try {
      const other = await server.start();
      await expectError(
        "NODE_UNREACHABLE",
        async () => await submit({ url: other, function: "f" }),
      );
    } finally {
      await server.stop();
    }
  });

  it("prints versioned JSON, and exits with 0, 1 or 3", async () => {
    const mint = ["sequencer:submit", "--url", url, "--function", "mint"];
    const args = ["--args", '{"to":"pot","amount":"5"}'];
    const [submitted, confirmed] = await runJson(0, ...mint, ...args, "--wait");
    expect(submitted).to.have.all.keys(
      ...["version", "type", "id", "url", "group", "function"],
    );
    expect(confirmed).to.have.all.keys(
      ...["version", "type", "id", "block", "transaction"],
    );
    const transfer = ["sequencer:submit", "--url", url, "--wait"];
    const [, reverted] = await runJson(
      3,
      ...[...transfer, "--function", "transfer"],
      ...["--args", '["pot","me","1000"]'],
    );
    expect(reverted).to.include({ version: 1, type: "reverted" });
    await runRefused("FUNCTION_UNKNOWN", ...transfer, "--function", "destroy");
    await runRefused("ARGUMENTS_INVALID", ...mint, "--args", "{}");
  });

  it("lists the groups when there are several, and takes the named one", async () => {
    const wanted = { url, domain: "group-token", members: "alice,bob" };
    const other = await createGroup({ ...wanted, name: "other" }, () => 0);
    if (other.type !== "group") throw new Error(other.type);
    const mint = { function: "mint", args: '["pot",2]' };
    const error = await expectError(
      "GROUP_MISSING",
      async () => await submit(mint),
    );
    expect(error.message).to.include(address).and.include('"other"');
    expect((await submit({ ...mint, group: "other" })).type).to.equal(
      "confirmed",
    );
    const balance = { url, function: "balanceOf", args: '["pot"]' };
    expect(
      await askDomain({ ...balance, group: other.id }),
    ).to.have.nested.property("outputs.balance", "2");
  });
});
