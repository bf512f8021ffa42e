import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";

import { expect } from "chai";

import { publishedAccount } from "../../helpers/accounts.ts";
import { anEnvironment } from "../helpers/environment.ts";
import {
  aConnection,
  aScene,
  balanceOf,
  closeConnections,
  mint,
  soon,
} from "../helpers/connection.ts";
import { expectError } from "../helpers/errors.ts";
import { runScript } from "../helpers/scripts.ts";

describe("connection.sequencer: lifecycle", function () {
  this.timeout(60_000);
  afterEach(closeConnections);

  it("runs one cluster at a time", async function () {
    const { sequencer } = await aConnection();
    expect(sequencer.isRunning).to.equal(false);
    await expectError("CLUSTER_NOT_STARTED", () => sequencer.cluster);
    const starting = sequencer.start({ nodes: 1 });
    await expectError("CLUSTER_RUNNING", async () => await sequencer.start());
    const cluster = await starting;
    expect(sequencer.isRunning).to.equal(true);
    expect(sequencer.cluster).to.equal(cluster);
    await expectError("CLUSTER_RUNNING", async () => await sequencer.start());
    await cluster.stop();
    await cluster.stop();
    expect(sequencer.isRunning).to.equal(false);
    await expectError("CLUSTER_NOT_STARTED", () => sequencer.cluster);
    const again = await sequencer.start({ nodes: 2 });
    expect(again.nodes.map(({ name }) => name)).to.deep.equal(["alice", "bob"]);
  });

  it("tells those who wait that it has stopped", async function () {
    const { connection, cluster, group } = await aScene({ nodes: 1 });
    await cluster.pauseMining();
    const intent = await group.send("alice", "mint", { to: "a", amount: 1 });
    const waiting = expectError(
      "CLUSTER_STOPPED",
      async () => await intent.receipt(),
    );
    await connection.close();
    await waiting;
    await expectError("CLUSTER_STOPPED", async () => await intent.confirmed());
    await expectError("CLUSTER_STOPPED", async () => {
      await cluster.synced();
    });
    await expectError("CLUSTER_STOPPED", () => cluster.node("alice"));
    await expectError("CLUSTER_STOPPED", async () => {
      await group.send("alice", "mint", { to: "a", amount: 1 });
    });
    await expectError("CLUSTER_STOPPED", async () => {
      await cluster.createGroup({ domain: "group-token" });
    });
    await expectError("CLUSTER_STOPPED", async () => {
      await cluster.nodes[0]?.restart();
    });
    expect(cluster.nodes[0]?.isUp).to.equal(false);
  });

  it("takes nodes and settings from the configuration", async function () {
    const connection = await aConnection({
      sequencer: { nodes: ["x", "y"], threshold: 2, ...soon },
    });
    const cluster = await connection.sequencer.start();
    expect(cluster.nodes.map(({ name }) => name)).to.deep.equal(["x", "y"]);
    const domain = "group-token";
    const both = await cluster.createGroup({ domain });
    expect(both.threshold).to.equal(2);
    const one = await cluster.createGroup({ domain, members: ["y"] });
    expect(one.threshold).to.equal(1);
  });

  it("refuses options that make no sense, all at once", async function () {
    const { sequencer } = await aConnection();
    const wrong: readonly (readonly [object, readonly string[]])[] = [
      [{ nodes: 0 }, ["nodes"]],
      [{ nodes: ["a", "a"] }, ["nodes.1"]],
      [{ nodes: 2, threshold: 3 }, ["threshold"]],
      [{ settings: { heartbeatMs: 1 } }, ["heartbeatMs"]],
      [{ settings: { hartbeatMs: 100 } }, ["settings"]],
      [{ node: 2, seed: -1 }, ["the options", "seed"]],
      [{ nodes: 0, settings: { tickMs: "1" } }, ["nodes", "settings.tickMs"]],
      [{ domains: [{}] }, ["domains.0.name", "domains.0.abi"]],
      [{ domains: [{ name: "group-token", abi: [] }] }, ["domains"]],
    ];
    for (const [options, places] of wrong) {
      const start = async () => await sequencer.start(options);
      await expectError("OPTIONS_INVALID", start);
      const text = await start().catch((error: unknown) => String(error));
      for (const place of places) expect(text).to.include(`${place}:`);
    }
    await expectError(
      "ACCOUNTS_TOO_FEW",
      async () => await sequencer.start({ nodes: 21 }),
    );
    expect(sequencer.isRunning).to.equal(false);
  });

  it("has accounts of its own, and shows no key", async function () {
    const connection = await aConnection();
    const cluster = await connection.sequencer.start({ nodes: 2 });
    const signers = await connection.ethers.getSigners();
    expect(cluster.nodes.map(({ address }) => address)).to.deep.equal(
      signers.slice(-2).map(({ address }) => address),
    );
    const { address, privateKey } = publishedAccount(19);
    expect(cluster.node("bob").address).to.equal(address);
    const shown = inspect(
      { cluster, status: cluster.status(), sequencer: connection.sequencer },
      { depth: 20, showHidden: true, getters: true },
    );
    expect(shown).to.not.include(privateKey.slice(2));
    expect(shown).to.include("alice");
  });

  it("works on a chain behind HTTP, without what only a simulated one can do", async function () {
    const host = await anEnvironment();
    const server = await host.network.createServer();
    const { address, port } = await server.listen();
    try {
      const hre = await anEnvironment({
        networks: { local: { type: "http", url: `http://${address}:${port}` } },
      });
      const connection = await hre.network.create("local");
      const cluster = await connection.sequencer.start({
        nodes: 2,
        settings: soon,
      });
      const group = await cluster.createGroup({ domain: "group-token" });
      await mint(group, "pot", 3);
      expect(await balanceOf(group, "alice", "pot")).to.equal(3n);
      for (const run of [
        async () => {
          await cluster.pauseMining();
        },
        async () => {
          await cluster.resumeMining();
        },
        async () => await cluster.reorganise(1),
      ])
        await expectError("CHAIN_NOT_SIMULATED", run);
      await connection.close();
    } finally {
      await server.close();
    }
  });

  it("leaves nothing behind, neither when it is closed nor when it is not", async function () {
    const script = (end: string): string => `
      import { readdirSync } from "node:fs";
      import { tmpdir } from "node:os";
      import { createHardhatRuntimeEnvironment } from "hardhat/hre";
      import ethers from "@nomicfoundation/hardhat-ethers";
      import plugin from "./src/index.ts";
      const hre = await createHardhatRuntimeEnvironment({ plugins: [ethers, plugin] });
      const connection = await hre.network.create();
      const cluster = await connection.sequencer.start({ nodes: 2 });
      const own = () => readdirSync(tmpdir()).filter((name) => name.startsWith("hardhat-sequencer-"));
      console.log("during", own().length);
      const group = await cluster.createGroup({ domain: "group-token" });
      const intent = await group.send("alice", "mint", { to: "a", amount: 1 });
      await intent.confirmed();
      ${end}
      console.log("after", own().length);
    `;
    for (const [end, after] of [
      ["await connection.close();", "after 0"],
      ["", "after 1"],
    ] as const) {
      const directory = mkdtempSync(join(tmpdir(), "lifecycle-"));
      try {
        const run = await runScript(script(end), { TMPDIR: directory });
        expect(run.stderr).to.equal("");
        expect(run.exitCode).to.equal(0);
        expect(run.stdout.trim().split("\n")).to.deep.equal([
          "during 1",
          after,
        ]);
        expect(
          readdirSync(directory).filter((name) => name.includes("sequencer")),
        ).to.deep.equal([]);
      } finally {
        rmSync(directory, { recursive: true, force: true });
      }
    }
  });
});
