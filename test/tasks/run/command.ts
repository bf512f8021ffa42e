import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect } from "chai";

import { askStatus } from "../../../tasks/status/ask-status.ts";
import { submitIntent } from "../../../tasks/submit/submit-intent.ts";
import { call } from "../../helpers/rpc/client.ts";
import { aTill } from "../../helpers/till.ts";
import { fulfilledIn } from "../../plugin/helpers/fulfilled.ts";
import { startHardhatNode } from "../../plugin/helpers/processes.ts";
import { RunProcess } from "../../plugin/helpers/run.ts";

describe("plugin: npx hardhat sequencer:run", function () {
  this.timeout(120_000);
  let folder: string;
  let variables: { readonly TMPDIR: string };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "run-test-"));
    variables = { TMPDIR: folder };
  });

  afterEach(() => {
    // Whatever happened, nothing is left behind.
    const left = readdirSync(folder).filter((name) => !name.startsWith("tsx"));
    expect(left).to.deep.equal([]);
    rmSync(folder, { recursive: true });
  });

  it("confirms 200 contended intents of 4 nodes without a revert", async () => {
    const moving = ["--policy", "rotating", "--range-size", "10"];
    const args = ["--intents", "200", "--rpc-port", "0", ...moving];
    const run = new RunProcess(args, variables);
    const { exitCode, summary, stderr } = await run.end();
    expect(exitCode, stderr).to.equal(0);
    expect(summary?.intents).to.deep.equal({
      confirmed: 200,
      reverted: 0,
      open: 0,
    });
    expect(summary?.ledger).to.include({ reverted: 0 });
    expect(summary?.ledger?.transactions).to.equal(summary?.bundles);
    const settled = run.facts.filter(({ type }) => type === "settled");
    expect(settled.length).to.be.greaterThan(199);
  });

  it("serves users until it is interrupted, and ends with 0", async () => {
    const run = new RunProcess(["--nodes", "3", "--rpc-port", "0"], variables);
    await run.until("ready");
    const urls = run.facts.flatMap((fact) =>
      fact.type === "node" ? [fact.url] : [],
    );
    const [status] = await askStatus({ url: urls.join(",") });
    if (status?.type !== "node-status") throw new Error("alice is down");
    expect(status.groups[0]?.ranking).to.have.length(3);
    const submit = async (text: string, args: string, url?: string) =>
      await submitIntent({ url, function: text, args, wait: true }, () => 0);
    const minted = await submit(
      "mint(string,uint256)",
      '{"to":"pot","amount":"5"}',
      urls[0],
    );
    expect(minted.type).to.equal("confirmed");
    const refused = await submit(
      "transfer(string,string,uint256)",
      '["pot","me","6"]',
      urls[1],
    );
    expect(refused.type).to.equal("reverted");
    run.kill("SIGINT");
    const { exitCode, summary, stderr } = await run.end();
    expect(exitCode, stderr).to.equal(0);
    expect(summary).to.include({ reason: "interrupted", workload: null });
    expect(summary?.intents).to.include({ confirmed: 1, reverted: 1 });
  });

  it("leaves at once with 130 when it is interrupted twice", async () => {
    const node = await startHardhatNode();
    const args = ["--network", "chain", "--rpc-port", "0"];
    try {
      const run = new RunProcess([...args, "--intents", "100000"], {
        ...variables,
        TEST_CHAIN_URL: node.url,
      });
      await run.until("accepted", 1_000);
      // Nothing ends from now on, so that it goes on waiting until it is interrupted again.
      await node.request("evm_setAutomine", false);
      run.kill("SIGINT");
      await run.until("stopping");
      // Signals that come together are one key press. There is a second between two of these.
      await run.until("status", countOf(run, "status") + 1);
      run.kill("SIGINT");
      const { exitCode, summary, stderr } = await run.end();
      expect(exitCode, stderr).to.equal(130);
      expect(summary?.reason).to.equal("left");
    } finally {
      await node.stop();
    }
  });

  it("goes on after a crash with what it had accepted", async () => {
    const node = await startHardhatNode();
    const dataDir = mkdtempSync(join(tmpdir(), "run-data-"));
    const chain = { ...variables, TEST_CHAIN_URL: node.url };
    const base = ["--network", "chain", "--rpc-port", "0"];
    const args = [...base, "--data-dir", dataDir];
    try {
      const first = new RunProcess([...args, "--intents", "100"], chain);
      const { group } = await first.until("group");
      await first.until("workload");
      first.kill("SIGKILL");
      await first.end();
      const accepted = first.facts.flatMap((fact) =>
        fact.type === "accepted" ? [fact.intent] : [],
      );
      expect(accepted).not.to.be.empty;

      const second = new RunProcess(args, chain);
      expect(await second.until("group")).to.include({ group, isNew: false });
      await second.until("ready");
      second.kill("SIGINT");
      const { exitCode, summary, stderr } = await second.end();
      expect(exitCode, stderr).to.equal(0);
      expect(summary?.intents).to.include({ reverted: 0, open: 0 });
      // What ended just before the crash was perhaps not told, so that only the ledger knows.
      const fulfilled = await fulfilledIn(node, group);
      expect(new Set(fulfilled).size).to.equal(fulfilled.length);
      expect(fulfilled).to.include.members(accepted);
    } finally {
      await node.stop();
      rmSync(dataDir, { recursive: true });
    }
  });

  it("goes on with the same group after its first node lost its database", async () => {
    const node = await startHardhatNode();
    const dataDir = mkdtempSync(join(tmpdir(), "run-data-"));
    const chain = { ...variables, TEST_CHAIN_URL: node.url };
    const base = ["--network", "chain", "--rpc-port", "0"];
    const args = [...base, "--data-dir", dataDir, "--intents", "20"];
    try {
      const first = new RunProcess(args, chain);
      const { group, members } = await first.until("group");
      await first.end();
      for (const file of ["node.db", "node.db-wal", "node.db-shm"])
        rmSync(join(dataDir, members[0] ?? "", file), { force: true });

      const second = new RunProcess(args, chain);
      expect(await second.until("group")).to.include({ group, isNew: false });
      const { exitCode, summary, stderr } = await second.end();
      expect(exitCode, stderr).to.equal(0);
      expect(summary?.intents).to.include({ reverted: 0, open: 0 });
      const fulfilled = await fulfilledIn(node, group);
      expect(new Set(fulfilled).size).to.equal(fulfilled.length);
      expect(fulfilled.length).to.be.at.least(40);
    } finally {
      await node.stop();
      rmSync(dataDir, { recursive: true });
    }
  });

  it("gets a user's transaction mined that it took before a crash", async () => {
    const node = await startHardhatNode();
    const dataDir = mkdtempSync(join(tmpdir(), "run-data-"));
    const chain = { ...variables, TEST_CHAIN_URL: node.url };
    const args = ["--network", "chain", "--rpc-port", "0", "--nodes", "2"];
    const start = (): RunProcess =>
      new RunProcess([...args, "--data-dir", dataDir], chain);
    const { abi, bytecode } = aTill();
    const resolve = async (run: RunProcess): Promise<string> =>
      await call<string>(
        urlOf(run),
        "ptx_resolveVerifier",
        "ann",
        "ecdsa:secp256k1",
        "eth_address",
      );
    try {
      const first = start();
      await first.until("ready");
      const address = await resolve(first);
      await node.request("evm_setAutomine", false);
      const id = await call<string>(urlOf(first), "ptx_sendTransaction", {
        type: "public",
        from: "ann",
        abi,
        bytecode,
        data: [7],
      });
      first.kill("SIGKILL");
      await first.end();

      const second = start();
      await second.until("ready");
      expect(await resolve(second)).to.equal(address);
      await node.request("evm_setAutomine", true);
      await node.request("evm_mine");
      let receipt: { readonly success?: true } | null = null;
      while (receipt === null)
        receipt = await call<{ readonly success?: true } | null>(
          urlOf(second),
          "ptx_getTransactionReceipt",
          id,
        );
      expect(receipt).to.include({ id, success: true });
      const count = await node.request(
        "eth_getTransactionCount",
        address,
        "latest",
      );
      expect(count).to.equal("0x1");
      second.kill("SIGINT");
      const { exitCode, stderr } = await second.end();
      expect(exitCode, stderr).to.equal(0);
    } finally {
      await node.stop();
      rmSync(dataDir, { recursive: true });
    }
  });
});

function urlOf({ facts }: RunProcess): string {
  const node = facts.find((fact) => fact.type === "node");
  return node?.type === "node" ? node.url : "";
}

function countOf({ facts }: RunProcess, type: string): number {
  return facts.filter((fact) => fact.type === type).length;
}
