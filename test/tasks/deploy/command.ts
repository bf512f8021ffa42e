import { expect } from "chai";
import { ZeroHash } from "ethers";

import {
  groupAddress,
  ledgerContracts,
} from "../../../src/plugin/deployment/addresses.ts";
import { publishedAccount } from "../../helpers/accounts.ts";
import { members } from "../../plugin/helpers/environment.ts";
import {
  freePort,
  runHardhat,
  startAnvil,
  startHardhatNode,
} from "../../plugin/helpers/processes.ts";
import type { Command, Node } from "../../plugin/helpers/processes.ts";

const { privateKey: key, address: sender } = publishedAccount(0);
const { factory, atomFactory } = ledgerContracts();
const expectedGroup = groupAddress(
  factory.address,
  sender,
  { members: [...members].reverse(), threshold: 2, externalCalls: false },
  ZeroHash,
);

interface Result {
  readonly factory: string;
  readonly atomFactory: string;
  readonly group: { readonly address: string };
  readonly transactions: readonly string[];
}

/** The last line of `--json`. */
function resultOf({ stdout }: Command): Result {
  const lines = stdout.trimEnd().split("\n");
  const objects = lines.map((line) => JSON.parse(line) as object);
  return objects.at(-1) as Result;
}

describe("plugin: npx hardhat sequencer:deploy", function () {
  this.timeout(180_000);

  const deployTo = async (
    network: string,
    node: Node,
    ...args: string[]
  ): Promise<Command> => {
    const command = await runHardhat(
      [
        "sequencer:deploy",
        "--network",
        network,
        "--members",
        members.join(","),
        ...args,
      ],
      { TEST_CHAIN_URL: node.url, TEST_KEY: key },
    );
    expect(command.exitCode, command.stderr).to.equal(0);
    expect(command.stdout + command.stderr).not.to.include(key.slice(2));
    return command;
  };

  for (const [name, network, start, count] of [
    ["Hardhat's node with the node's account", "chain", startHardhatNode, 5],
    ["Anvil, where the proxy is, with a key", "keyed", startAnvil, 3],
  ] as const)
    it(`deploys to ${name}, and sends nothing the second time`, async function () {
      const node = await start();
      try {
        const first = await deployTo(network, node, "--json");
        const { group, transactions, ...found } = resultOf(first);
        expect(found.factory).to.equal(factory.address);
        expect(found.atomFactory).to.equal(atomFactory.address);
        expect(transactions).to.have.lengthOf(count);
        expect(group.address).to.equal(expectedGroup);

        const blocks = await node.request("eth_blockNumber");
        const second = await deployTo(network, node);
        expect(second.stdout).to.include(`main: "${group.address}"`);
        expect(second.stdout).not.to.include("tx 0x");
        expect(await node.request("eth_blockNumber")).to.equal(blocks);
      } finally {
        await node.stop();
      }
    });

  it("ends with 1 and a clear sentence where nothing answers", async function () {
    const url = `http://127.0.0.1:${await freePort()}`;
    const { exitCode, stdout, stderr } = await runHardhat(
      ["sequencer:deploy", "--network", "keyed"],
      { TEST_CHAIN_URL: url, TEST_KEY: key },
    );
    expect(exitCode).to.equal(1);
    expect(stdout).to.equal("");
    expect(stderr).to.include('Cannot connect to the network "keyed"');
    expect(stderr).not.to.include(key.slice(2));
  });

  it("ends with 1 and a clear sentence without a key", async function () {
    const node = await startAnvil();
    try {
      const { exitCode, stdout, stderr } = await runHardhat(
        ["sequencer:deploy", "--network", "keyed"],
        { TEST_CHAIN_URL: node.url },
      );
      expect(exitCode).to.equal(1);
      expect(stdout).to.equal("");
      expect(stderr).to.include("TEST_KEY");
    } finally {
      await node.stop();
    }
  });
});
