import { expect } from "chai";
import { z } from "zod";

import { SequencerError } from "../../../src/plugin/errors.ts";
import type { RpcClient } from "../../../tasks/shared/rpc-client.ts";
import { publishedAccount } from "../../helpers/accounts.ts";
import { deploy } from "../../plugin/helpers/environment.ts";
import { expectError } from "../../plugin/helpers/errors.ts";
import { until } from "../../torture/harness/processes/until.ts";
import {
  described,
  groupsOf,
  mint,
  ServedNodes,
  SharedChain,
  untilConfirmed,
  untilJoined,
} from "../helpers/served-nodes.ts";

const names = ["alice", "bob", "carol"] as const;

describe("plugin: groups that sequencer:deploy creates for nodes", function () {
  this.timeout(120_000);
  let chain: SharedChain;
  let nodes: ServedNodes;

  before(async () => {
    chain = await SharedChain.start();
  });

  after(async () => {
    await chain.stop();
  });

  beforeEach(async () => {
    nodes = await ServedNodes.prepare(chain);
  });

  afterEach(async () => {
    await nodes.stop();
  });

  it("are joined by all members when one of them has it in its configuration", async () => {
    const groups = await nodes.deploy({
      members: "carol,alice,bob",
      domain: "group-token",
      threshold: "2",
      salt: "one",
    });
    const alice = await nodes.start("alice", groups);
    const bob = await nodes.start("bob", {});
    const carol = await nodes.start("carol", {});
    for (const client of [alice, bob, carol]) await untilJoined(client, "main");
    await untilConfirmed(carol, await mint(carol, groups["main"]));
    expect(nodes.reported).to.deep.equal([]);
  });

  it("begin once, although all members have them in their configuration", async () => {
    const groups = await nodes.deploy({
      members: "alice,bob,carol",
      domain: "private-contracts",
      name: "contracts",
    });
    const clients: RpcClient[] = [];
    for (const name of names) clients.push(await nodes.start(name, groups));
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
    expect(nodes.reported).to.deep.equal([]);
  });

  it("are joined when a node is told over JSON-RPC", async () => {
    const groups = await nodes.deploy({
      members: "alice,bob",
      domain: "group-token",
      name: "told",
    });
    const alice = await nodes.start("alice", {});
    const bob = await nodes.start("bob", {});
    const { policy, configuration, ...group } = described(groups["told"]);
    const asked = { name: "told", policy, configuration, ...group };
    const answer = await alice.ask(
      z.object({ address: z.string() }),
      "sequencer_importGroup",
      asked,
    );
    expect(answer.address).to.equal(group.address.toLowerCase());
    await untilJoined(bob, "told");
    await untilConfirmed(bob, await mint(bob, groups["told"]));
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
      const groups = await nodes.deploy({
        members: "alice,bob,carol",
        domain: "group-token",
        salt: "wrong",
      });
      const main = { ...described(groups["main"]), ...change };
      const alice = await nodes.start("alice", { main });
      await until({ what: "it says why", deadlineMs: 60_000 }, () =>
        nodes.reported.length > 0 ? true : undefined,
      );
      const [error] = nodes.reported;
      expect(error).to.be.instanceOf(SequencerError);
      expect(error).to.have.property("code", "GROUP_NOT_JOINED");
      expect(await groupsOf(alice)).to.deep.equal([]);
    });

  it("have the same address again, and another one with another salt", async () => {
    const options = { members: "alice,bob,carol", domain: "group-token" };
    const once = described((await nodes.deploy(options))["main"]);
    const again = described(
      (await nodes.deploy({ ...options, members: "carol, bob,alice" }))["main"],
    );
    expect(again).to.deep.equal(once);
    const other = await nodes.deploy({ ...options, salt: "other" });
    expect(described(other["main"]).address).to.not.equal(once.address);
  });

  it("take members by the addresses with which they endorse", async () => {
    const [, first, second] = [0, 1, 2].map(
      (index) => publishedAccount(index).address,
    );
    const domain = "group-token";
    const members = `${first ?? ""},${second ?? ""}`;
    const groups = await nodes.deploy({ members, domain });
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
      const hre = await nodes.environment();
      await expectError(code, async () => await deploy(hre, options));
    });
});
