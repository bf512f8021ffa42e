import { expect } from "chai";
import { id } from "ethers";

import {
  attachPrivate,
  deployPrivate,
  privateAddressOf,
  PrivateRevert,
} from "../../../src/plugin/domains/private-contracts.ts";
import { closeConnections } from "../helpers/connection.ts";
import { expectError } from "../helpers/errors.ts";
import {
  aCluster,
  aContractGroup,
  artifactOf,
} from "../helpers/private-contracts.ts";

/** Calls a method as somebody does who has no compiler. */
async function asJavaScript(
  target: object,
  method: string,
  args: readonly unknown[],
): Promise<unknown> {
  const found: unknown = Reflect.get(target, method);
  if (typeof found !== "function") throw new Error(`No method ${method}`);
  return (await Reflect.apply(found, target, args)) as unknown;
}

describe("private-contracts on real nodes", function () {
  this.timeout(60_000);
  afterEach(closeConnections);

  it("is an ordinary token for everybody in the group", async function () {
    const { cluster } = await aCluster();
    const group = await aContractGroup(cluster);
    const coin = await deployPrivate(group, "carol", await artifactOf("Coin"), [
      1_000n,
    ]);
    const [alice, bob, carol, till] = await Promise.all(
      ["alice", "bob", "carol", "till@carol"].map((who) =>
        privateAddressOf(group, who),
      ),
    );
    const paid = await coin.send("carol", "transfer", [bob, 100n]);
    expect(paid.events.map(({ name, args }) => ({ name, args }))).to.deep.equal(
      [{ name: "Transfer", args: { from: carol, to: bob, value: 100n } }],
    );
    expect(paid).to.include({ type: "confirmed", from: carol });
    expect(paid.to).to.equal(coin.address);
    expect(coin.receipt.contractAddress).to.equal(coin.address);
    await cluster.synced();
    await coin.send("bob", "transfer", [till, 30n]);
    await cluster.synced();
    await coin.send("till@carol", "transfer", [alice, 10n]);
    await cluster.synced();
    for (const node of group.members) {
      expect(await coin.call(node, "balanceOf", [till])).to.equal(20n);
      expect(await coin.call(node, "balanceOf", [carol])).to.equal(900n);
    }
  });

  it("takes transactions of all nodes at once that want the same money", async function () {
    const { cluster } = await aCluster();
    const group = await aContractGroup(cluster);
    const coin = await deployPrivate(group, "alice", await artifactOf("Coin"), [
      100n,
    ]);
    const shop = await privateAddressOf(group, "shop@bob");
    const addresses = await Promise.all(
      group.members.map((node) => privateAddressOf(group, node)),
    );
    for (const address of addresses)
      await coin.send("alice", "approve", [address, 1_000n]);
    const [alice = ""] = addresses;
    const receipts = await Promise.allSettled(
      Array.from({ length: 24 }, async (_, i) => {
        const node = group.members[i % group.members.length] ?? "";
        return await coin.send(node, "transferFrom", [alice, shop, 5n]);
      }),
    );
    // There is money for twenty of them.
    const done = receipts.filter(({ status }) => status === "fulfilled");
    expect(done.length).to.equal(20);
    await cluster.synced();
    for (const node of group.members)
      expect(await coin.call(node, "balanceOf", [shop])).to.equal(100n);
  });

  it("creates, loops, calls, fails and emits in two groups that know nothing of each other", async function () {
    const { cluster } = await aCluster();
    const groups = await Promise.all([
      aContractGroup(cluster, { members: ["alice", "bob"] }),
      aContractGroup(cluster, { members: ["bob", "carol"] }),
    ]);
    const artifact = await artifactOf("Workshop");
    await Promise.all(
      groups.map(async (group, index) => {
        const [first = "", second = ""] = group.members;
        const workshop = await deployPrivate(group, first, artifact);
        const salt = id("hammer");
        await workshop.send(first, "fill", [40n, BigInt(index)]);
        await workshop.send(first, "make2", [salt, 3n + BigInt(index)]);
        await cluster.synced();
        const { events } = await workshop.send(second, "work", [salt, 2n]);
        expect(events).to.have.length(1);
        await workshop.send(second, "attempt", [salt, 100n]);
        await cluster.synced();
        const uses = await workshop.call(first, "usesOf", [salt]);
        expect(uses).to.equal(BigInt(index) + 1n);
        expect(await workshop.call(first, "total")).to.equal(1n);
        // What one group has, the other has not.
        const [other = ""] = groups[1 - index]?.members ?? [];
        const elsewhere = groups[1 - index] ?? group;
        const stranger = attachPrivate(elsewhere, workshop.address, artifact);
        await expectError("REFUSED", async () => {
          await stranger.call(other, "total");
        });
      }),
    );
    const [seenByAlice = "", seenByCarol = ""] = groups.map((group, index) =>
      JSON.stringify(group.states(index === 0 ? "alice" : "carol")),
    );
    expect(seenByAlice).to.not.equal(seenByCarol);
  });

  it("says what a contract says when it refuses", async function () {
    const { cluster } = await aCluster();
    const group = await aContractGroup(cluster);
    const coin = await deployPrivate(group, "alice", await artifactOf("Coin"), [
      5n,
    ]);
    const alice = await privateAddressOf(group, "alice");
    const bob = await privateAddressOf(group, "bob");
    const error = await expectError("INTENT_REVERTED", async () => {
      await coin.send("alice", "transfer", [bob, 6n]);
    });
    const { cause } = error;
    if (!(cause instanceof PrivateRevert)) throw new Error("no revert");
    expect(cause.error).to.deep.equal({
      name: "ERC20InsufficientBalance",
      args: [alice, 5n, 6n],
    });
    expect(error.message).to.include(
      `ERC20InsufficientBalance("${alice}", 5, 6)`,
    );
    await cluster.synced();
    const asked = await expectError("REFUSED", async () => {
      await coin.call("bob", "transfer", [alice, 1n]);
    });
    expect(asked.message).to.include("ERC20InsufficientBalance");
    await expectError("CONTRACT_FUNCTION_UNKNOWN", async () => {
      await coin.send("bob", "mint", [1n]);
    });
    await expectError("ARTIFACT_INVALID", async () => {
      await deployPrivate(group, "bob", { abi: [], bytecode: "0x" });
    });
    await expectError("NODE_UNKNOWN", async () => {
      await coin.send("bob@nowhere", "transfer", [alice, 1n]);
    });
  });

  it("refuses arguments before anything is sent, all problems at once", async function () {
    const { cluster } = await aCluster();
    const group = await aContractGroup(cluster);
    const artifact = await artifactOf("Workshop");
    const workshop = await deployPrivate(group, "alice", artifact);
    const { address } = workshop;
    for (const [name, args, ...problems] of [
      ["cheer", [], "value is missing"],
      ["cheer", [256n], "value cannot be 256: it is a uint8"],
      ["cheer", [1n, 2n], "there are 2 values instead of 1"],
      ["cheer", 1n, "1 is not a list"],
      ["cheer", [undefined], "value cannot be undefined"],
      ["order", [1n, -1n, 5, ["x", 2]], "amount", "note", "prices[0]"],
      ["amounts", ["0x12", 1n], 'customer cannot be "0x12"'],
      ["recover", ["0x00", 1, "0x", 7n], "hash", "r cannot", "s cannot"],
      ["write", ["0x123"], "data cannot be"],
    ] as const)
      for (const run of [
        async () => await asJavaScript(workshop, "send", ["bob", name, args]),
        async () => await asJavaScript(workshop, "call", ["bob", name, args]),
      ]) {
        const error = await expectError("CONTRACT_ARGUMENTS_INVALID", run);
        expect(error.message).to.include(`${name}(`);
        for (const problem of problems)
          expect(error.message).to.include(problem);
      }
    await expectError("CONTRACT_ARGUMENTS_INVALID", async () => {
      await deployPrivate(group, "alice", await artifactOf("Coin"), ["a lot"]);
    });
    const two = attachPrivate(group, address, {
      abi: ["function pay(bool)", "function pay(tuple(string, bool)[1])"],
    });
    await expectError("FUNCTION_AMBIGUOUS", async () => {
      await asJavaScript(two, "send", ["alice", "pay", [true]]);
    });
    for (const [name, value, problem] of [
      ["pay(bool)", "false", 'argument 1 cannot be "false": it is a bool'],
      ["pay((string,bool)[1])", [], "argument 1 cannot be a list"],
      ["pay((string,bool)[1])", [["x"]], "argument 1[0].argument 2 is missing"],
      ["pay((string,bool)[1])", [{ 0: "x", a: 1 }], "argument 1[0].a is none"],
    ] as const) {
      const error = await expectError(
        "CONTRACT_ARGUMENTS_INVALID",
        async () => await asJavaScript(two, "send", ["alice", name, [value]]),
      );
      expect(error.message).to.include(problem);
    }
    await expectError("ADDRESS_INVALID", () =>
      attachPrivate(group, "0x12", artifact),
    );
    for (const abi of [undefined, 5, "["]) {
      const wrong: object = { abi, bytecode: "0x00" };
      await expectError("ABI_INVALID", async () => {
        await Reflect.apply(deployPrivate, undefined, [group, "alice", wrong]);
      });
    }
    await expectError("ARTIFACT_INVALID", async () => {
      const wrong: object = { abi: [] };
      await Reflect.apply(deployPrivate, undefined, [group, "alice", wrong]);
    });
  });

  it("takes calls as long as they may be, several at a time", async function () {
    const { cluster } = await aCluster();
    const group = await aContractGroup(cluster);
    const workshop = await deployPrivate(
      group,
      "alice",
      await artifactOf("Workshop"),
    );
    const long = `0x${"01".repeat(45_000)}`;
    // About 120 kB each, with what is kept for the receipt.
    const receipts = await Promise.all(
      Array.from({ length: 12 }, async () => {
        return await workshop.send("bob", "listen", [long]);
      }),
    );
    expect(new Set(receipts.map((receipt) => receipt.id)).size).to.equal(12);
    await cluster.synced();
    expect(await workshop.call("carol", "total")).to.equal(12n);
  });
});
