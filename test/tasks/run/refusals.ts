import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect } from "chai";

import type { Connection } from "../../../tasks/shared/chain.ts";
import type { SavedRun } from "../../../tasks/shared/data-dir.ts";
import {
  requireSameAccounts,
  requireSameChain,
} from "../../../tasks/shared/resume.ts";
import { askStatus } from "../../../tasks/status/ask-status.ts";
import { submitIntent } from "../../../tasks/submit/submit-intent.ts";
import { expectError } from "../../plugin/helpers/errors.ts";
import {
  freePort,
  type Node,
  startHardhatNode,
} from "../../plugin/helpers/processes.ts";
import { runHere } from "../../plugin/helpers/run.ts";

const file = join(tmpdir(), `run-refusals-${process.pid}`);

describe("plugin: sequencer:run, when something is in the way", function () {
  this.timeout(120_000);
  let dataDir: string;

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), "run-data-"));
  });

  afterEach(() => {
    rmSync(dataDir, { recursive: true });
    rmSync(file, { force: true });
  });

  it("gives up with 4 when the time is up", async () => {
    const { summary } = await runHere({ intents: "1000000", timeout: "1" });
    expect(summary.reason).to.equal("timeout");
  });

  it("stops before it has begun if it is asked to", async () => {
    const { summary } = await runHere(
      {},
      {
        onFact: ({ type }, interrupt) => {
          if (type === "network") interrupt();
        },
      },
    );
    expect(summary).to.include({ reason: "interrupted", bundles: 0 });
  });

  it("says which port is in use", async () => {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    try {
      await expectError(
        "PORT_IN_USE",
        async () => await runHere({ nodes: "1", rpcPort: String(port) }),
      );
    } finally {
      server.close();
    }
  });

  it("says what is wrong with nodes and accounts", async () => {
    await expectError(
      "ACCOUNTS_TOO_FEW",
      async () => await runHere({ nodes: "21" }),
    );
    await expectError(
      "THRESHOLD_INVALID",
      async () => await runHere({ threshold: "5" }),
    );
    const url = `http://127.0.0.1:${await freePort()}`;
    await expectError(
      "NETWORK_UNREACHABLE",
      async () => await runHere({}, { url }),
    );
  });

  it("says what is wrong with a data directory", async () => {
    writeFileSync(file, "");
    await expectError(
      "DATA_DIR_INVALID",
      async () => await runHere({ dataDir: file }),
    );
    writeFileSync(join(dataDir, "run.json"), "{");
    await expectError(
      "DATA_DIR_INVALID",
      async () => await runHere({ dataDir }),
    );
  });

  it("takes a data directory up again, but not for anything else", async () => {
    const node: Node = await startHardhatNode();
    const { url } = node;
    try {
      const options = { dataDir, nodes: "2", intents: "3" };
      const first = await runHere(options, { url });
      expect(first.summary.intents.confirmed).to.equal(3);
      const refusals: Promise<unknown>[] = [];
      const served = { dataDir, nodes: "2" };
      await runHere(served, {
        url,
        onFact: ({ type }, interrupt) => {
          if (type !== "ready") return;
          const again = async () => await runHere(options, { url });
          const refusal = expectError("DATA_DIR_LOCKED", again);
          refusals.push(refusal.finally(interrupt));
        },
      });
      await Promise.all(refusals);
      expect(refusals).to.have.length(1);
      const second = await runHere(options, { url });
      expect(second.summary.intents.confirmed).to.equal(3);
      expect(groupOf(second)).to.deep.equal({
        ...groupOf(first),
        isNew: false,
      });
      for (const [other, code] of [
        [{ nodes: "3" }, "DATA_DIR_OTHER"],
        [{ threshold: "1" }, "DATA_DIR_OTHER"],
        [{ policy: "rotating" }, "DATA_DIR_OTHER"],
      ] as const)
        await expectError(
          code,
          async () => await runHere({ dataDir, ...other }, { url }),
        );
      await expectError("CHAIN_OTHER", async () => await runHere({ dataDir }));
      expect(readdirSync(dataDir)).to.include.members(["alice", "bob"]);
    } finally {
      await node.stop();
    }
  });

  it("knows a chain by its first block, its factory and its group", async () => {
    const there = "0x01";
    const gone = "0x02";
    const connection = {
      networkName: "chain",
      provider: {
        request: async ({ params }: { params: readonly unknown[] }) =>
          await Promise.resolve(params[0] === there ? "0x60" : "0x"),
      },
    } as unknown as Connection;
    const chain = { chainId: 1, genesis: "0xaa" };
    const saved: SavedRun = {
      version: 1,
      ...chain,
      factory: there,
      nodes: [{ name: "alice", address: "0x03" }],
      group: { address: there, threshold: 1, policy: "sticky" },
    };
    const check = async (run: SavedRun, found = chain): Promise<void> => {
      await requireSameChain(run, found, { directory: "", connection });
    };
    await check(saved);
    const { group } = saved;
    for (const attempt of [
      async () => {
        await check(saved, { ...chain, chainId: 2 });
      },
      async () => {
        await check(saved, { ...chain, genesis: "0xbb" });
      },
      async () => {
        await check({ ...saved, factory: gone });
      },
      async () => {
        await check({ ...saved, group: group && { ...group, address: gone } });
      },
    ])
      await expectError("CHAIN_OTHER", attempt);
    await expectError("ACCOUNTS_CHANGED", () => {
      const account = { address: "0x04", privateKey: "" };
      requireSameAccounts(saved, [account], "");
    });
  });

  it("says what is wrong with questions to nodes", async () => {
    const url = `http://user:secret@127.0.0.1:${await freePort()}`;
    const [down] = await askStatus({ url });
    expect(down).to.include({ type: "node-down", reason: "ECONNREFUSED" });
    expect(JSON.stringify(down)).not.to.include("secret");
    await expectError(
      "URL_INVALID",
      async () => await askStatus({ url: "file:///etc/passwd" }),
    );
    for (const [options, code] of [
      [{ function: "mint(uint256)", args: "{" }, "ARGS_INVALID"],
      [{ function: "mint(uint256)", args: "7" }, "ARGS_INVALID"],
      [{ function: "mint(uint256)", timeout: "0" }, "NUMBER_INVALID"],
      [{ function: "mint(uint256)", url }, "NODE_UNREACHABLE"],
    ] as const)
      await expectError(
        code,
        async () => await submitIntent(options, () => undefined),
      );
  });
});

function groupOf({
  facts,
}: Awaited<ReturnType<typeof runHere>>): object | undefined {
  return facts.find(({ type }) => type === "group");
}
