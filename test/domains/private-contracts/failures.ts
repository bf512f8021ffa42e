import { expect } from "chai";
import { id } from "ethers";

import { DomainRefusal } from "../../../src/domains/domain.ts";
import {
  addressOf,
  compiled,
  deploy,
  openContracts,
  sendRaw,
} from "../../helpers/domains/private-contracts.ts";
import type { Ended } from "../../helpers/domains/played-group.ts";

function reasonOf(ended: Ended): string {
  return ended.type === "reverted" ? ended.reason : `It is ${ended.type}.`;
}

describe("A private transaction that fails", function () {
  this.timeout(60_000);

  it("says what the contract says", async () => {
    const group = await openContracts();
    const workshop = await deploy(group, "alice", await compiled("Workshop"));
    await workshop.send("alice", "order", [1n, 5n, "chair", []]);
    const again = await workshop.send("alice", "order", [1n, 5n, "table", []]);
    expect(reasonOf(again)).to.equal(
      'The contract reverted: "ordered before".',
    );
    const divided = await workshop.send("bob", "divide", [1n, 0n]);
    expect(reasonOf(divided)).to.equal(
      "The contract reverted with panic 0x12: division by zero.",
    );
    const cheered = await workshop.send("bob", "cheer", [7n]);
    expect(reasonOf(cheered)).to.include("panic 0x21");
    const popped = await workshop.send("bob", "shrink", [1n]);
    expect(reasonOf(popped)).to.include("panic 0x31");
  });

  it("shows a custom error with its selector and all of its data", async () => {
    const group = await openContracts();
    const workshop = await deploy(group, "alice", await compiled("Workshop"));
    const bob = await addressOf(group, "bob@bob");
    const ended = await workshop.send("bob", "order", [1n, 2_000n, "", []]);
    const data = workshop.abi.encodeErrorResult("TooMuch", [
      bob,
      2_000n,
      1_000n,
    ]);
    expect(reasonOf(ended)).to.equal(
      `The contract reverted with custom error ${data.slice(0, 10)}: ${data}.`,
    );
  });

  it("says so when there is no reason", async () => {
    const group = await openContracts();
    const workshop = await deploy(group, "alice", await compiled("Workshop"));
    const ended = await sendRaw(group, "bob", "invoke(address,bytes)", {
      to: workshop.address,
      data: "0xdeadbeef",
    });
    expect(reasonOf(ended)).to.equal("The contract reverted without a reason.");
  });

  it("ends when the gas of the group is spent, without stopping everything else", async () => {
    const group = await openContracts({
      configuration: { gasLimit: "3000000" },
    });
    const workshop = await deploy(group, "alice", await compiled("Workshop"));
    let isAlive = false;
    setImmediate(() => {
      isAlive = true;
    });
    const ended = await workshop.send("bob", "spin");
    expect(reasonOf(ended)).to.equal(
      "It ran out of gas: a transaction of this group has 3000000 (gasLimit).",
    );
    expect(isAlive).to.equal(true);
  });

  it("says which rules it was compiled for, if those are not the group's", async () => {
    const group = await openContracts({
      configuration: { evmVersion: "london" },
    });
    const { bytecode } = await compiled("Workshop");
    const ended = await sendRaw(group, "alice", "deploy(bytes)", { bytecode });
    expect(reasonOf(ended)).to.include("Compile it for london");
  });

  it("changes nothing, not even the sender's nonce", async () => {
    const group = await openContracts();
    const workshop = await deploy(group, "alice", await compiled("Workshop"));
    const before = group.ledger.all().map((state) => state.id);
    await workshop.send("alice", "work", [id("nothing"), 1n]);
    await workshop.send("alice", "divide", [1n, 0n]);
    expect(group.ledger.all().map((state) => state.id)).to.deep.equal(before);
  });

  it("refuses a question with the reason", async () => {
    const group = await openContracts();
    const workshop = await deploy(group, "alice", await compiled("Workshop"));
    const asked = workshop.call("bob", "divide", [1n, 0n]);
    const error = await asked.catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(DomainRefusal);
    expect(String(error)).to.include("division by zero");
  });

  it("does not happen if it needs more states than a step may have", async () => {
    const group = await openContracts();
    const workshop = await deploy(group, "alice", await compiled("Workshop"));
    const ended = await workshop.send("alice", "scatter", [300n]);
    expect(reasonOf(ended)).to.match(/^It uses \d+ states .* 256 is the most/);
  });

  it("does not happen if its events do not fit into its receipt", async () => {
    const group = await openContracts();
    const workshop = await deploy(group, "alice", await compiled("Workshop"));
    const ended = await workshop.send("alice", "shout", [40_000n]);
    expect(reasonOf(ended)).to.include("Emit less at a time");
  });
});
