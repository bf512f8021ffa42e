import { expect } from "chai";

import { explainTransaction } from "../../../tasks/explain/explain-transaction.ts";
import { receiptLines } from "../../../tasks/receipt/format.ts";
import { showReceipt } from "../../../tasks/receipt/show-receipt.ts";
import { submitIntent } from "../../../tasks/submit/submit-intent.ts";
import { RealNodes } from "../../helpers/rpc/real-nodes.ts";
import { expectError } from "../../plugin/helpers/errors.ts";
import { freePort, runHardhat } from "../../plugin/helpers/processes.ts";
import { runJson } from "../helpers/commands.ts";

const nobody = "00000000-0000-4000-8000-000000000000";

describe("sequencer:receipt and sequencer:explain", function () {
  this.timeout(120_000);
  let nodes: RealNodes;
  let url: string;

  beforeEach(async () => {
    nodes = await RealNodes.start(["alice", "bob"]);
    url = nodes.urlsOf("alice").httpUrl;
    await nodes.createGroup();
  });
  afterEach(async () => {
    await nodes.stop();
    expect(nodes.errors).to.deep.equal([]);
  });

  const send = async (
    name: string,
    args: readonly unknown[],
    wait: boolean,
  ): Promise<string> => {
    const text = JSON.stringify(args);
    const { id } = await submitIntent(
      { url, function: name, args: text, wait },
      () => undefined,
    );
    return id;
  };

  it("tell how a transaction ended, and what it did", async () => {
    const minted = await send("mint", ["pot", 5], true);
    const confirmed = await showReceipt({ id: minted.toUpperCase(), url });
    if (confirmed.type !== "confirmed") throw new Error(confirmed.type);
    expect(confirmed.transaction).to.match(/^0x[\da-f]{64}$/);
    expect(confirmed.states.confirmed).to.have.length(1);
    expect(confirmed.states.spent).to.deep.equal([]);
    expect(receiptLines(confirmed)[0]).to.match(/^Confirmed in block \d+, /);
    expect(await explainTransaction({ id: minted, url })).to.deep.equal({
      type: "confirmed",
      id: minted,
      block: confirmed.block,
      transaction: confirmed.transaction,
    });
    const id = await send("transfer", ["pot", "me", 6], true);
    const reverted = await showReceipt({ id, url });
    if (reverted.type !== "reverted") throw new Error(reverted.type);
    expect(reverted.reason).to.not.equal("");
    expect(receiptLines(reverted)).to.deep.equal([
      `Reverted: ${reverted.reason}`,
    ]);
    expect(await explainTransaction({ id, url })).to.deep.equal(reverted);
    const [line] = await runJson(0, "sequencer:receipt", minted, "--url", url);
    expect(line).to.deep.equal({ version: 1, ...confirmed });
    const [other] = await runJson(3, "sequencer:receipt", id, "--url", url);
    expect(other).to.deep.equal({ version: 1, ...reverted });
  });

  it("say what an open transaction waits for", async () => {
    await nodes.crash("bob");
    const id = await send("mint", ["pot", 5], false);
    const open = await showReceipt({ id, url });
    expect(open).to.include({ type: "open", id });
    expect(receiptLines(open)[0]).to.match(/^Still open: /);
    const fact = await explainTransaction({ id, url });
    if (fact.type !== "waiting") throw new Error(fact.type);
    expect(fact.why).to.not.equal("");
    const [line] = await runJson(0, "sequencer:explain", id, "--url", url);
    expect(line).to.include({ version: 1, type: "waiting", id });
    const [still] = await runJson(4, "sequencer:receipt", id, "--url", url);
    expect(still).to.include({ version: 1, type: "open", id });
    const submitted = await runJson(
      4,
      ...["sequencer:submit", "--url", url, "--function", "mint"],
      ...["--args", '["pot",5]', "--wait", "--timeout", "1"],
    );
    expect(submitted.map(({ type }) => type)).to.deep.equal([
      "submitted",
      "open",
    ]);
    const unknownIntent = `0x${"ab".repeat(32)}`;
    expect(await explainTransaction({ id: unknownIntent, url })).to.deep.equal({
      type: "idle",
      id: unknownIntent,
    });
  });

  it("refuse ids that are none, or of nobody", async () => {
    for (const ask of [showReceipt, explainTransaction]) {
      for (const id of ["", "7", "0x12", `${nobody}0`, "ptx"])
        await expectError(
          "TRANSACTION_ID_INVALID",
          async () => await ask({ id, url }),
        );
      const unknown = await expectError(
        "TRANSACTION_UNKNOWN",
        async () => await ask({ id: nobody, url }),
      );
      expect(unknown.message).to.include(nobody);
      const down = `http://127.0.0.1:${await freePort()}`;
      await expectError(
        "NODE_UNREACHABLE",
        async () => await ask({ id: nobody, url: down }),
      );
      await expectError(
        "URL_INVALID",
        async () => await ask({ id: nobody, url: "nowhere" }),
      );
    }
    await expectError(
      "TRANSACTION_ID_INVALID",
      async () => await showReceipt({ id: `0x${"ab".repeat(32)}`, url }),
    );
    for (const name of ["sequencer:receipt", "sequencer:explain"]) {
      const { exitCode, stderr } = await runHardhat([name], {});
      expect(exitCode).to.equal(1);
      expect(stderr).to.include("id");
      const { stdout } = await runHardhat([name, "--help"], {});
      expect(stdout).to.match(/\[--json\].* id$/m);
    }
  });
});
