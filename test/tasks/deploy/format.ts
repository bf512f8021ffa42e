import { expect } from "chai";

import type { DeployFact } from "../../../src/plugin/deployment/facts.ts";
import { toJson, toLines } from "../../../tasks/deploy/format.ts";
import {
  anEnvironment,
  deploy,
  members,
} from "../../plugin/helpers/environment.ts";

describe("plugin: what deploy prints", function () {
  it("is one JSON object per fact, with a version, and strings for quantities", async function () {
    const { facts } = await deploy(await anEnvironment(), {
      members: members.join(","),
    });
    const lines = facts.map(toJson);
    for (const line of lines) {
      expect(line).not.to.include("\n");
      expect(JSON.parse(line)).to.include({ version: 1 });
    }
    const last = JSON.parse(lines.at(-1) ?? "") as object;
    expect(last).to.have.all.keys(
      "version",
      "type",
      "network",
      "chainId",
      "sender",
      "isDryRun",
      "isTemporary",
      "factory",
      "implementation",
      "atomFactory",
      "group",
      "transactions",
      "gasUsed",
      "config",
    );
    expect(last).to.include({ type: "deployment", chainId: "31337" });
  });

  it("says that Hardhat's own chain does not last", async function () {
    const { facts } = await deploy(await anEnvironment());
    expect(facts.flatMap(toLines).join("\n")).to.include("npx hardhat node");
  });

  it("ends with the lines for the configuration", function () {
    const fact: DeployFact = {
      type: "deployment",
      network: "my-chain",
      chainId: 5n,
      sender: "0x01",
      isDryRun: false,
      isTemporary: false,
      factory: "0x02",
      implementation: "0x03",
      atomFactory: null,
      group: null,
      transactions: [],
      gasUsed: 0n,
      config: { factory: "0x02", groups: { main: "0x04", "desk-2": "0x05" } },
    };
    expect(toLines(fact)).to.deep.equal([
      "",
      "hardhat.config.ts:",
      "  sequencer: {",
      "    networks: {",
      '      "my-chain": {',
      '        factory: "0x02",',
      "        groups: {",
      '          main: "0x04",',
      '          "desk-2": "0x05",',
      "        },",
      "      },",
      "    },",
      "  },",
    ]);
  });
});
