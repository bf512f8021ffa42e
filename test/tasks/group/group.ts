import { expect } from "chai";

import { createGroup } from "../../../tasks/group/create-group.ts";
import type { CreateFact } from "../../../tasks/group/facts.ts";
import {
  createLines,
  detailsLines,
  listLines,
} from "../../../tasks/group/format.ts";
import { listGroups } from "../../../tasks/group/list-groups.ts";
import { showGroup } from "../../../tasks/group/show-group.ts";
import { startFake } from "../../helpers/rpc/fixture.ts";
import { RealNodes } from "../../helpers/rpc/real-nodes.ts";
import { expectError } from "../../plugin/helpers/errors.ts";
import { freePort, runHardhat } from "../../plugin/helpers/processes.ts";
import { runJson, runRefused, transactionsOf } from "../helpers/commands.ts";

describe("sequencer:group", function () {
  this.timeout(120_000);
  let nodes: RealNodes;
  let url: string;
  const domain = "group-token";
  const members = "alice,bob";
  const create = async (
    options: Parameters<typeof createGroup>[0] = {},
  ): Promise<CreateFact> =>
    await createGroup({ url, domain, members, ...options }, () => undefined);
  const addressOf = (fact: CreateFact): string => {
    if (fact.type !== "group") throw new Error(fact.type);
    return fact.address ?? "";
  };

  beforeEach(async () => {
    nodes = await RealNodes.start(["alice", "bob"]);
    url = nodes.urlsOf("alice").httpUrl;
  });
  afterEach(async () => {
    await nodes.stop();
    expect(nodes.errors).to.deep.equal([]);
  });

  it("creates a group, lists it, and shows who is in it", async () => {
    expect(listLines(await listGroups({ url }))).to.deep.equal([
      "The node is in no group",
    ]);
    const facts: CreateFact[] = [];
    const options = { url, domain, members, name: "ours", threshold: "1" };
    const last = await createGroup(options, (fact) => facts.push(fact));
    expect(facts.map(({ type }) => type)).to.deep.equal([
      "group-creating",
      "group",
    ]);
    const address = addressOf(last);
    expect(address).to.match(/^0x[\da-f]{40}$/);
    expect(facts.flatMap(createLines).at(-1)).to.include(address);
    const [listed] = await listGroups({ url });
    expect(listed).to.deep.equal(last);
    expect(listLines([last as never]).at(-1)).to.match(
      /^ours +group-token +0x[\da-f]{40} +member@alice member@bob$/,
    );
    const shown = await showGroup({ url });
    expect(shown).to.deep.include({
      type: "group-details",
      name: "ours",
      domain,
      address,
      members: ["member@alice", "member@bob"],
      threshold: 1,
      isMember: true,
      trouble: null,
    });
    for (const names of [shown.ranking, shown.endorsers])
      expect(names).to.have.members(["alice", "bob"]);
    expect(detailsLines(shown).join("\n")).to.match(/threshold +1 of 2/);
  });

  it("finds a group by name, id and address in any case, and lists candidates", async () => {
    const one = await create({ name: "one" });
    const two = await create({ name: "two" });
    if (one.type !== "group") throw new Error(one.type);
    for (const group of [
      "one",
      one.id,
      one.id.toUpperCase().replace("0X", "0x"),
      addressOf(one),
      addressOf(one).toUpperCase().replace("0X", "0x"),
    ])
      expect(await showGroup({ url, group })).to.include({ id: one.id });
    const several = await expectError(
      "GROUP_MISSING",
      async () => await showGroup({ url }),
    );
    for (const text of ['"one"', '"two"', domain, addressOf(two)])
      expect(several.message).to.include(text);
    const unknown = await expectError(
      "GROUP_UNKNOWN",
      async () => await showGroup({ url, group: "three" }),
    );
    expect(unknown.message).to.include('"three"').and.include(addressOf(one));
    const same = await create({ name: "two" });
    const ambiguous = await expectError(
      "GROUP_AMBIGUOUS",
      async () => await showGroup({ url, group: "two" }),
    );
    for (const text of [addressOf(two), addressOf(same)])
      expect(ambiguous.message).to.include(text);
    expect(ambiguous.message).to.not.include(addressOf(one));
    // A name cannot stand in for the address of another group.
    await create({ name: addressOf(one) });
    expect(await showGroup({ url, group: addressOf(one) })).to.include({
      name: "one",
    });
  });

  it("refuses what cannot be a group, at once, and creates nothing", async () => {
    const refusals = [
      [{ domain: undefined }, "GROUP_DOMAIN_MISSING", "--domain"],
      [{ domain: "nothing" }, "NODE_REFUSED", "group-token"],
      [{ members: undefined }, "GROUP_MEMBERS_MISSING", "--members"],
      [{ members: " , " }, "GROUP_MEMBERS_MISSING", "--members"],
      [{ members: "alice,carol" }, "NODE_REFUSED", "It knows: alice, bob"],
      [{ members: "bob" }, "NODE_REFUSED", "alice"],
      [{ members: "alice,b ob" }, "NODE_REFUSED", "b ob"],
      [{ threshold: "0" }, "NUMBER_INVALID", "--threshold"],
      [{ threshold: "3" }, "NODE_REFUSED", "from 1 to 2"],
      [{ timeout: "soon" }, "NUMBER_INVALID", "soon"],
      [{ configuration: "{" }, "CONFIGURATION_INVALID", "{"],
      [{ configuration: '{"a":1}' }, "CONFIGURATION_INVALID", "texts"],
      [{ configuration: '{"threshold":"1"}' }, "CONFIGURATION_INVALID", "--th"],
      [{ configuration: '{"colour":"red"}' }, "NODE_REFUSED", "colour"],
      [{ url: "ftp://nowhere" }, "URL_INVALID", "http://"],
    ] as const;
    for (const [options, code, text] of refusals) {
      const error = await expectError(code, async () => await create(options));
      expect(error.message).to.include(text);
    }
    const down = `http://127.0.0.1:${await freePort()}`;
    for (const ask of [create, listGroups, showGroup])
      await expectError(
        "NODE_UNREACHABLE",
        async () => await ask({ url: down }),
      );
    await expectError("GROUP_NONE", async () => await showGroup({ url }));
    expect(await listGroups({ url })).to.deep.equal([]);
    expect(await transactionsOf(nodes, "alice")).to.equal(0);
  });

  it("does not take a group that is still being created", async () => {
    await nodes.client.request("evm_setAutomine", [false]);
    const [, open] = await runJson(
      4,
      ...["sequencer:group", "create", "--url", url, "--domain", domain],
      ...["--members", members, "--name", "ours", "--timeout", "1"],
    );
    expect(open).to.include({ type: "group-open" });
    const listed = await listGroups({ url });
    expect(listed).to.have.length(1);
    expect(listLines(listed).at(-1)).to.include("being created");
    await expectError("GROUP_NONE", async () => await showGroup({ url }));
    const pending = await expectError(
      "GROUP_PENDING",
      async () => await showGroup({ url, group: "ours" }),
    );
    const transaction = String(open?.["transaction"]);
    expect(pending.message).to.include(transaction);
    await nodes.client.request("evm_setAutomine", [true]);
    await nodes.client.request("evm_mine", []);
    await nodes.receipt("alice", transaction);
    expect(await showGroup({ url })).to.include({ name: "ours" });
  });

  it("says why a group cannot be created, and forgets it", async () => {
    const { httpUrl, node, stop } = await startFake();
    try {
      const failed = await createGroup(
        { url: httpUrl, domain: "toy", members: "node1", name: "ours" },
        ({ type }) => {
          if (type === "group-creating") node.refuseGroups("nobody pays");
        },
      );
      expect(failed).to.include({
        type: "group-failed",
        reason: "nobody pays",
      });
      expect(createLines(failed).join()).to.include("nobody pays");
      expect(await showGroup({ url: httpUrl })).to.include({ name: "first" });
      await expectError(
        "GROUP_UNKNOWN",
        async () => await showGroup({ url: httpUrl, group: "ours" }),
      );
    } finally {
      await stop();
    }
  });

  it("prints versioned JSON, and exits with 0 or 1", async () => {
    const at = ["--url", url];
    const created = await runJson(
      0,
      ...["sequencer:group", "create", ...at],
      ...["--domain", domain, "--members", members, "--name", "ours"],
    );
    expect(created.map(({ version, type }) => [version, type])).to.deep.equal([
      [1, "group-creating"],
      [1, "group"],
    ]);
    const listed = await runJson(0, "sequencer:group", "list", ...at);
    expect(listed).to.deep.equal(created.slice(1));
    const [shown] = await runJson(
      0,
      ...["sequencer:group", "show", ...at, "--group", "ours"],
    );
    expect(shown).to.include({ version: 1, type: "group-details" });
    const error = await runRefused(
      "GROUP_UNKNOWN",
      ...["sequencer:group", "show", ...at, "--group", "theirs"],
    );
    expect(error).to.include("ours");
    const { stdout } = await runHardhat(["sequencer:group", "--help"], {});
    for (const subtask of ["create", "import", "list", "show"])
      expect(stdout).to.match(
        new RegExp(`^ +sequencer:group ${subtask} `, "m"),
      );
  });
});
