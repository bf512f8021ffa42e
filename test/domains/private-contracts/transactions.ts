import { expect } from "chai";
import { getCreate2Address, getCreateAddress, id, keccak256 } from "ethers";

import { limits } from "../../../src/protocol/limits.ts";
import { DomainRefusal } from "../../../src/domains/domain.ts";
import {
  addressOf,
  compiled,
  deploy,
  openContracts,
  receiptOf,
  sendRaw,
} from "../../helpers/domains/private-contracts.ts";
import { countdown } from "../../helpers/domains/random-calls.ts";

describe("A private contract", function () {
  this.timeout(60_000);

  it("is an ordinary token, whoever pays whom", async () => {
    const group = await openContracts();
    const coin = await deploy(group, "alice", await compiled("Coin"), [1_000n]);
    const alice = await addressOf(group, "alice");
    const bob = await addressOf(group, "bob@bob");
    const treasury = await addressOf(group, "treasury@carol");

    const paid = await coin.send("alice", "transfer", [bob, 100n]);
    await coin.send("bob", "transfer", [treasury, 30n]);
    await coin.send("treasury@carol", "approve", [bob, 10n]);
    await coin.send("bob", "transferFrom", [treasury, bob, 10n]);

    expect(await coin.call("bob", "balanceOf", [alice])).to.equal(900n);
    expect(await coin.call("alice", "balanceOf", [bob])).to.equal(80n);
    expect(await coin.call("carol", "balanceOf", [treasury])).to.equal(20n);
    expect(await coin.call("carol", "totalSupply")).to.equal(1_000n);
    const { topics, data } = coin.abi.encodeEventLog("Transfer", [
      alice,
      bob,
      100n,
    ]);
    expect(receiptOf(paid).receipt.logs).to.deep.equal([
      { address: coin.address, topics, data, logIndex: 0 },
    ]);
  });

  it("has the address that a chain would give it", async () => {
    const group = await openContracts();
    const workshop = await compiled("Workshop");
    const from = await addressOf(group, "alice");
    for (const nonce of [0, 1, 2]) {
      const { address } = await deploy(group, "alice", workshop);
      const expected = getCreateAddress({ from, nonce });
      expect(address).to.equal(expected.toLowerCase());
    }
  });

  it("sees who sent a transaction, and nobody else can be that", async () => {
    const group = await openContracts();
    const workshop = await deploy(group, "alice", await compiled("Workshop"));
    const senders = ["alice", "clerk@alice", "bob", "alice@bob"];
    const seen = await Promise.all(
      senders.map((who) => workshop.call(who, "whoAmI")),
    );
    const addresses = await Promise.all(
      senders.map((who) =>
        addressOf(group, who.includes("@") ? who : `${who}@${who}`),
      ),
    );
    expect(seen.map((address) => String(address).toLowerCase())).to.deep.equal(
      addresses,
    );
    expect(new Set(seen).size).to.equal(senders.length);
  });

  it("creates others and calls them, and keeps what went right when a call fails", async () => {
    const group = await openContracts();
    const workshop = await deploy(group, "alice", await compiled("Workshop"));
    const tool = await compiled("Tool");
    const salt = id("hammer");
    const made = await workshop.send("bob", "make2", [salt, 3n]);
    expect(made.type).to.equal("confirmed");
    const init = tool.bytecode + tool.abi.encodeDeploy([3n]).slice(2);
    expect(await workshop.call("carol", "tools", [salt])).to.equal(
      getCreate2Address(workshop.address, salt, keccak256(init)),
    );

    const worked = await workshop.send("carol", "work", [salt, 2n]);
    expect(receiptOf(worked).receipt.logs).to.have.length(1);
    const failed = await workshop.send("carol", "attempt", [salt, 2n]);
    expect(receiptOf(failed).receipt.logs).to.deep.equal([]);
    expect(await workshop.call("alice", "usesOf", [salt])).to.equal(1n);
    expect(await workshop.call("alice", "total")).to.equal(1n);
  });

  it("can destroy itself, and begins anew at the same address", async () => {
    const group = await openContracts();
    const workshop = await deploy(group, "alice", await compiled("Workshop"));
    const salt = id("bomb");
    const bomb = getCreate2Address(
      workshop.address,
      salt,
      keccak256(countdown),
    );
    const poke = async (data: string): Promise<bigint> => {
      const before = await workshop.call("bob", "poke", [bomb, data]);
      await workshop.send("bob", "poke", [bomb, data]);
      return BigInt(before === "0x" ? 0n : (before as string));
    };
    for (const round of ["first", "second", "third"]) {
      const ended = await workshop.send("alice", "forge", [countdown, salt]);
      expect(ended.type, round).to.equal("confirmed");
      expect(await poke("0x"), round).to.equal(1n);
      expect(await poke("0x"), round).to.equal(2n);
      expect(await poke("0x00"), round).to.equal(0n);
      expect(await poke("0x"), round).to.equal(0n);
    }
  });

  it("is known in its own group only", async () => {
    const coin = await compiled("Coin");
    const first = await openContracts({ address: `0x${"11".repeat(20)}` });
    const second = await openContracts({ address: `0x${"22".repeat(20)}` });
    const here = await deploy(first, "alice", coin, [1_000n]);
    const there = await deploy(second, "alice", coin, [5n]);
    expect(here.address).to.not.equal(there.address);
    const alice = await addressOf(second, "alice");
    expect(await there.call("bob", "balanceOf", [alice])).to.equal(5n);
    const ended = await sendRaw(second, "bob", "invoke(address,bytes)", {
      to: here.address,
      data: "0x",
    });
    expect(ended).to.deep.equal({
      type: "reverted",
      reason: `There is no contract at ${here.address} in this group.`,
    });
  });

  it("sees a block in which everybody sees the same", async () => {
    const group = await openContracts();
    const workshop = await deploy(group, "alice", await compiled("Workshop"));
    const ended = await workshop.send("alice", "tellAround");
    if (ended.type !== "confirmed") throw new Error(ended.reason);
    const [log] = receiptOf(ended).receipt.logs;
    const event = log && workshop.abi.parseLog(log);
    const chance = BigInt(keccak256(ended.step.intentId));
    const around = (prevrandao: bigint): bigint[] => [
      ...[1n, 1n, prevrandao, 1337n, 0n, 0n, 30_000_000n, 0n, 0n],
    ];
    expect(event?.args[0]).to.deep.equal(around(chance));
    const asked = await workshop.call("bob", "lookAround");
    expect(asked).to.deep.equal(around(0n));
  });

  it("may be as large as on a chain", async () => {
    const group = await openContracts();
    const runtime = "5b".repeat(24_576);
    const bytecode = `0x61600080600a5f395ff3${runtime}`;
    const ended = await sendRaw(group, "alice", "deploy(bytes)", { bytecode });
    expect(ended.type).to.equal("confirmed");
    const [code] = group.ledger.all().filter(({ schema }) => schema === "code");
    const content = JSON.stringify(code).length;
    expect(content).to.be.within(49_152, limits.contentBytes - 1_000);
    const large = `0x${"00".repeat(60_000)}`;
    const refused: unknown = await sendRaw(group, "bob", "deploy(bytes)", {
      bytecode: large,
    }).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(DomainRefusal);
    expect(String(refused)).to.include("60000 bytes are too much");
  });

  it("leaves a receipt with all that happened", async () => {
    const group = await openContracts();
    const { abi, bytecode } = await compiled("Coin");
    const code = bytecode + abi.encodeDeploy([7n]).slice(2);
    const ended = await sendRaw(group, "bob", "deploy(bytes)", {
      bytecode: code,
    });
    const from = await addressOf(group, "bob@bob");
    const { transaction, receipt } = receiptOf(ended);
    expect(transaction).to.deep.equal({
      from,
      to: null,
      nonce: "0x0",
      gas: "0x1c9c380",
      value: "0x0",
      data: code,
    });
    expect(receipt).to.include({
      from,
      to: null,
      contractAddress: getCreateAddress({ from, nonce: 0 }).toLowerCase(),
    });
    expect(Number(receipt.gasUsed)).to.be.within(500_000, 2_000_000);
    expect(receipt.logs).to.have.length(1);
  });
});
