import { expect } from "chai";
import { artifacts, network } from "hardhat";
import type { ClusterGroup, RunningCluster } from "hardhat-sequencer";
import {
  deployPrivate,
  privateAddressOf,
  type PrivateContract,
  PrivateRevert,
} from "hardhat-sequencer/private-contracts";

/** Three shareholders, each with a node. Who has how many shares is nobody else's business. */
describe("private shares", function () {
  let connection: Awaited<ReturnType<typeof network.create>>;
  let cluster: RunningCluster;
  let group: ClusterGroup;
  let shares: PrivateContract;

  before(async function () {
    connection = await network.create();
    cluster = await connection.sequencer.start();
    group = await cluster.createGroup({
      domain: "private-contracts",
      configuration: { externalCallsEnabled: "true" },
    });
    const artifact = await artifacts.readArtifact("Shares");
    shares = await deployPrivate(group, "alice", artifact, [1_000n]);
  });

  after(async function () {
    await connection.close();
  });

  it("are sold like those of any token", async function () {
    const bob = await privateAddressOf(group, "bob");
    // Somebody on carol's node, who is not carol herself.
    const fund = await privateAddressOf(group, "fund@carol");
    const { events } = await shares.send("alice", "transfer", [bob, 300n]);
    expect(events[0]).to.include({ name: "Transfer" });
    expect(events[0]?.args["value"]).to.equal(300n);
    await cluster.synced();
    await shares.send("bob", "transfer", [fund, 50n]);
    await cluster.synced();
    // Every member can tell, whoever sent it.
    for (const node of group.members) {
      expect(await shares.call(node, "balanceOf", [bob])).to.equal(250n);
      expect(await shares.call(node, "balanceOf", [fund])).to.equal(50n);
    }
  });

  it("cannot be sold by those who have none, and the contract says so", async function () {
    const bob = await privateAddressOf(group, "bob");
    const error: unknown = await shares
      .send("carol", "transfer", [bob, 1n])
      .catch((reason: unknown) => reason);
    const cause = error instanceof Error ? error.cause : undefined;
    expect(cause).to.be.instanceOf(PrivateRevert);
    expect((cause as PrivateRevert).error?.name).to.equal(
      "ERC20InsufficientBalance",
    );
  });

  it("pay a dividend that a public contract records in the same transaction", async function () {
    const register = await connection.ethers.deployContract(
      "DividendRegister",
      [group.address],
    );
    const address = await register.getAddress();
    const { transactionHash } = await shares.send("alice", "declareDividend", [
      address,
      70_000n,
    ]);
    expect(await register.getFunction("dividends")(0)).to.equal(70_000n);
    const transaction =
      await connection.ethers.provider.getTransaction(transactionHash);
    expect(transaction?.to?.toLowerCase()).to.equal(group.address);
  });
});
