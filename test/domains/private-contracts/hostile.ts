import { expect } from "chai";

import type {
  DomainState,
  DomainStep,
  Json,
  NewState,
} from "../../../src/domains/domain.ts";
import { genesisIdOf } from "../../../src/domains/genesis.ts";
import { privateContracts } from "../../../src/domains/private-contracts/private-contracts.ts";
import {
  freshIntentId,
  nodeName,
  PlayedGroup,
} from "../../helpers/domains/played-group.ts";
import {
  addressOf,
  compiled,
  deploy,
  openContracts,
} from "../../helpers/domains/private-contracts.ts";

type Cheat = (step: DomainStep, group: PlayedGroup) => DomainStep;

/** The same states, but what one of them says is another thing. */
function altered(
  states: readonly DomainState[],
  schema: string,
  change: (state: DomainState) => Partial<NewState>,
): DomainState[] {
  const index = states.findIndex((state) => state.schema === schema);
  if (index === -1) throw new Error(`There is no ${schema} to alter.`);
  return states.map((state, i) =>
    i === index ? { ...state, ...change(state) } : state,
  );
}

const withData = (
  state: DomainState,
  more: Readonly<Record<string, Json>>,
) => ({
  data: { ...(state.data as Readonly<Record<string, Json>>), ...more },
});

/** Somebody else's account, which the step has no business with. */
const strange = (group: PlayedGroup): DomainState => {
  const found = group.ledger.all().findLast((it) => it.schema === "account");
  if (found === undefined) throw new Error("There is no account.");
  return found;
};

const cheats: Readonly<Record<string, readonly [Cheat, RegExp]>> = {
  "gives itself a balance in a token": [
    (step) => ({
      ...step,
      outputs: altered(step.outputs, "page", (state) =>
        withData(state, { slots: { "0x0": "0xffff" } }),
      ),
    }),
    /creates/,
  ],
  "gives itself ether": [
    (step) => ({
      ...step,
      outputs: altered(step.outputs, "account", (state) =>
        withData(state, { balance: "1" }),
      ),
    }),
    /creates/,
  ],
  "keeps its nonce": [
    (step) => ({
      ...step,
      outputs: altered(step.outputs, "account", (state) =>
        withData(state, { nonce: "0" }),
      ),
    }),
    /creates/,
  ],
  "changes the code of a contract": [
    (step, group) => ({
      ...step,
      outputs: [
        ...step.outputs,
        ...group.create(
          [{ schema: "code", label: "0x00", data: { code: "0x00" } }],
          step.intentId,
        ),
      ],
    }),
    /creates/,
  ],
  "leaves out what it should create": [
    (step) => ({ ...step, outputs: step.outputs.slice(1) }),
    /creates/,
  ],
  "creates in another order": [
    (step) => ({ ...step, outputs: step.outputs.toReversed() }),
    /creates/,
  ],
  "creates under another label": [
    (step) => ({
      ...step,
      outputs: altered(step.outputs, "page", () => ({ label: "0x/0/0x0" })),
    }),
    /creates/,
  ],
  "does not spend what it replaces": [
    (step) => {
      const [first, ...others] = step.inputs;
      if (first === undefined) throw new Error("It spends nothing.");
      return { ...step, inputs: others, reads: [...step.reads, first] };
    },
    /spends/,
  ],
  "spends what it only reads": [
    (step) => ({
      ...step,
      inputs: [...step.inputs, ...step.reads],
      reads: [],
    }),
    /spends/,
  ],
  "spends what belongs to somebody else": [
    (step, group) => ({ ...step, inputs: [...step.inputs, strange(group)] }),
    /spends/,
  ],
  "reads what it does not use": [
    (step, group) => ({ ...step, reads: [...step.reads, strange(group)] }),
    /reads/,
  ],
  "does not say what it reads": [
    (step) => ({ ...step, reads: [] }),
    /a state that the transaction needs/,
  ],
  "does not say what it spends": [
    (step) => ({ ...step, inputs: [] }),
    /a state that the transaction needs/,
  ],
  "reads in another order": [
    (step) => ({ ...step, reads: step.reads.toReversed() }),
    /reads/,
  ],
  "reads a state twice": [
    (step) => ({ ...step, reads: [...step.reads, ...step.reads] }),
    /two states/,
  ],
  "tells of an event that was not emitted": [
    (step) => ({
      ...step,
      infos: altered(step.infos, "transaction", (state) =>
        withData(state, { logs: [] }),
      ),
    }),
    /tells/,
  ],
  "tells nothing": [(step) => ({ ...step, infos: [] }), /tells/],
  "tells more": [
    (step) => ({ ...step, infos: [...step.infos, ...step.infos] }),
    /tells/,
  ],
  "calls a public contract that nobody asked for": [
    (step) => ({
      ...step,
      calls: [{ target: `0x${"99".repeat(20)}`, data: "0x", gasMin: 0 }],
    }),
    /calls/,
  ],
  "is somebody on another node": [
    (step) => ({ ...step, sender: nodeName("carol") }),
    /./,
  ],
  "asks for something else": [
    (step) => ({
      ...step,
      payload: step.payload.replace(/"data":"..../, '"data":"AAAA'),
    }),
    /./,
  ],
  "asks for nonsense": [(step) => ({ ...step, payload: "{}" }), /no sense/],
  "writes its payload in another way": [
    (step) => ({ ...step, payload: ` ${step.payload}` }),
    /no sense/,
  ],
  "puts on that the group begins": [
    (step) => ({ ...step, payload: "genesis" }),
    /begins once/,
  ],
  "takes the intent with which the group begins": [
    (step) => ({ ...step, intentId: genesisIdOf(step.group) }),
    /begins once/,
  ],
};

describe("An endorser of private contracts", function () {
  this.timeout(60_000);
  let group: PlayedGroup;
  let step: DomainStep;

  before(async () => {
    group = await openContracts();
    const coin = await deploy(group, "alice", await compiled("Coin"), [1_000n]);
    const bob = await addressOf(group, "bob@bob");
    await coin.send("alice", "transfer", [bob, 10n]);
    await deploy(group, "carol", await compiled("Workshop"));
    const data = coin.abi.encodeFunctionData("transfer", [bob, 1n]);
    const { payload } = group.domain.check({
      group: group.group,
      node: nodeName("alice"),
      from: "alice",
      signature: "invoke(address,bytes)",
      args: { to: coin.address, data },
    });
    const sender = nodeName("alice");
    const made = await group.assemble({ id: freshIntentId(), sender, payload });
    if (!("inputs" in made)) throw new Error(made.reason);
    step = made;
  });

  it("endorses what is right", async () => {
    expect(await privateContracts.endorse(step)).to.equal(undefined);
  });

  for (const [what, [cheat, reason]] of Object.entries(cheats))
    it(`refuses a step that ${what}`, async () => {
      expect(await privateContracts.endorse(cheat(step, group))).to.match(
        reason,
      );
    });

  it("refuses a call with other gas than its contract asked for", async () => {
    const calling = await openContracts({
      configuration: { externalCallsEnabled: "true" },
    });
    const announcer = await deploy(
      calling,
      "alice",
      await compiled("Announcer"),
    );
    const target = `0x${"77".repeat(20)}`;
    const data = announcer.abi.encodeFunctionData("announce", [target, "0x"]);
    const { payload } = calling.domain.check({
      group: calling.group,
      node: nodeName("alice"),
      from: "alice",
      signature: "invoke(address,bytes)",
      args: { to: announcer.address, data },
    });
    const sender = nodeName("alice");
    const id = freshIntentId();
    const made = await calling.assemble({ id, sender, payload });
    if (!("inputs" in made)) throw new Error(made.reason);
    expect(await privateContracts.endorse(made)).to.equal(undefined);
    const calls = made.calls.map((call) => ({ ...call, gasMin: 1 }));
    expect(await privateContracts.endorse({ ...made, calls })).to.match(
      /calls/,
    );
  });

  it("refuses a group that begins with something", async () => {
    const fresh = new PlayedGroup(
      { members: ["alice", "bob"] },
      { domain: privateContracts },
    );
    const begun = await fresh.assemble({
      id: genesisIdOf(fresh.group),
      sender: nodeName("alice"),
      payload: "genesis",
    });
    if (!("inputs" in begun)) throw new Error(begun.reason);
    expect(await fresh.refusalsOf(begun)).to.deep.equal([]);
    const names = { names: [`0x${"77".repeat(20)}`] };
    const outputs = altered(begun.outputs, "directory", () => ({
      data: names,
    }));
    expect(await fresh.refusalsOf({ ...begun, outputs })).to.have.length(2);
    expect(
      await fresh.refusalsOf({ ...begun, intentId: freshIntentId() }),
    ).to.have.length(2);
  });

  it("refuses states that were made up, whatever they say", async () => {
    const madeUp: readonly (readonly [string, Json])[] = [
      ["account", null],
      ["account", { address: "0x" }],
      ["code", { code: "0x6001" }],
      ["page", { slots: { "0xff": "0x1" } }],
      ["page", { slots: { zero: "0x1" } }],
    ];
    for (const [schema, data] of madeUp) {
      const all = [...step.inputs, ...step.reads];
      if (!all.some((state) => state.schema === schema)) continue;
      const change = (states: readonly DomainState[]): DomainState[] =>
        states.some((state) => state.schema === schema)
          ? altered(states, schema, () => ({ data }))
          : [...states];
      const lie = {
        ...step,
        inputs: change(step.inputs),
        reads: change(step.reads),
      };
      expect(await privateContracts.endorse(lie), schema).to.be.a("string");
    }
  });
});
