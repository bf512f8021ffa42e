import { expect } from "chai";
import { id as hashOfText } from "ethers";

import { limits } from "../../../src/protocol/limits.ts";
import type { DomainState, DomainStep } from "../../../src/domains/domain.ts";
import { genesisIdOf } from "../../../src/domains/genesis.ts";
import { privateContracts } from "../../../src/domains/private-contracts/private-contracts.ts";
import { StateMissing } from "../../../src/domains/private-contracts/reader.ts";
import {
  type Ended,
  freshIntentId,
  nodeName,
  PlayedGroup,
} from "../../helpers/domains/played-group.ts";
import {
  addressOf,
  compiled,
  deploy,
  openContracts,
  type PlayedContract,
} from "../../helpers/domains/private-contracts.ts";

function stepOf(ended: Ended): DomainStep {
  if (ended.type !== "confirmed") throw new Error(ended.reason);
  return ended.step;
}

const namesOf = (states: readonly DomainState[]): string[] =>
  states.map(({ schema, label }) => `${schema} ${label}`).sort();

/** The step for a call, on what there is, without anything happening. */
async function assembled(
  group: PlayedGroup,
  node: string,
  contract: PlayedContract,
  name: string,
  args: readonly unknown[],
): Promise<DomainStep> {
  const data = contract.abi.encodeFunctionData(name, args);
  const { payload } = group.domain.check({
    group: group.group,
    node: nodeName(node),
    from: node,
    signature: "invoke(address,bytes)",
    args: { to: contract.address, data },
  });
  const step = await group.assemble({
    id: freshIntentId(),
    sender: nodeName(node),
    payload,
  });
  if (!("inputs" in step)) throw new Error(step.reason);
  return step;
}

describe("The states of private contracts", function () {
  this.timeout(60_000);

  it("are only those that a transaction changes, and never the code", async () => {
    const group = await openContracts();
    const coin = await deploy(group, "alice", await compiled("Coin"), [1_000n]);
    const alice = await addressOf(group, "alice");
    const bob = await addressOf(group, "bob@bob");
    await coin.send("alice", "transfer", [bob, 10n]);
    const step = stepOf(await coin.send("alice", "transfer", [bob, 10n]));
    const schemas = (states: readonly DomainState[]): string[] =>
      states.map(({ schema }) => schema).sort();
    expect(schemas(step.inputs)).to.deep.equal(["account", "page", "page"]);
    expect(namesOf(step.outputs)).to.deep.equal(namesOf(step.inputs));
    expect(schemas(step.reads)).to.deep.equal(["account", "code"]);
    expect(namesOf(step.inputs)).to.include(`account ${alice}`);
  });

  it("are not shared by people who have nothing to do with each other", async () => {
    const group = await openContracts({
      members: ["alice", "bob", "carol", "dave"],
    });
    const coin = await deploy(group, "alice", await compiled("Coin"), [1_000n]);
    const [alice, bob, carol, dave] = await Promise.all(
      group.group.members.map((name) => addressOf(group, `${name}@${name}`)),
    );
    for (const holder of [bob, carol, dave])
      await coin.send("alice", "transfer", [holder, 100n]);
    const first = await assembled(group, "alice", coin, "transfer", [bob, 1n]);
    const second = await assembled(group, "carol", coin, "transfer", [
      dave,
      1n,
    ]);
    const spent = new Set(first.inputs.map((state) => state.id));
    const used = [...second.inputs, ...second.reads];
    expect(used.filter((state) => spent.has(state.id))).to.deep.equal([]);
    group.apply(first);
    expect(await group.refusalsOf(second)).to.deep.equal([]);
    group.apply(second);
    expect(await coin.call("bob", "balanceOf", [alice])).to.equal(699n);
    expect(await coin.call("bob", "balanceOf", [dave])).to.equal(101n);
  });

  it("let nobody come into being twice", async () => {
    const group = await openContracts();
    const coin = await deploy(group, "alice", await compiled("Coin"), [1_000n]);
    const bob = await addressOf(group, "bob@bob");
    // Both are bob's first transaction, so both create his account.
    const first = await assembled(group, "bob", coin, "approve", [bob, 1n]);
    const second = await assembled(group, "bob", coin, "approve", [bob, 2n]);
    group.apply(first);
    expect(() => {
      group.apply(second);
    }).to.throw("is not available");
    expect(await group.refusalsOf(second)).to.not.deep.equal([]);
  });

  it("let no page come into being twice, and nobody rely on a page that is not there any more", async () => {
    const group = await openContracts();
    const coin = await deploy(group, "alice", await compiled("Coin"), [1_000n]);
    const carol = await addressOf(group, "carol@carol");
    const bob = await addressOf(group, "bob@bob");
    await coin.send("alice", "transfer", [bob, 10n]);
    await coin.send("bob", "approve", [bob, 1n]);
    // Both create carol's page; the third one relies on the zero that is there.
    const first = await assembled(group, "alice", coin, "transfer", [
      carol,
      1n,
    ]);
    const second = await assembled(group, "bob", coin, "transfer", [carol, 1n]);
    const third = await assembled(group, "bob", coin, "balanceOf", [carol]);
    group.apply(first);
    for (const late of [second, third])
      expect(() => {
        group.apply(late);
      }).to.throw("is not available");
  });

  it("let no address be taken twice by contracts that make others", async () => {
    const group = await openContracts();
    const workshop = await deploy(group, "alice", await compiled("Workshop"));
    for (const name of ["bob", "carol"])
      await workshop.send(name, "cheer", [1n]);
    const salt = hashOfText("saw");
    const first = await assembled(group, "bob", workshop, "make2", [salt, 1n]);
    const second = await assembled(group, "carol", workshop, "make2", [
      salt,
      2n,
    ]);
    group.apply(first);
    expect(() => {
      group.apply(second);
    }).to.throw("is not available");
  });

  it("are built on what is in flight", async () => {
    const group = await openContracts();
    const coin = await deploy(group, "alice", await compiled("Coin"), [1_000n]);
    const bob = await addressOf(group, "bob@bob");
    const overlay = group.overlay();
    const data = coin.abi.encodeFunctionData("transfer", [bob, 400n]);
    const { payload } = group.domain.check({
      group: group.group,
      node: nodeName("alice"),
      from: "alice",
      signature: "invoke(address,bytes)",
      args: { to: coin.address, data },
    });
    const steps: DomainStep[] = [];
    const outcomes: string[] = [];
    for (let i = 0; i < 3; i++) {
      const intent = {
        id: freshIntentId(),
        sender: nodeName("alice"),
        payload,
      };
      const step = await group.assemble(intent, overlay);
      outcomes.push("inputs" in step ? "assembled" : step.type);
      if (!("inputs" in step)) continue;
      expect(await group.refusalsOf(step, overlay)).to.deep.equal([]);
      const { inputs, outputs } = group.netOf(step);
      overlay.apply(inputs, outputs);
      steps.push(step);
    }
    expect(outcomes).to.deep.equal(["assembled", "assembled", "reverted"]);
    for (const step of steps) group.apply(step);
    expect(await coin.call("carol", "balanceOf", [bob])).to.equal(800n);
  });

  it("stay small, however much a contract stores", async () => {
    const group = await openContracts();
    const workshop = await deploy(group, "alice", await compiled("Workshop"));
    for (const who of ["alice", "bob", "carol", "x@bob", "y@bob"])
      await workshop.send(who, "scatter", [60n]);
    for (let i = 0; i < 4; i++)
      await workshop.send("bob", "fill", [50n, BigInt(i)]);
    const parts = group.ledger
      .all()
      .filter(({ schema }) => schema === "directory");
    // Full parts of the directory have been split, and still have every page.
    expect(parts.length).to.be.greaterThan(10);
    const sizes = group.ledger
      .all()
      .map(({ data }) => JSON.stringify(data).length);
    expect(Math.max(...sizes)).to.be.lessThan(limits.contentBytes / 2);
    const listed = parts.flatMap(
      ({ data }) => (data as { readonly names: string[] }).names,
    );
    const named = group.ledger
      .all()
      .filter(({ schema }) => schema === "page" || schema === "account");
    expect(listed.length).to.equal(named.length);
    const x = await addressOf(group, "x@bob");
    for (const i of [0n, 59n])
      expect(await workshop.call("alice", "amounts", [x, i])).to.equal(i + 1n);
    expect(await workshop.call("alice", "amounts", [x, 60n])).to.equal(0n);
  });

  it("hold the code once, however many contracts have it", async () => {
    const group = await openContracts();
    const coin = await compiled("Coin");
    for (const who of ["alice", "bob", "alice"])
      await deploy(group, who, coin, [1n]);
    expect(
      group.ledger.all().filter(({ schema }) => schema === "code").length,
    ).to.equal(1);
  });

  it("begin once: nothing happens before, and nobody begins again", async () => {
    const group = new PlayedGroup(
      { members: ["alice", "bob"] },
      { domain: privateContracts },
    );
    const sender = nodeName("bob");
    const { payload } = group.domain.check({
      group: group.group,
      node: sender,
      from: "bob",
      signature: "deploy(bytes)",
      args: { bytecode: "0x00" },
    });
    const early = group.assemble({ id: freshIntentId(), sender, payload });
    const error: unknown = await early.catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(StateMissing);

    await group.begin();
    const again = { sender, payload: "genesis" };
    const ended = await group.settle({ ...again, id: freshIntentId() });
    expect(ended.type).to.equal("reverted");
    // Nobody can use the group's own intent for anything else.
    const id = genesisIdOf(group.group);
    const other = await group.settle({ sender, payload, id });
    expect(other.type).to.equal("reverted");
  });
});
