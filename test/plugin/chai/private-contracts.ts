import hardhatEthersChaiMatchers from "@nomicfoundation/hardhat-ethers-chai-matchers";
import {
  anyUint,
  anyValue,
} from "@nomicfoundation/hardhat-ethers-chai-matchers/withArgs";
import { expect } from "chai";
import { id } from "ethers";
import hre from "hardhat";
import type { NetworkConnection } from "hardhat/types/network";

import hardhatSequencerChai from "../../../src/plugin/chai/index.ts";
import type {
  ClusterGroup,
  RunningCluster,
} from "../../../src/plugin/connection/types.ts";
import {
  attachPrivate,
  deployPrivate,
  privateAddressOf,
  type PrivateContract,
} from "../../../src/plugin/domains/private-contracts.ts";
import { messageOf } from "../helpers/assertions.ts";
import { aConnection, closeConnections, soon } from "../helpers/connection.ts";
import { artifactOf } from "../helpers/private-contracts.ts";
import { runScript } from "../helpers/scripts.ts";

describe("chai: private contracts", function () {
  this.timeout(60_000);
  let connection: NetworkConnection<string>;
  let cluster: RunningCluster;
  let group: ClusterGroup;
  let coin: PrivateContract;
  let workshop: PrivateContract;
  let alice: string;
  let bob: string;

  before(async function () {
    connection = await aConnection({
      plugins: [hardhatSequencerChai, hardhatEthersChaiMatchers],
    });
    cluster = await connection.sequencer.start({ nodes: 2, settings: soon });
    group = await cluster.createGroup({ domain: "private-contracts" });
    coin = await deployPrivate(group, "alice", await artifactOf("Coin"), [9n]);
    const artifact = await artifactOf("Workshop");
    workshop = await deployPrivate(group, "alice", artifact);
    alice = await privateAddressOf(group, "alice");
    bob = await privateAddressOf(group, "bob");
  });
  after(closeConnections);

  it("emit events with arguments", async function () {
    const paying = coin.send("alice", "transfer", [bob, 2n]);
    await expect(paying).to.be.confirmed;
    await expect(paying).to.emit(coin, "Transfer");
    await expect(paying)
      .to.emit(coin, "Transfer(address,address,uint256)")
      .withArgs(alice, bob.toLowerCase(), 2);
    await expect(await paying)
      .to.emit(coin, "Transfer")
      .withArgs(
        anyValue,
        { getAddress: async () => await Promise.resolve(bob) },
        anyUint,
      );
    await expect(paying).not.to.emit(coin, "Approval");
    // The receipt has them, whoever reads it.
    await expect(paying).not.to.emit(workshop, "Ordered");
  });

  it("emit events with texts and lists, several in one transaction", async function () {
    const prices = [1n, 2n];
    await expect(workshop.send("alice", "order", [1n, 5n, "tea", prices]))
      .to.emit(workshop, "Ordered")
      .withArgs(alice, 1n, "tea", prices);
    const salt = id("saw");
    const made = await workshop.send("alice", "make2", [salt, 3n]);
    await expect(made).to.be.confirmed;
    const address = await workshop.call("alice", "lastTool");
    const tool = attachPrivate(
      group,
      String(address),
      await artifactOf("Tool"),
    );
    const worked = workshop.send("alice", "work", [salt, 2n]);
    await expect(worked)
      .to.emit(tool, "Used")
      .withArgs(workshop.address, 1n)
      .and.not.to.emit(workshop, "Ordered");
    await expect(worked)
      .to.emit(tool, "Used")
      .withArgs(workshop.address, 1n)
      .and.to.emit(tool, "Used");
  });

  it("emit events also when the intent was sent by hand", async function () {
    const data = coin.interface.encodeFunctionData("transfer", [bob, 1n]);
    const call = { to: coin.address, data };
    await expect(group.send("alice", "invoke", call))
      .to.emit(coin, "Transfer")
      .withArgs(alice, bob, 1n);
    const tooMuch = coin.interface.encodeFunctionData("transfer", [bob, 99n]);
    const failing = { to: coin.address, data: tooMuch };
    await expect(group.send("alice", "invoke", failing))
      .to.be.revertedWithCustomError(coin, "ERC20InsufficientBalance")
      .withArgs(alice, anyUint, 99n);
  });

  it("revert with custom errors, in transactions and in calls", async function () {
    const failing = coin.send("bob", "transfer", [alice, 50n]);
    await expect(failing).not.to.be.confirmed;
    await expect(failing).to.be.revertedWithCustomError(
      coin,
      "ERC20InsufficientBalance",
    );
    await expect(failing)
      .to.be.revertedWithCustomError(coin, "ERC20InsufficientBalance")
      .withArgs(bob, anyUint, 50n);
    await expect(failing).not.to.be.revertedWithCustomError(
      coin,
      "ERC20InvalidSender",
    );
    await expect(
      coin.call("bob", "transfer", [alice, 50n]),
    ).to.be.revertedWithCustomError(coin, "ERC20InsufficientBalance");
    await expect(
      coin.call("bob", "balanceOf", [alice]),
    ).not.to.be.revertedWithCustomError(coin, "ERC20InsufficientBalance");
  });

  it("revert with texts", async function () {
    await workshop.send("alice", "order", [7n, 5n, "tea", []]);
    const again = workshop.send("alice", "order", [7n, 5n, "tea", []]);
    await expect(again).to.be.revertedWithReason("ordered before");
    await expect(again).to.be.revertedWithReason(/^The contract reverted: "/);
    const panic = workshop.call("bob", "divide", [1n, 0n]);
    await expect(panic).to.be.revertedWithReason(/division by zero/);
  });

  it("say what is wrong", async function () {
    const paying = await coin.send("alice", "transfer", [bob, 1n]);
    const failing = coin.send("bob", "transfer", [alice, 50n]);
    for (const [run, text] of [
      [() => expect(paying).to.emit(coin, "Approval"), "was not"],
      [() => expect(paying).not.to.emit(coin, "Transfer"), "not to be emitted"],
      [() => expect(paying).to.emit(coin, "Paid"), "no event"],
      [() => expect(paying).to.emit(workshop, "Sum"), "anonymous"],
      [() => expect(5).to.emit(coin, "Transfer"), "but got 5"],
      [
        () => expect(failing).to.emit(coin, "Transfer"),
        "it reverted: The contract reverted with ERC20InsufficientBalance",
      ],
      [
        () => expect(paying).to.emit(coin, "Transfer").withArgs(alice, bob),
        "expected 2 arguments, but there are 3",
      ],
      [
        () => expect(paying).to.emit(coin, "Transfer").withArgs(alice, bob, 5n),
        "argument 3 is 1n, and not 5n",
      ],
      [
        () =>
          expect(failing)
            .to.be.revertedWithCustomError(coin, "ERC20InsufficientBalance")
            .withArgs(alice, anyValue, anyValue),
        `argument 1 is '${bob}'`,
      ],
      [
        () => expect(failing).to.be.revertedWithCustomError(coin, "Poor"),
        'no custom error "Poor"',
      ],
      [
        () =>
          expect(failing).to.be.revertedWithCustomError(
            coin,
            "ERC20InvalidSender",
          ),
        'custom error "ERC20InsufficientBalance"',
      ],
      [
        () =>
          expect(paying).to.be.revertedWithCustomError(
            coin,
            "ERC20InvalidSender",
          ),
        "did not revert",
      ],
      [
        () => expect(paying).not.to.emit(coin, "Approval").withArgs(alice),
        "withArgs cannot be combined with not",
      ],
    ] as const)
      expect(await messageOf(run)).to.include(text);
  });

  it("leave public contracts to the other matchers", async function () {
    const { abi, bytecode } = await hre.artifacts.readArtifact("Coin");
    const [signer] = await connection.ethers.getSigners();
    const factory = new connection.ethers.ContractFactory(
      abi,
      bytecode,
      signer,
    );
    const token = await factory.deploy(5n);
    const transfer = token.getFunction("transfer");
    await expect(transfer(bob, 1n))
      .to.emit(token, "Transfer")
      .withArgs(signer?.address, bob, 1n);
    await expect(transfer(bob, 10n))
      .to.be.revertedWithCustomError(token, "ERC20InsufficientBalance")
      .withArgs(signer?.address, 4n, 10n);
    expect(
      await messageOf(() =>
        expect(transfer(bob, 1n)).to.emit(token, "Approval"),
      ),
    ).to.equal(`Expected event "Approval" to be emitted, but it wasn't`);
  });
});

/** Prints what the matchers say in a new process, where they are added for the first time. */
const probe = (plugins: string): string => `
  import others from "@nomicfoundation/hardhat-ethers-chai-matchers";
  import { expect } from "chai";
  import { Interface, ZeroAddress } from "ethers";
  import { createHardhatRuntimeEnvironment } from "hardhat/hre";
  import ours from "./src/plugin/chai/index.ts";
  import { PrivateContract } from "./src/plugin/domains/private-contracts.ts";
  const plugins = ${plugins};
  const hre = await createHardhatRuntimeEnvironment({ plugins });
  await hre.network.create();
  const contract = { interface: new Interface([]), runner: null };
  const own = new PrivateContract({ address: ZeroAddress, abi: [] }, {});
  for (const run of [
    () => expect(1).to.emit(own, "Transfer"),
    () => expect(1).to.emit(contract, "Transfer"),
    () => expect(1).withArgs(2),
  ])
    try {
      await run();
    } catch (error) {
      console.log(error.message);
    }
`;

describe("chai: private contracts and other matchers", function () {
  this.timeout(60_000);

  for (const plugins of ["[ours, others]", "[others, ours]"])
    it(`share names in any order of the plugins: ${plugins}`, async function () {
      const { stdout, stderr } = await runScript(probe(plugins));
      expect(stderr).to.equal("");
      expect(stdout.trim().split("\n")).to.deep.equal([
        'The contract has no event "Transfer".',
        "contract.runner.provider shouldn't be null",
        "withArgs can only be used in combination with a previous .emit or .revertedWithCustomError assertion",
      ]);
    });

  it("are named when they are missing", async function () {
    const { stdout, stderr } = await runScript(probe("[ours]"));
    expect(stderr).to.equal("");
    const [own, ...lines] = stdout.trim().split("\n");
    expect(own).to.equal('The contract has no event "Transfer".');
    expect(lines).to.have.lengthOf(2);
    for (const line of lines)
      expect(line).to.include("@nomicfoundation/hardhat-ethers-chai-matchers");
  });
});
