import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect } from "chai";
import { JsonRpcProvider } from "ethers";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import type { JsonRpcServer } from "hardhat/types/network";

import { privacyGroupFactoryInterface } from "../../../src/ledger/index.ts";
import { identityOf } from "../../../tasks/identity/identity.ts";
import { parseNodeOptions } from "../../../tasks/node/options.ts";
import { plainReporter, type Reachable } from "../../../tasks/node/reporter.ts";
import { serve } from "../../../tasks/node/serve.ts";
import { Parts } from "../../../src/host/parts.ts";
import { anEnvironment, deploy } from "../../plugin/helpers/environment.ts";
import { expectError } from "../../plugin/helpers/errors.ts";
import { freePort } from "../../plugin/helpers/processes.ts";
import { until } from "../../torture/harness/processes/until.ts";

/** Accounts whose keys everybody knows. */
const [first, second] = [
  "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
  "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
] as const;

describe("plugin: the accounts of sequencer:node", function () {
  this.timeout(120_000);
  let chain: JsonRpcServer;
  let url: string;
  let dataDir: string;
  let parts: Parts;

  before(async () => {
    const hre = await anEnvironment();
    chain = await hre.network.createServer("default", "127.0.0.1", 0);
    const { address, port } = await chain.listen();
    url = `http://${address}:${port}`;
    await deploy(await environment());
  });

  after(async () => {
    await chain.close();
  });

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), "node-accounts-"));
    parts = new Parts();
  });

  afterEach(async () => {
    await parts.close();
    rmSync(dataDir, { recursive: true });
  });

  /** A project on that chain, with one node. */
  async function environment(
    accounts?: object,
  ): Promise<HardhatRuntimeEnvironment> {
    const peers = {
      alice: {
        address: `127.0.0.1:${await freePort()}`,
        key: `0x${"0".repeat(64)}`,
        endorser: first,
        ...accounts,
      },
    };
    return await anEnvironment(
      {
        networks: { chain: { type: "http", url } },
        sequencer: { peers, pollMs: 25, tickMs: 20 },
      },
      "chain",
    );
  }

  /** Starts it. What it says goes into the list. */
  async function start(
    accounts: object,
    lines: string[] = [],
  ): Promise<Reachable> {
    const { key } = identityOf({ name: "alice", dataDir });
    const reporter = plainReporter(
      { node: "alice" },
      {
        write: (line) => {
          lines.push(line);
        },
        report: (error) => {
          throw error;
        },
      },
    );
    const where = await serve(
      parseNodeOptions({
        name: "alice",
        dataDir,
        rpcPort: "0",
        statusPort: "0",
      }),
      {
        hre: await environment({ key, ...accounts }),
        parts,
        reporter,
        onFatal: (error) => {
          throw error;
        },
      },
    );
    reporter.ready(where);
    return where;
  }

  /** Creates a group of the node alone. Gives who paid for it, and who endorses in it. */
  async function createGroup(
    node: Reachable,
  ): Promise<{ readonly payer: string; readonly members: readonly string[] }> {
    const users = new JsonRpcProvider(node.url, node.chainId, {
      staticNetwork: true,
    });
    const ledger = new JsonRpcProvider(url);
    try {
      const fromBlock = (await ledger.getBlockNumber()) + 1;
      const sent = (await users.send("pgroup_createGroup", [
        { domain: "group-token", members: ["clerk@alice"] },
      ])) as { readonly genesisTransaction: string };
      await until(
        { what: "the group is there", deadlineMs: 30_000 },
        async () =>
          ((await users.send("ptx_getTransactionReceipt", [
            sent.genesisTransaction,
          ])) as object | null) === null
            ? undefined
            : true,
      );
      const [log] = await ledger.getLogs({ address: node.factory, fromBlock });
      if (log === undefined) throw new Error("There is no group.");
      const created = privacyGroupFactoryInterface.parseLog(log);
      if (created === null) throw new Error("It is another event.");
      const { creator, members } = created.args.toObject() as {
        readonly creator: string;
        readonly members: readonly string[];
      };
      return { payer: creator, members: [...members] };
    } finally {
      users.destroy();
      ledger.destroy();
    }
  }

  it("are one if the configuration names one", async () => {
    const lines: string[] = [];
    const node = await start({}, lines);
    expect(node).to.include({ account: first, payer: first });
    expect(lines.join("\n")).to.include(`endorses and pays as ${first}`);
    expect(await createGroup(node)).to.deep.equal({
      payer: first,
      members: [first],
    });
  });

  it("may be two: one endorses, and the other pays", async () => {
    const lines: string[] = [];
    const node = await start({ payer: second.toLowerCase() }, lines);
    expect(node).to.include({ account: first, payer: second });
    expect(lines.join("\n")).to.include(
      `endorses as ${first}, pays as ${second}`,
    );
    expect(await createGroup(node)).to.deep.equal({
      payer: second,
      members: [first],
    });
  });

  it("need not be the same as before, as far as payment goes", async () => {
    await start({});
    await parts.close();
    parts = new Parts();
    const node = await start({ payer: second });
    expect((await createGroup(node)).payer).to.equal(second);
  });

  it("must have their keys there, and only the one that pays must have money", async () => {
    const stranger = `0x${"12".repeat(20)}`;
    for (const role of ["endorser", "payer"]) {
      const error = await expectError("KEY_MISSING", async () => {
        await start({ [role]: stranger });
      });
      expect(error.message)
        .to.include(role === "payer" ? "pays as" : "endorses as")
        .and.to.include(`sequencer.peers.alice.${role}.`);
    }
    const ledger = new JsonRpcProvider(url);
    const balance = async (address: string, wei: string): Promise<void> => {
      await ledger.send("hardhat_setBalance", [address, wei]);
    };
    try {
      await balance(first, "0x0");
      await expectError("FUNDS_MISSING", async () => {
        await start({});
      });
      await parts.close();
      parts = new Parts();
      expect(
        (await createGroup(await start({ payer: second }))).payer,
      ).to.equal(second);
    } finally {
      await balance(first, `0x${(10n ** 21n).toString(16)}`);
      ledger.destroy();
    }
  });
});
