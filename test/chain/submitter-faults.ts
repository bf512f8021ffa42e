import { expect } from "chai";
import hre from "hardhat";

import { parseAddress, parseHex } from "../../src/ledger/index.ts";
import type { Digest } from "../../src/protocol/ids.ts";
import { openChainClient } from "../../src/chain/client/open.ts";
import { aFaultyClient } from "../helpers/faulty-client.ts";
import { randomFrom } from "../helpers/random.ts";
import { openTestLedger } from "../helpers/runtime-ledger.ts";
import { aPayer, SubmitterRig } from "../helpers/submitter-rig.ts";
import { aTill } from "../helpers/till.ts";

/** Timers that hardly wait, so that many things go wrong in little time. */
const impatient = {
  now: () => performance.now(),
  after: (ms: number, run: () => void) => {
    const timer = setTimeout(run, ms / 50);
    return () => {
      clearTimeout(timer);
    };
  },
};

describe("runtime: submitter on a chain that misbehaves", function () {
  this.timeout(30_000);

  for (let seed = 1; seed <= 12; seed++)
    it(`gets everything mined once, over faults, restarts and reorganisations (seed ${seed})`, async () => {
      const random = randomFrom(seed);
      const client = openChainClient((await hre.network.create()).provider);
      const ledger = await openTestLedger(client);
      const groups = [await ledger.createGroup(), await ledger.createGroup()];
      const payers = [aPayer(5), aPayer(6)];
      const rig = new SubmitterRig(payers);
      const faults = {
        random,
        probability: random.pick([0.05, 0.2, 0.4]),
        isOn: true,
        count: 0,
      };
      const faulty = aFaultyClient(client, faults);
      const isAutomine = random.chance(0.5);
      await client.request("evm_setAutomine", [isAutomine]);
      const start = (): void => {
        const sendsAtOnce = random.pick([1, 4]);
        const options = { resubmitBlocks: 2, resendMs: 500, sendsAtOnce };
        rig.start(faulty, groups, options, impatient);
      };
      start();

      let submitted = 0;
      for (let round = 0; round < 20; round++) {
        const snapshot = await client.request("evm_snapshot", []);
        for (let i = random.below(4); i > 0; i--, submitted++) {
          const group = random.pick(groups);
          rig.submit(group, group.endorse());
        }
        if (random.chance(0.2)) {
          await rig.stop();
          start();
        }
        await client.request("evm_mine", []);
        if (random.chance(0.2)) await client.request("evm_revert", [snapshot]);
      }
      faults.isOn = false;

      const confirmed = (): number =>
        groups.flatMap(({ address }) => rig.index.transitionsOf(address))
          .length;
      let blocks = 0;
      while (confirmed() < submitted && blocks++ < 2_000) {
        await client.request("evm_mine", []);
        await rig.index.turn();
      }
      expect(confirmed(), `seed ${seed}`).to.equal(submitted);
      // Everything is settled in the end, and no nonce is missing.
      while (rig.open > 0 && blocks++ < 4_000) {
        await client.request("evm_mine", []);
        await rig.index.turn();
      }
      expect(rig.open).to.equal(0);
      await rig.stop();
      for (const group of groups) {
        const hashes = rig.index.transitionsOf(group.address);
        expect(new Set(hashes).size).to.equal(hashes.length);
      }
      for (const { address } of payers) {
        const [latest, pending] = await Promise.all(
          ["latest", "pending"].map(
            async (tag) =>
              await client.request("eth_getTransactionCount", [address, tag]),
          ),
        );
        expect(pending).to.equal(latest);
      }
    });
});

describe("runtime: users' transactions on a chain that misbehaves", function () {
  this.timeout(60_000);

  for (let seed = 1; seed <= 12; seed++)
    it(`happen exactly once, over faults, restarts and reorganisations (seed ${seed})`, async () => {
      const random = randomFrom(seed);
      const client = openChainClient((await hre.network.create()).provider);
      const { account } = await openTestLedger(client);
      const { bytecode, coder } = aTill();
      const data = bytecode + coder.encodeDeploy([0]).slice(2);
      const hash = await client.request("eth_sendTransaction", [
        { from: account, data, gas: "0xf00000" },
      ]);
      const created = await client.request("eth_getTransactionReceipt", [hash]);
      const { contractAddress } = created as { contractAddress: string };
      const till = parseAddress(contractAddress.toLowerCase());
      const payer = aPayer(5);
      const rig = new SubmitterRig([payer]);
      const faults = {
        random,
        probability: random.pick([0.05, 0.2, 0.4]),
        isOn: true,
        count: 0,
      };
      const faulty = aFaultyClient(client, faults);
      rig.faucet = async (address, needed) => {
        const balance = `0x${(needed + 10n ** 20n).toString(16)}`;
        await faulty.request("hardhat_setBalance", [address, balance]);
        return true;
      };
      await client.request("evm_setAutomine", [random.chance(0.5)]);
      const start = (): void => {
        const sendsAtOnce = random.pick([1, 4]);
        const options = { resubmitBlocks: 2, resendMs: 500, sendsAtOnce };
        rig.start(faulty, [], options, impatient);
      };
      start();

      const digests: Digest[] = [];
      for (let round = 0; round < 20; round++) {
        const snapshot = await client.request("evm_snapshot", []);
        for (let i = random.below(4); i > 0; i--) {
          const from = random.pick([
            { payer },
            { userName: "ann" },
            { userName: "ben" },
          ]);
          const memo = String(digests.length);
          const add = coder.encodeFunctionData("add", [1, memo]);
          digests.push(
            rig.submitPublic(from, { to: till, data: parseHex(add) }),
          );
        }
        if (random.chance(0.2)) {
          await rig.stop();
          start();
        }
        await client.request("evm_mine", []);
        if (random.chance(0.2)) await client.request("evm_revert", [snapshot]);
      }
      faults.isOn = false;
      let blocks = 0;
      while (rig.open > 0 && blocks++ < 4_000) {
        await client.request("evm_mine", []);
        await rig.index.turn();
      }
      expect(rig.open, `seed ${seed}`).to.equal(0);
      await rig.stop();
      const logs = (await client.request("eth_getLogs", [
        { address: till, fromBlock: "0x0", toBlock: "latest" },
      ])) as readonly { topics: string[]; data: string }[];
      const memos = logs.map(
        (log) => coder.parseLog(log)?.args.getValue("memo") as string,
      );
      expect(memos.map(Number).sort((a, b) => a - b)).to.deep.equal([
        ...digests.keys(),
      ]);
      for (const digest of digests) {
        const { failure, place } = await rig.endOf(digest);
        expect(failure, `seed ${seed}`).to.equal(undefined);
        const receipt = await client.request("eth_getTransactionReceipt", [
          place?.transactionHash,
        ]);
        // What was told last is where it is in the end.
        expect(receipt).to.include({
          blockNumber: `0x${place?.block.toString(16)}`,
        });
      }
    });
});
