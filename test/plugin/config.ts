import { expect } from "chai";
import { createHardhatRuntimeEnvironment } from "hardhat/hre";

import configHandlers from "../../src/plugin/hook-handlers/config.ts";
import hardhatSequencer from "../../src/index.ts";
import { defaultSettings } from "../../src/node/settings.ts";
import { anEnvironment } from "./helpers/environment.ts";

const address = `0x${"ab".repeat(20)}`;

async function problemsOf(sequencer: unknown): Promise<string[]> {
  const { validateUserConfig } = await configHandlers();
  // The type of the configuration would refuse most of what is tested here.
  const problems = await validateUserConfig?.({ sequencer } as never);
  return (problems ?? []).map(({ path }) => path.join("."));
}

describe("plugin: configuration", function () {
  it("needs no key of its own", async function () {
    const hre = await anEnvironment();
    expect(hre.config.sequencer).to.deep.equal({
      networks: {},
      peers: {},
      database: undefined,
      servers: {
        rpcHost: "127.0.0.1",
        rpcAllowedOrigins: [],
        statusHost: "127.0.0.1",
        operatorHost: "127.0.0.1",
      },
      nodes: ["alice", "bob", "carol", "dave"],
      threshold: undefined,
      blockMs: 250,
      settings: defaultSettings,
    });
  });

  it("fills in what is left out", async function () {
    const hre = await anEnvironment({
      sequencer: { networks: { sepolia: {}, other: { factory: address } } },
    });
    expect(hre.config.sequencer.networks).to.deep.equal({
      sepolia: { factory: undefined, groups: {} },
      other: { factory: address, groups: {} },
    });
  });

  it("reports every problem at once, with its path", async function () {
    const problems = await problemsOf({
      networks: {
        sepolia: { factory: "0x1", groups: { main: "nobody", other: address } },
        mainnet: { factroy: address },
      },
      network: {},
    });
    expect(problems).to.have.members([
      "sequencer.networks.sepolia.factory",
      "sequencer.networks.sepolia.groups.main",
      "sequencer.networks.mainnet",
      "sequencer",
    ]);
  });

  it("accepts what is right", async function () {
    const groups = { main: address };
    const networks = { sepolia: { factory: address, groups } };
    expect(await problemsOf({ networks })).to.deep.equal([]);
    expect(await problemsOf(undefined)).to.deep.equal([]);
  });

  it("stops Hardhat on a wrong configuration", async function () {
    let error: unknown;
    try {
      await createHardhatRuntimeEnvironment({
        plugins: [hardhatSequencer],
        sequencer: { networks: { sepolia: { factory: "0x1" } } },
      });
    } catch (thrown) {
      error = thrown;
    }
    expect(String(error)).to.include("sequencer.networks.sepolia.factory");
  });
});
