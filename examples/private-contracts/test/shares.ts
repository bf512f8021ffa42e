import { expect } from "chai";
import { artifacts, network } from "hardhat";
import type { ClusterGroup, RunningCluster } from "hardhat-sequencer";
import {
  deployPrivate,
  privateAddressOf,
} from "hardhat-sequencer/private-contracts";

/** TypeScript knows the functions, events and errors of the contract once `hardhat build` has run. */
async function deployShares(group: ClusterGroup, supply: bigint) {
  const artifact = await artifacts.readArtifact("Shares");
  return await deployPrivate(group, "alice", artifact, [supply]);
}

/** Three shareholders, each with a node. Who has how many shares is nobody else's business. */
describe("private shares", function () {
  let connection: Awaited<ReturnType<typeof network.create>>;
  let cluster: RunningCluster;
  let group: ClusterGroup;
  let shares: Awaited<ReturnType<typeof deployShares>>;

  before(async function () {
    connection = await network.create();
    cluster = await connection.sequencer.start();
    group = await cluster.createGroup({
      domain: "private-contracts",
      configuration: { externalCallsEnabled: "true" },
    });
    shares = await deployShares(group, 1_000n);
  });

  after(async function () {
    await connection.close();
  });

  it("are sold like those of any token", async function () {
    const bob = await privateAddressOf(group, "bob");
    // Somebody on carol's node, who is not carol herself.
    const fund = await privateAddressOf(group, "fund@carol");
    const alice = await privateAddressOf(group, "alice");
    await expect(shares.send("alice", "transfer", [bob, 300n]))
      .to.emit(shares, "Transfer")
      .withArgs(alice, bob, 300n);
    await cluster.synced();
    await shares.send("bob", "transfer", [fund, 50n]);
    await cluster.synced();
    // Every member can tell, whoever sent it.
    for (const node of group.members) {
      expect(await shares.call(node, "balanceOf", [bob])).to.equal(250n);
      const left: bigint = await shares.call(node, "balanceOf", [fund]);
      expect(left).to.equal(50n);
    }
  });

  it("cannot be sold by those who have none, and the contract says so", async function () {
    const bob = await privateAddressOf(group, "bob");
    const carol = await privateAddressOf(group, "carol");
    await expect(shares.send("carol", "transfer", [bob, 1n]))
      .to.be.revertedWithCustomError(shares, "ERC20InsufficientBalance")
      .withArgs(carol, 0n, 1n);
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
