import { expect } from "chai";

import {
  deployPrivate,
  privateAddressOf,
} from "../../../src/plugin/domains/private-contracts.ts";
import { deploying } from "../../helpers/domains/hostile-bytecode.ts";
import { closeConnections } from "../helpers/connection.ts";
import {
  aCluster,
  aContractGroup,
  artifactOf,
} from "../helpers/private-contracts.ts";

/** One call of BLAKE2F, with twenty million rounds. */
const blake2f = "6301312d0060e01b5f5260015f60d4535f5f60d55f60095afa00";
/** Writes to memory until its gas is spent. */
const spin = "5b5a5f525a5f525a5f525f56";

/** The most milliseconds that one turn of the event loop used this thread for, since it was begun. */
function watchTurns(): () => number {
  let longestMs = 0;
  let isOver = false;
  let last = process.threadCpuUsage();
  const turn = (): void => {
    const { user, system } = process.threadCpuUsage(last);
    last = process.threadCpuUsage();
    longestMs = Math.max(longestMs, (user + system) / 1_000);
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return () => {
    isOver = true;
    return longestMs;
  };
}

describe("private-contracts with a hostile member", function () {
  this.timeout(120_000);
  afterEach(closeConnections);

  for (const [name, code] of Object.entries({ blake2f, spin }))
    it(`confirms payments of another group while one member asks for ${name}`, async () => {
      const { cluster } = await aCluster();
      const group = await aContractGroup(cluster);
      const other = await aContractGroup(cluster);
      const artifact = { abi: [], bytecode: deploying(code) };
      const hostile = await deployPrivate(group, "carol", artifact);
      const token = await artifactOf("Coin");
      const coin = await deployPrivate(other, "alice", token, [1_000n]);
      const bob = await privateAddressOf(other, "bob");
      const longestTurn = watchTurns();
      const args = { to: hostile.address, data: "0x" };
      await group.send("carol", "invoke", args);
      // Nobody waits for the answer.
      void group.query("carol", "call", args).catch(() => undefined);
      for (let count = 0; count < 3; count++)
        await coin.send("alice", "transfer", [bob, 1n]);
      await cluster.synced();
      expect(await coin.call("carol", "balanceOf", [bob])).to.equal(3n);
      expect(longestTurn()).to.be.below(1_000);
    });
});
