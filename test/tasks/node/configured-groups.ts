import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect } from "chai";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import type { JsonRpcServer } from "hardhat/types/network";
import { z } from "zod";

import type {
  DescribedGroup,
  GroupEntry,
} from "../../../src/plugin/groups-config.ts";
import { SequencerError } from "../../../src/plugin/errors.ts";
import type { PeerConfig } from "../../../src/plugin/peers-config.ts";
import { identityOf } from "../../../tasks/identity/identity.ts";
import { parseNodeOptions } from "../../../tasks/node/options.ts";
import { plainReporter, type Reachable } from "../../../tasks/node/reporter.ts";
import { serve } from "../../../tasks/node/serve.ts";
import { Closers } from "../../../tasks/shared/closers.ts";
import { RpcClient } from "../../../tasks/shared/rpc-client.ts";
import { publishedAccount } from "../../helpers/accounts.ts";
import { anEnvironment, deploy } from "../../plugin/helpers/environment.ts";
import { expectError } from "../../plugin/helpers/errors.ts";
import { freePort } from "../../plugin/helpers/processes.ts";
import { until } from "../../torture/harness/processes/until.ts";

const names = ["alice", "bob", "carol"] as const;
type Name = (typeof names)[number];

const statusType = z.object({
  groups: z.array(
    z.object({ address: z.string(), name: z.string(), domain: z.string() }),
  ),
});
const receiptType = z.object({ success: z.boolean() }).nullable();

describe("plugin: groups that sequencer:deploy creates for nodes", function () {
  this.timeout(120_000);
  let chain: JsonRpcServer;
  let url: string;
  let dataDir: string;
  let closers: Closers;
  let peers: Record<string, PeerConfig>;
  let reported: unknown[];

  before(async () => {
    const hre = await anEnvironment();
    chain = await hre.network.createServer("default", "127.0.0.1", 0);
    const { address, port } = await chain.listen();
    url = `http://${address}:${port}`;
  });

  after(async () => {
    await chain.close();
  });

  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), "configured-groups-"));
    closers = new Closers();
    reported = [];
    peers = {};
    for (const [index, name] of names.entries())
      peers[name] = {
        address: `127.0.0.1:${await freePort()}`,
        key: identityOf({ name, dataDir }).key,
        endorser: publishedAccount(index + 1).address,
      };
  });

  afterEach(async () => {
    await closers.close();
    rmSync(dataDir, { recursive: true });
  });

  async function environment(
    groups: Readonly<Record<string, GroupEntry>> = {},
  ): Promise<HardhatRuntimeEnvironment> {
    return await anEnvironment(
      {
        networks: { chain: { type: "http", url } },
        sequencer: {
          peers,
          networks: { chain: { groups } },
          pollMs: 25,
          tickMs: 20,
        },
      },
      "chain",
    );
  }

  /** Creates a group with the task, and gives what belongs into the configuration. */
  async function deployed(
    options: Parameters<typeof deploy>[1],
  ): Promise<Readonly<Record<string, GroupEntry>>> {
    const { deployment } = await deploy(await environment(), options);
    return deployment.config?.groups ?? {};
  }

  async function start(
    name: Name,
    groups: Readonly<Record<string, GroupEntry>>,
  ): Promise<RpcClient> {
    const reporter = plainReporter(
      { node: name },
      {
        write: () => undefined,
        report: (error) => reported.push(error),
      },
    );
    const where: Reachable = await serve(
      parseNodeOptions({ name, dataDir, rpcPort: "0", statusPort: "0" }),
      {
        hre: await environment(groups),
        closers,
        reporter,
        onFatal: (error) => {
          throw error;
        },
      },
    );
    return new RpcClient(where.url);
  }

  /** Resolves when the node takes part in the group. */
  async function untilJoined(client: RpcClient, name: string): Promise<void> {
    await until({ what: `it is in ${name}`, deadlineMs: 60_000 }, async () => {
      const { groups } = await client.ask(statusType, "sequencer_status");
      return groups.some((group) => group.name === name) ? true : undefined;
    });
  }

  /** Resolves when the intent has its receipt. */
  async function untilConfirmed(client: RpcClient, id: string): Promise<void> {
    await until({ what: `${id} ends`, deadlineMs: 60_000 }, async () => {
      const method = "ptx_getTransactionReceipt";
      const receipt = await client.ask(receiptType, method, id);
      if (receipt === null) return undefined;
      expect(receipt.success).to.equal(true);
      return true;
    });
  }

  async function mint(client: RpcClient, entry: GroupEntry): Promise<string> {
    return await client.ask(z.string(), "pgroup_sendTransaction", {
      domain: "group-token",
      group: described(entry).id,
      from: "user",
      function: {
        type: "function",
        name: "mint",
        inputs: [
          { name: "to", type: "string" },
          { name: "amount", type: "uint256" },
        ],
      },
      input: { to: "pot", amount: "5" },
    });
  }

  function described(entry: GroupEntry | undefined): DescribedGroup {
    if (entry === undefined || typeof entry === "string")
      throw new Error("The group has no description.");
    return entry;
  }

  it("are joined by all members when one of them has it in its configuration", async () => {
    const groups = await deployed({
      members: "carol,alice,bob",
      domain: "group-token",
      threshold: "2",
      salt: "one",
    });
    const alice = await start("alice", groups);
    const bob = await start("bob", {});
    const carol = await start("carol", {});
    for (const client of [alice, bob, carol]) await untilJoined(client, "main");
    await untilConfirmed(carol, await mint(carol, groups["main"] ?? ""));
    expect(reported).to.deep.equal([]);
  });

  it("begin once, although all members have them in their configuration", async () => {
    const groups = await deployed({
      members: "alice,bob,carol",
      domain: "private-contracts",
      name: "contracts",
    });
    const clients: RpcClient[] = [];
    for (const name of names) clients.push(await start(name, groups));
    for (const client of clients) await untilJoined(client, "contracts");
    for (const client of clients) {
      const id = await client.ask(z.string(), "pgroup_sendTransaction", {
        domain: "private-contracts",
        group: described(groups["contracts"]).id,
        from: "user",
        // PUSH1 0 PUSH1 0 RETURN: a contract without code.
        bytecode: "0x60006000f3",
        function: { type: "constructor", inputs: [] },
        input: [],
      });
      await untilConfirmed(client, id);
    }
    expect(reported).to.deep.equal([]);
  });

  it("are joined when a node is told over JSON-RPC", async () => {
    const groups = await deployed({
      members: "alice,bob",
      domain: "group-token",
      name: "told",
    });
    const alice = await start("alice", {});
    const bob = await start("bob", {});
    const { policy, configuration, ...group } = described(groups["told"]);
    const asked = { name: "told", policy, configuration, ...group };
    const answer = await alice.ask(
      z.object({ address: z.string() }),
      "sequencer_importGroup",
      asked,
    );
    expect(answer.address).to.equal(group.address.toLowerCase());
    await untilJoined(bob, "told");
    await untilConfirmed(bob, await mint(bob, groups["told"] ?? ""));
  });

  for (const [what, change] of Object.entries({
    "another threshold": { threshold: 1 },
    "another domain": { domain: "private-contracts" },
    "a domain that nobody has": { domain: "nothing" },
    "another policy": { policy: "rotating" as const },
    "other settings": { configuration: { some: "thing" } },
    "a member less": { members: ["alice", "bob"] },
    "another id": { id: `0x${"1".repeat(64)}` },
    "an address without a contract": { address: `0x${"2".repeat(40)}` },
  }))
    it(`are not joined if the description has ${what}, and the node says why`, async () => {
      const groups = await deployed({
        members: "alice,bob,carol",
        domain: "group-token",
        salt: "wrong",
      });
      const main = { ...described(groups["main"]), ...change };
      const alice = await start("alice", { main });
      await until({ what: "it says why", deadlineMs: 60_000 }, () =>
        reported.length > 0 ? true : undefined,
      );
      const [error] = reported;
      expect(error).to.be.instanceOf(SequencerError);
      expect(error).to.have.property("code", "GROUP_NOT_JOINED");
      const status = await alice.ask(statusType, "sequencer_status");
      expect(status.groups).to.deep.equal([]);
    });

  it("have the same address again, and another one with another salt", async () => {
    const options = { members: "alice,bob,carol", domain: "group-token" };
    const once = described((await deployed(options))["main"]);
    const again = described(
      (await deployed({ ...options, members: "carol, bob,alice" }))["main"],
    );
    expect(again).to.deep.equal(once);
    const other = await deployed({ ...options, salt: "other" });
    expect(described(other["main"]).address).to.not.equal(once.address);
  });

  it("take members by the addresses with which they endorse", async () => {
    const [, first, second] = [0, 1, 2].map(
      (index) => publishedAccount(index).address,
    );
    const domain = "group-token";
    const members = `${first ?? ""},${second ?? ""}`;
    const groups = await deployed({ members, domain });
    expect(described(groups["main"]).members).to.deep.equal(["alice", "bob"]);
  });

  for (const [code, options] of [
    ["MEMBER_NOT_A_PEER", { members: "alice,dave", domain: "group-token" }],
    ["MEMBER_DUPLICATE", { members: "alice,alice", domain: "group-token" }],
    ["CHOICE_INVALID", { members: "alice", domain: "tokens" }],
    [
      "CHOICE_INVALID",
      { members: "alice", domain: "group-token", policy: "fast" },
    ],
    [
      "CONFIGURATION_INVALID",
      { members: "alice", domain: "group-token", configuration: "[1]" },
    ],
    [
      "CONFIGURATION_INVALID",
      { members: "alice", domain: "group-token", configuration: '{"a":1}' },
    ],
    [
      "THRESHOLD_INVALID",
      { members: "alice", domain: "group-token", threshold: "2" },
    ],
    [
      "GROUP_REFUSED",
      {
        members: "alice",
        domain: "notarised-token",
        configuration: '{"notaries":"bob"}',
      },
    ],
    [
      "EXTERNAL_CALLS_BY_DOMAIN",
      { members: "alice", domain: "group-token", externalCalls: true },
    ],
    ["DOMAIN_MISSING", { members: "alice", policy: "sticky" }],
    ["DOMAIN_MISSING", { members: "alice", configuration: "{}" }],
    ["MEMBERS_MISSING", { domain: "group-token" }],
  ] as const)
    it(`are refused with ${code}: ${JSON.stringify(options)}`, async () => {
      const hre = await environment();
      await expectError(code, async () => await deploy(hre, options));
    });
});
