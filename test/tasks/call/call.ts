import { expect } from "chai";

import { askDomain } from "../../../tasks/call/ask-domain.ts";
import { answerLines } from "../../../tasks/call/format.ts";
import { submitIntent } from "../../../tasks/submit/submit-intent.ts";
import { RealNodes } from "../../helpers/rpc/real-nodes.ts";
import { expectError } from "../../plugin/helpers/errors.ts";
import { freePort } from "../../plugin/helpers/processes.ts";
import { runJson, runRefused, transactionsOf } from "../helpers/commands.ts";

describe("sequencer:call", function () {
  this.timeout(120_000);
  let nodes: RealNodes;
  let url: string;
  let address: string;

  before(async () => {
    nodes = await RealNodes.start(["alice", "bob"]);
    url = nodes.urlsOf("alice").httpUrl;
    ({ address } = await nodes.createGroup());
    const args = '{"to":"pot","amount":"1234567890123456789012"}';
    await submitIntent({ url, function: "mint", args, wait: true }, () => 0);
  });
  after(async () => {
    await nodes.stop();
    expect(nodes.errors).to.deep.equal([]);
  });

  it("gives the outputs by name, integers without loss", async () => {
    const balanceOf = { url, function: "balanceOf" };
    for (const args of ['{"account":"pot"}', '["pot"]']) {
      const fact = await askDomain({ ...balanceOf, args });
      expect(fact).to.deep.equal({
        type: "answer",
        url: new URL(url).origin,
        group: address,
        function: "balanceOf(string)",
        outputs: { balance: "1234567890123456789012", coins: "1" },
      });
      expect(answerLines(fact)).to.deep.equal([
        "balance: 1234567890123456789012",
        "coins: 1",
      ]);
    }
  });

  it("refuses what is wrong by its name, and sends nothing", async () => {
    const before = await transactionsOf(nodes, "alice");
    const balanceOf = { function: "balanceOf", args: '["pot"]' };
    const refusals = [
      [{}, "FUNCTION_MISSING", "balanceOf(string account) view"],
      [
        { function: "balance" },
        "FUNCTION_UNKNOWN",
        "balanceOf(string account)",
      ],
      [
        { function: "mint", args: '["pot",1]' },
        "FUNCTION_IS_NO_VIEW",
        "sequencer:submit",
      ],
      [
        { ...balanceOf, args: '{"acount":"pot"}' },
        "ARGUMENTS_INVALID",
        "acount is unknown; the names are account; account is missing",
      ],
      [{ ...balanceOf, args: "{}" }, "ARGUMENTS_INVALID", "account is missing"],
      [{ function: "balanceOf" }, "ARGUMENTS_INVALID", "account is missing"],
      [{ ...balanceOf, args: "[1]" }, "ARGUMENTS_INVALID", "of type string"],
      [{ ...balanceOf, args: "pot" }, "ARGS_INVALID", "pot"],
      [{ ...balanceOf, group: "theirs" }, "GROUP_UNKNOWN", "theirs"],
      [{ ...balanceOf, url: "nowhere" }, "URL_INVALID", "--url"],
      [{ ...balanceOf, from: "me@bob" }, "NODE_REFUSED", "me@bob"],
    ] as const;
    for (const [options, code, text] of refusals) {
      const error = await expectError(
        code,
        async () => await askDomain({ url, ...options }),
      );
      expect(error.message).to.include(text);
    }
    const down = `http://127.0.0.1:${await freePort()}`;
    await expectError(
      "NODE_UNREACHABLE",
      async () => await askDomain({ ...balanceOf, url: down }),
    );
    expect(await transactionsOf(nodes, "alice")).to.equal(before);
  });

  it("prints versioned JSON, and exits with 0 or 1", async () => {
    const ask = ["sequencer:call", "--url", url, "--function", "balanceOf"];
    const [answer] = await runJson(0, ...ask, "--args", '{"account":"pot"}');
    expect(answer).to.have.all.keys(
      ...["version", "type", "url", "group", "function", "outputs"],
    );
    expect(answer).to.include({ version: 1, type: "answer" });
    await runRefused("ARGUMENTS_INVALID", ...ask);
  });
});
