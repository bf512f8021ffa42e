import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

import { expect } from "chai";

import {
  addressOfEntry,
  type GroupEntry,
} from "../../../src/plugin/groups-config.ts";
import { toJson } from "../../../tasks/deploy/format.ts";
import type { DeployOptions } from "../../../tasks/deploy/options.ts";
import type { GroupImportedFact } from "../../../tasks/group/facts.ts";
import { importedLines } from "../../../tasks/group/format.ts";
import {
  importGroup,
  type ImportOptions,
} from "../../../tasks/group/import-group.ts";
import type { RpcClient } from "../../../tasks/shared/rpc-client.ts";
import { temporaryDirectory } from "../../helpers/stores.ts";
import { deploy } from "../../plugin/helpers/environment.ts";
import { expectError } from "../../plugin/helpers/errors.ts";
import { freePort } from "../../plugin/helpers/processes.ts";
import { runJson, runRefused } from "../helpers/commands.ts";
import {
  described,
  groupsOf,
  mint,
  ServedNodes,
  SharedChain,
  untilConfirmed,
  untilJoined,
} from "../helpers/served-nodes.ts";

describe("sequencer:group import", function () {
  this.timeout(120_000);
  const folder = temporaryDirectory();
  const domain = "group-token";
  const members = "alice,bob";
  let chain: SharedChain;
  let nodes: ServedNodes;
  let alice: RpcClient;
  let url: string;
  let salts = 0;

  before(async () => {
    chain = await SharedChain.start();
    nodes = await ServedNodes.prepare(chain);
    await nodes.deploy({});
    alice = await nodes.start("alice");
    url = alice.name;
  });

  after(async () => {
    await nodes.stop();
    await chain.stop();
    folder.remove();
    expect(nodes.reported).to.deep.equal([]);
  });

  /** A group that no other test has: what goes into the configuration, and the lines of `sequencer:deploy --json`. */
  async function deployed(options: DeployOptions): Promise<{
    readonly groups: Readonly<Record<string, GroupEntry>>;
    readonly lines: readonly string[];
  }> {
    salts += 1;
    const salt = `salt ${salts}`;
    const given = { members, domain, salt, ...options };
    const { deployment, facts } = await deploy(
      await nodes.environment(),
      given,
    );
    const { groups = {} } = deployment.config ?? {};
    return { groups, lines: facts.map(toJson) };
  }

  async function imported(
    options: ImportOptions,
    groups: Readonly<Record<string, GroupEntry>> = {},
  ): Promise<GroupImportedFact> {
    return await importGroup({ url, ...options }, { network: "chain", groups });
  }

  function fileWith(text: string): string {
    salts += 1;
    const file = path.join(folder.path, `${salts}.json`);
    writeFileSync(file, text);
    return file;
  }

  it("lets a running node take part in a group of the configuration, and the others with it", async () => {
    const { groups } = await deployed({ name: "ours", threshold: "2" });
    const bob = await nodes.start("bob");
    const fact = await imported({ name: "ours" }, groups);
    const { id, address } = described(groups["ours"]);
    expect(fact).to.deep.equal({
      type: "group-imported",
      url,
      id,
      name: "ours",
      address: address.toLowerCase(),
    });
    expect(importedLines(fact)).to.deep.equal([
      `${url} takes part in group "ours" at ${address.toLowerCase()}`,
    ]);
    await untilJoined(bob, "ours");
    await untilConfirmed(bob, await mint(bob, groups["ours"]));
    // Again, and nothing happens.
    expect(await imported({ name: "ours" }, groups)).to.deep.equal(fact);
  });

  it("takes the group main of the configuration if no other is named", async () => {
    const { groups } = await deployed({});
    expect(await imported({}, groups)).to.include({ name: "main" });
  });

  it("takes a file with all lines of a deployment, or one of the two with the group", async () => {
    for (const type of ["group", "deployment", "all"]) {
      const { groups, lines } = await deployed({ name: `from-${type}` });
      const chosen = lines.filter(
        (line) => type === "all" || line.includes(`"type":"${type}"`),
      );
      expect(chosen).to.not.have.lengthOf(0);
      const file = fileWith(`${chosen.join("\n")}\n`);
      const { id } = described(groups[`from-${type}`]);
      expect(await imported({ file })).to.include({ id, name: `from-${type}` });
    }
    const { lines } = await deployed({ name: "pretty" });
    const line = lines.find((one) => one.includes('"type":"group"')) ?? "";
    const file = fileWith(JSON.stringify(JSON.parse(line), null, 2));
    expect(await imported({ file })).to.include({ name: "pretty" });
    expect(await groupsOf(alice)).to.include("pretty");
  });

  it("refuses what describes no group, and says what to do", async () => {
    const { groups, lines } = await deployed({ name: "described" });
    const plain = await deployed({
      domain: undefined,
      members: nodes.peers.alice.endorser,
      name: "plain",
    });
    const all = { ...groups, ...plain.groups };
    const line = lines.find((one) => one.includes('"type":"group"')) ?? "";
    const directory = path.join(folder.path, "directory");
    mkdirSync(directory);
    const large = fileWith(" ".repeat(2 ** 20 + 1));
    const address = addressOfEntry(plain.groups["plain"] ?? "");
    const refusals: readonly (readonly [
      ImportOptions,
      Parameters<typeof expectError>[0],
      readonly string[],
    ])[] = [
      [{}, "GROUP_NOT_CONFIGURED", ['"main"', "described, plain", "--file"]],
      [{ name: "other" }, "GROUP_NOT_CONFIGURED", ['"other"', "described"]],
      [{ name: "" }, "GROUP_NOT_CONFIGURED", ['""']],
      [{ name: "toString" }, "GROUP_NOT_CONFIGURED", ['"toString"']],
      [{ name: "plain" }, "GROUP_NOT_DESCRIBED", [address, "--domain"]],
      [
        { file: fileWith(plain.lines.join("\n")) },
        "GROUP_NOT_DESCRIBED",
        [address, "--domain"],
      ],
      [
        { name: "described", file: "group.json" },
        "OPTIONS_EXCLUSIVE",
        ["--name", "--file"],
      ],
      [{ file: "" }, "GROUP_FILE_INVALID", ["not a path"]],
      [{ file: "a\0b" }, "GROUP_FILE_INVALID", ["not a path"]],
      [{ file: "no/such.json" }, "GROUP_FILE_INVALID", ["no/such.json"]],
      [{ file: directory }, "GROUP_FILE_INVALID", [directory]],
      [{ file: large }, "GROUP_FILE_INVALID", [large, "too large"]],
      [{ file: fileWith("{") }, "GROUP_FILE_INVALID", ["not JSON"]],
      [{ file: fileWith("[1]") }, "GROUP_FILE_INVALID", ["no group"]],
      [{ file: fileWith("null") }, "GROUP_FILE_INVALID", ["no group"]],
      [{ file: fileWith("") }, "GROUP_FILE_INVALID", ["no group"]],
      [
        { file: fileWith(line.replace('"id":"0x', '"id":"')) },
        "GROUP_FILE_INVALID",
        ['"id"', "--json"],
      ],
      [{ name: "described", url: "ftp://x" }, "URL_INVALID", ["http://"]],
    ];
    const before = await groupsOf(alice);
    for (const [options, code, texts] of refusals) {
      const error = await expectError(
        code,
        async () => await imported(options, all),
      );
      for (const text of texts) expect(error.message).to.include(text);
    }
    await expectError("GROUP_NOT_CONFIGURED", async () => await imported({}));
    const down = `http://127.0.0.1:${await freePort()}`;
    await expectError(
      "NODE_UNREACHABLE",
      async () => await imported({ name: "described", url: down }, all),
    );
    expect(await groupsOf(alice)).to.deep.equal(before);
  });

  it("shows why the node refuses a group", async () => {
    const { groups } = await deployed({ name: "changed" });
    const entry = described(groups["changed"]);
    const others = await deployed({ name: "others", members: "bob,carol" });
    for (const [changed, reason] of [
      [{ ...entry, threshold: 1 }, "is not as it is described"],
      [{ ...entry, domain: "nothing" }, "nothing"],
      [{ ...entry, address: `0x${"2".repeat(40)}` }, "did not create a group"],
      [described(others.groups["others"]), "bob, carol, and not alice"],
    ] as const) {
      const error = await expectError(
        "NODE_REFUSED",
        async () => await imported({ name: "changed" }, { changed }),
      );
      expect(error.message).to.include(url).and.to.include(reason);
    }
    expect(await groupsOf(alice)).to.not.include("changed");
  });

  it("prints versioned JSON, and exits with 0 or 1", async () => {
    const { groups, lines } = await deployed({ name: "printed" });
    const file = fileWith(lines.join("\n"));
    const command = ["sequencer:group", "import", "--url", url];
    const printed = await runJson(0, ...command, "--file", file);
    expect(printed).to.have.lengthOf(1);
    expect(printed[0]).to.include({
      version: 1,
      type: "group-imported",
      id: described(groups["printed"]).id,
    });
    const error = await runRefused(
      "GROUP_NOT_CONFIGURED",
      ...[...command, "--network", "chain", "--name", "printed"],
    );
    expect(error).to.include("sequencer.networks.chain.groups");
  });
});
