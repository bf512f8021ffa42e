import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect } from "chai";
import hre from "hardhat";

import { loadIdentity } from "../../../src/keys/identity-file.ts";
import { encodePublicKey } from "../../../src/keys/identity.ts";
import { openChainClient } from "../../../src/chain/client/open.ts";
import { publishedAccount } from "../../helpers/accounts.ts";
import { openTestLedger } from "../../helpers/runtime-ledger.ts";
import type { JsonServer } from "../../plugin/helpers/http.ts";
import { freePort } from "../../plugin/helpers/processes.ts";
import { aRelay } from "../../plugin/helpers/relay.ts";
import type { Exit } from "../../torture/harness/processes/child.ts";
import { NodeProcess } from "../../torture/harness/processes/node-process.ts";
import { until } from "../../torture/harness/processes/until.ts";

const deadlineMs = 90_000;

/** A node in a process of its own, on a chain that can be made to accept requests and answer none. */
describe("plugin: sequencer:node on a chain that hangs", function () {
  this.timeout(240_000);
  let folder: string;
  let relay: JsonServer;
  let isHanging = false;
  let unanswered = 0;
  let node: NodeProcess;
  let statusUrl: string;
  let lines: string[] = [];
  let exits: Exit[] = [];

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "hanging-chain-"));
    const { provider } = await hre.network.create();
    const { factory } = await openTestLedger(openChainClient(provider));
    relay = aRelay(provider, async (_method, forward) => {
      if (!isHanging) return await forward();
      unanswered++;
      return await new Promise(() => undefined);
    });
    const directory = join(folder, "alice");
    mkdirSync(directory, { mode: 0o700 });
    const statusPort = await freePort();
    statusUrl = `http://127.0.0.1:${statusPort}`;
    const alice = {
      address: `127.0.0.1:${await freePort()}`,
      key: encodePublicKey(loadIdentity({ directory }).publicKey),
      endorser: publishedAccount(1).address,
    };
    node = new NodeProcess(
      {
        name: "alice",
        dataDir: folder,
        rpcPort: 0,
        statusPort,
        chainUrl: await relay.start(),
        config: { networks: { torture: { factory } }, peers: { alice } },
        outDir: folder,
      },
      {
        onLine: (line) => lines.push(line),
        onExit: (exit) => exits.push(exit),
      },
    );
  });

  beforeEach(() => {
    isHanging = false;
    unanswered = 0;
    lines = [];
    exits = [];
  });

  afterEach(async () => {
    if (node.isUp) await node.kill();
  });

  after(async () => {
    await relay.stop();
    rmSync(folder, { recursive: true });
  });

  const hasStatus = async (status: number): Promise<void> => {
    await until({ what: `/ready is ${status}`, deadlineMs }, async () => {
      const response = await fetch(`${statusUrl}/ready`);
      return response.status === status || undefined;
    });
  };
  const events = (): readonly string[] =>
    lines.map((line) => (JSON.parse(line) as { event: string }).event);
  const hang = async (): Promise<void> => {
    isHanging = true;
    await until({ what: "it asks", deadlineMs }, () => unanswered || undefined);
  };

  it("is not ready while it hangs, and says so once", async () => {
    node.launch();
    await hasStatus(200);
    await hang();
    await hasStatus(503);
    const troubles = (): readonly string[] =>
      events().filter((event) => event.startsWith("chain-trouble"));
    expect(troubles()).to.deep.equal(["chain-trouble"]);
    // It goes on asking, and has nothing new to say.
    const before = unanswered;
    await until(
      { what: "it asks again", deadlineMs },
      () => unanswered >= before + 2 || undefined,
    );
    expect(troubles()).to.deep.equal(["chain-trouble"]);
    isHanging = false;
    await hasStatus(200);
    expect(troubles()).to.deep.equal(["chain-trouble", "chain-trouble-over"]);
    expect(await node.stop("SIGTERM")).to.include({ code: 0 });
  });

  it("ends when it is asked to", async () => {
    node.launch();
    await hasStatus(200);
    await hang();
    expect(await node.stop("SIGTERM")).to.include({ code: 0 });
    expect(events()).to.include("stopping");
  });

  it("ends when it is asked to while it starts", async () => {
    isHanging = true;
    node.launch();
    await until({ what: "it asks", deadlineMs }, () => unanswered || undefined);
    expect(await node.stop("SIGTERM")).to.include({ code: 0 });
  });

  it("leaves at once with 130 when it is asked twice", async () => {
    node.launch();
    await hasStatus(200);
    await hang();
    await until({ what: "it ends", deadlineMs }, () => {
      if (node.isUp) node.signal("SIGTERM");
      return exits[0];
    });
    expect(exits[0]).to.include({ code: 130 });
  });

  it("is told to the user if it hangs from the beginning", async () => {
    isHanging = true;
    node.launch();
    const exit = await until({ what: "it ends", deadlineMs }, () => exits[0]);
    expect(exit).to.include({ code: 1 });
    const said = readFileSync(join(folder, "alice.err"), "utf8");
    expect(said).to.include("NETWORK_UNREACHABLE");
  });
});
