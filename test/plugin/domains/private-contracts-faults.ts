import { expect } from "chai";

import {
  deployPrivate,
  privateAddressOf,
} from "../../../src/plugin/domains/private-contracts.ts";
import { closeConnections } from "../helpers/connection.ts";
import { expectError } from "../helpers/errors.ts";
import {
  aCluster,
  aContractGroup,
  artifactOf,
} from "../helpers/private-contracts.ts";

describe("private-contracts when something goes wrong", function () {
  this.timeout(60_000);
  afterEach(closeConnections);

  it("lets a member catch up that missed a hundred transactions, and endorse again", async function () {
    const { cluster } = await aCluster();
    const group = await aContractGroup(cluster, { threshold: 2 });
    const coin = await deployPrivate(group, "alice", await artifactOf("Coin"), [
      1_000n,
    ]);
    const bob = await privateAddressOf(group, "bob");
    await coin.send("alice", "transfer", [bob, 500n]);
    await cluster.synced();
    await cluster.node("carol").crash();
    const shops = await Promise.all(
      Array.from(
        { length: 10 },
        async (_, i) => await privateAddressOf(group, `shop${i}@bob`),
      ),
    );
    await Promise.all(
      Array.from({ length: 100 }, async (_, i) => {
        const who = i % 2 === 0 ? "alice" : "bob";
        await coin.send(who, "transfer", [shops[i % shops.length], 3n]);
      }),
    );
    await cluster.node("carol").restart();
    await cluster.synced();
    for (const shop of shops)
      expect(await coin.call("carol", "balanceOf", [shop])).to.equal(30n);
    // Two endorsements are needed, so carol's counts now.
    await cluster.node("bob").crash();
    await coin.send("shop0@alice", "approve", [bob, 1n]);
    const carol = await privateAddressOf(group, "carol");
    await coin.send("alice", "transfer", [carol, 7n]);
    await cluster.synced();
    expect(await coin.call("carol", "balanceOf", [carol])).to.equal(7n);
  });

  it("begins also if its creator crashes before it has begun", async function () {
    const { cluster } = await aCluster();
    const group = await aContractGroup(cluster);
    await cluster.pauseMining();
    await cluster.node("alice").crash();
    const intent = await group.send("bob", "deploy", { bytecode: "0x00" });
    await cluster.node("alice").restart();
    await cluster.resumeMining();
    await intent.confirmed();
    await cluster.synced();
    const states = group.states("carol").map(({ schema }) => schema);
    expect(states.sort()).to.deep.equal(["account", "account", "directory"]);
  });

  it("comes to the same again after the chain took everything back", async function () {
    const { cluster } = await aCluster();
    const group = await aContractGroup(cluster);
    const { abi, bytecode } = await artifactOf("Coin");
    const coin = await deployPrivate(group, "alice", { abi, bytecode }, [9n]);
    const bob = await privateAddressOf(group, "bob");
    const data = coin.interface.encodeFunctionData("transfer", [bob, 1n]);
    const { address: to } = coin;
    const intents = await Promise.all(
      [1, 2, 3, 4].map(
        async () => await group.send("alice", "invoke", { to, data }),
      ),
    );
    for (const intent of intents) await intent.confirmed();
    await cluster.synced();
    await cluster.reorganise({ fromBlock: coin.receipt.block });
    await cluster.synced();
    for (const intent of intents) await intent.confirmed();
    await cluster.synced();
    for (const node of group.members)
      expect(await coin.call(node, "balanceOf", [bob])).to.equal(4n);
  });

  it("has public contracts called, after what happens privately and only with it", async function () {
    // What failed ends when nobody can bring it about any more: soon, here.
    const settings = { validForBlocks: 30, retriesMax: 1 };
    const { cluster, connection } = await aCluster({ settings });
    const { ethers } = connection;
    const group = await aContractGroup(cluster, {
      configuration: { externalCallsEnabled: "true" },
    });
    const { abi, bytecode } = await artifactOf("Board");
    const [deployer] = await ethers.getSigners();
    const factory = new ethers.ContractFactory(abi, bytecode, deployer);
    const board = await factory.deploy();
    const target = await board.getAddress();
    const put = (text: string): string =>
      factory.interface.encodeFunctionData("put", [text]);
    const read = async (name: string): Promise<unknown> =>
      (await board.getFunction(name).staticCall()) as unknown;

    const announcer = await deployPrivate(
      group,
      "alice",
      await artifactOf("Announcer"),
    );
    await announcer.send("bob", "announce", [target, put("first")]);
    expect(await read("notice")).to.equal("first");
    expect(String(await read("author")).toLowerCase()).to.equal(group.address);
    await announcer.send("carol", "announce", [target, put("second")]);
    // The board is full now. What it refuses does not happen privately either.
    const error = await expectError("INTENT_REVERTED", async () => {
      await announcer.send("bob", "announce", [target, put("third")]);
    });
    expect(error.message).to.include("ExternalCallFailed");
    await cluster.synced();
    expect(await announcer.call("alice", "announced")).to.equal(2n);
    expect(await read("notice")).to.equal("second");
  });

  it("gives public contracts enough gas, also those that would go on with less", async function () {
    const { cluster, connection } = await aCluster();
    const { ethers } = connection;
    const group = await aContractGroup(cluster, {
      configuration: { externalCallsEnabled: "true" },
    });
    const { abi, bytecode } = await artifactOf("Raffle");
    const [deployer] = await ethers.getSigners();
    const factory = new ethers.ContractFactory(abi, bytecode, deployer);
    const raffle = await factory.deploy();
    const target = await raffle.getAddress();
    const announcer = await deployPrivate(
      group,
      "alice",
      await artifactOf("Announcer"),
    );
    const draw = factory.interface.encodeFunctionData("draw");
    await announcer.send("bob", "announce", [target, draw]);
    const read = async (name: string): Promise<unknown> =>
      (await raffle.getFunction(name).staticCall()) as unknown;
    expect(await read("draws")).to.equal(1n);
    expect(await read("failures")).to.equal(0n);
  });
});
