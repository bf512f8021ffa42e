import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect } from "chai";
import hre from "hardhat";

import type { JsonServer } from "../../plugin/helpers/http.ts";
import { startHardhatNode } from "../../plugin/helpers/processes.ts";
import { aRelay } from "../../plugin/helpers/relay.ts";
import { RunProcess } from "../../plugin/helpers/run.ts";

/** A run in a process of its own, on a chain that can be made to accept requests and answer none. */
describe("plugin: sequencer:run on a chain that misbehaves", function () {
  this.timeout(180_000);
  let folder: string;
  let relay: JsonServer;
  let url: string;
  let isHanging = false;
  let unanswered = 0;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "run-hanging-"));
    const { provider } = await hre.network.create();
    relay = aRelay(provider, async (_method, forward) => {
      if (!isHanging) return await forward();
      unanswered++;
      return await new Promise(() => undefined);
    });
    url = await relay.start();
  });
  beforeEach(() => {
    isHanging = false;
    unanswered = 0;
  });
  after(async () => {
    await relay.stop();
    rmSync(folder, { recursive: true });
  });

  const start = (chainUrl: string): RunProcess =>
    new RunProcess(["--network", "chain", "--nodes", "2", "--rpc-port", "0"], {
      TMPDIR: folder,
      TEST_CHAIN_URL: chainUrl,
    });
  const hang = async (): Promise<void> => {
    isHanging = true;
    while (unanswered === 0)
      await new Promise((resolve) => setTimeout(resolve, 10));
  };

  it("ends when it is asked to while the chain hangs", async () => {
    const run = start(url);
    await run.until("ready");
    await hang();
    run.kill("SIGTERM");
    const { exitCode, summary, stderr } = await run.end();
    expect(exitCode, stderr).to.equal(0);
    expect(summary).to.include({ reason: "interrupted" });
  });

  it("says that the chain hangs, and goes on when it does not any more", async () => {
    const run = start(url);
    await run.until("ready");
    await hang();
    const { reason } = await run.until("chain-trouble");
    expect(reason).to.match(/did not answer in time/);
    isHanging = false;
    let troubles = 1;
    while ((await run.until("chain-trouble", troubles)).reason !== null)
      troubles++;
    run.kill("SIGTERM");
    expect((await run.end()).exitCode).to.equal(0);
  });

  it("says that a local chain was restarted", async () => {
    const first = await startHardhatNode();
    const run = start(first.url);
    await run.until("ready");
    await first.stop();
    const port = Number(new URL(first.url).port);
    const second = await startHardhatNode(port);
    try {
      const isOther = /^This is another chain: .* first block .* restarted/;
      let troubles = 0;
      while (
        !isOther.test((await run.until("chain-trouble", troubles)).reason ?? "")
      )
        troubles++;
      run.kill("SIGTERM");
      expect((await run.end()).exitCode).to.equal(0);
    } finally {
      await second.stop();
    }
  });
});
