import { expect } from "chai";
import hre from "hardhat";

import { topicOf } from "../../src/ledger/index.ts";
import { Chain } from "../../src/chain/chain.ts";
import { openChainClient } from "../../src/chain/client/open.ts";
import { ChainError } from "../../src/chain/ports.ts";
import { ChainFarm, type FarmOptions } from "../helpers/chain-farm/farm.ts";
import { ChainRecord } from "../helpers/chain-farm/record.ts";
import { randomFrom } from "../helpers/random.ts";
import { openTestLedger } from "../helpers/runtime-ledger.ts";

describe("test: a farm of backends", function () {
  this.timeout(30_000);

  const open = async (options: Partial<FarmOptions> = {}) => {
    const client = openChainClient((await hre.network.create()).provider);
    const record = new ChainRecord(client);
    const farm = new ChainFarm(
      { backends: 3, lagMax: 4, ...options },
      { record, random: randomFrom(7) },
    );
    return { client, record, farm, chain: new Chain(farm) };
  };

  it("shows heads that are late, and never another past", async () => {
    const { client, farm, chain } = await open();
    const heads = new Set<number>();
    for (let i = 0; i < 60; i++) {
      if (i % 3 === 0) await client.request("evm_mine", []);
      const head = await chain.header("latest");
      const height = Number(await client.request("eth_blockNumber", []));
      expect(head?.number).to.be.within(height - 4, height);
      heads.add(height - (head?.number ?? 0));
    }
    expect(heads.size).to.be.above(2);
    // Those that are asked catch up.
    while (farm.lags.some((lag) => lag > 0)) await chain.header("latest");
  });

  it("keeps blocks that the chain took back, until backends have noticed", async () => {
    const { client, record, farm, chain } = await open({ backends: 1 });
    await client.request("evm_mine", []);
    const snapshot = await client.request("evm_snapshot", []);
    await client.request("evm_mine", []);
    await record.sync();
    while (farm.lags.some((lag) => lag > 0)) await chain.header("latest");
    const old = await chain.header("latest");
    await client.request("evm_revert", [snapshot]);
    await client.request("hardhat_setPrevRandao", [randomFrom(1).bytes32()]);
    for (let i = 0; i < 3; i++) await client.request("evm_mine", []);
    let seen = old;
    const found: number[] = [];
    for (let i = 0; i < 20; i++) {
      seen = await chain.header("latest");
      if (seen?.hash === old?.hash) found.push(i);
    }
    expect(seen?.number).to.equal(4);
    expect(found.every((i) => i < 10)).to.equal(true);
    const now = await chain.header(2);
    expect(now?.hash).to.not.equal(old?.hash);
  });

  it("answers as the chain does when it has caught up", async () => {
    const { client, farm, chain } = await open({ lagMax: 0 });
    const ledger = await openTestLedger(client);
    const group = await ledger.createGroup();
    for (let i = 0; i < 3; i++) await group.execute();
    const filter = {
      addresses: [group.address],
      topics: [topicOf("Transitioned")],
    };
    const logs = await chain.logsBetween([0, 100], filter);
    expect(logs).to.have.lengthOf(3);
    expect(logs).to.deep.equal(
      await ledger.chain.logsBetween([0, 100], filter),
    );
    for (const [method, ...params] of [
      ["eth_getTransactionCount", ledger.account, "latest"],
      ["eth_getTransactionCount", ledger.account, "0x2"],
      ["eth_getTransactionReceipt", logs[0]?.transactionHash],
      ["eth_getBlockByHash", logs[0]?.blockHash, false],
      ["eth_getBlockByNumber", "0x1", true],
      ["eth_getCode", ledger.factory, "latest"],
      ["eth_chainId"],
    ] as const)
      expect(await farm.request(method, params), method).to.deep.equal(
        await client.request(method, params),
      );
    const unknown = await chain
      .logsOf(randomFrom(1).bytes32(), filter)
      .catch((error: unknown) => error);
    expect(unknown).to.be.instanceOf(ChainError);
  });

  it("misbehaves in the same way for the same requests", async () => {
    const ask = async (): Promise<readonly string[]> => {
      const { farm } = await open({
        faults: { loseBlocks: 0.3, rateLimit: 0.3, hang: 0.1, absurd: 0.3 },
        deadlineMs: 1,
      });
      const told: string[] = [];
      for (let i = 0; i < 40; i++)
        told.push(
          await farm
            .request(
              i % 2 === 0 ? "eth_getBlockByNumber" : "eth_getTransactionCount",
              i % 2 === 0
                ? ["latest", false]
                : [randomFrom(1).bytes32(), "latest"],
            )
            .then(
              (answer) => JSON.stringify(answer).slice(0, 4),
              (error: unknown) => String(error),
            ),
        );
      return told;
    };
    const told = await ask();
    expect(told).to.deep.equal(await ask());
    expect(new Set(told).size).to.be.at.least(5);
  });

  it("leads to another chain for a while, or answers nothing", async () => {
    const { farm, chain } = await open({ deadlineMs: 1 });
    const other = openChainClient(
      (await hre.network.create({ override: { chainId: 4 } })).provider,
    );
    farm.elsewhere = other;
    expect(await chain.chainId()).to.equal(4n);
    farm.elsewhere = undefined;
    expect(await chain.chainId()).to.equal(31337n);
    farm.isHanging = true;
    const error = await chain.chainId().catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(ChainError);
  });
});
