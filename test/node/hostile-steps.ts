import { expect } from "chai";

import {
  intentIdAt,
  laneOf,
  parseIntentId as parseLedgerIntentId,
  seriesOf,
} from "../../src/ledger/index.ts";
import {
  type GroupAddress,
  type IntentId,
  parseIntentId,
} from "../../src/protocol/ids.ts";
import type { NodeGroup } from "../../src/node/service.ts";
import type { UnsealedBundle } from "../../src/protocol/transition.ts";
import {
  type HandmadeNodes,
  startHandmade,
} from "../helpers/handmade-nodes.ts";
import { HostileMember } from "../helpers/hostile-member.ts";
import { keyOf as requestKey } from "../helpers/lone-node.ts";
import { nodeName } from "../helpers/stores.ts";

const honest = ["alice", "bob", "carol"];

/** The id that follows in the same lane, as everybody can guess it from the chain. */
function idAfter(id: IntentId): IntentId {
  const known = parseLedgerIntentId(id);
  const next = parseIntentId(intentIdAt(laneOf(known), seriesOf(known) + 1n));
  if (next === undefined) throw new Error("no id");
  return next;
}

describe("A member with keys and code of its own", function () {
  this.timeout(60_000);

  let nodes: HandmadeNodes;
  let dave: HostileMember;

  beforeEach(async () => {
    nodes = await startHandmade(honest, { outsiders: ["dave"] });
    dave = new HostileMember(nodes, "dave");
  });

  afterEach(async () => {
    await dave.stop();
    await nodes.stop();
  });

  /** A group in which any three of the four endorse. */
  const everybody = { members: [...honest, "dave"], threshold: 3 };
  const createGroup = async (): Promise<GroupAddress> =>
    (await nodes.createGroup(everybody)).address;

  const mint = async (name: string, group: GroupAddress): Promise<IntentId> =>
    await nodes.member(name).send({
      group,
      function: "mint(string,uint256)",
      args: { to: "pot", amount: "5" },
    });

  const endingOf = async (
    name: string,
    group: GroupAddress,
    id: IntentId,
  ): Promise<string> => (await nodes.member(name).receipt(group, id)).type;

  /** Resolves when nobody coordinates the group: then any member may ask for endorsements. */
  const rest = async (group: GroupAddress): Promise<void> => {
    await nodes.until(() =>
      honest.every((name) =>
        nodes
          .member(name)
          .node.status()
          .groups.every(
            ({ address, coordinator }) =>
              address !== group || coordinator === "Idle",
          ),
      ),
    );
  };

  const collect = async (
    group: GroupAddress,
    unsealed: UnsealedBundle,
    members: readonly string[],
  ): Promise<readonly string[]> => {
    const bundle = dave.seal(group, unsealed);
    for (;;) {
      await rest(group);
      const answers = await dave.collect(group, bundle, members);
      const words = answers.map((answer) =>
        answer.type === "Refusal" ? answer.reason : "endorsed",
      );
      // Somebody may have heard a late heartbeat, and then waits for more of them.
      if (!words.includes("not-coordinator")) return words;
    }
  };

  it("gets no endorsement in one group for a step that was signed in another", async () => {
    const cheap = await createGroup();
    const precious = await createGroup();
    const id = await mint("alice", cheap);
    expect(await endingOf("alice", cheap, id)).to.equal("Confirmed");
    const { message } = await dave.hears("EndorsementRequest");
    const { steps, places, validUntil } = message.bundle;
    expect(steps.map(({ sender }) => sender)).to.deep.equal(["alice"]);
    const unsealed = { steps, places, validUntil };
    expect(await collect(precious, unsealed, honest)).to.deep.equal([
      "invalid",
      "invalid",
      "invalid",
    ]);
  });

  it("gets no endorsement for the ids that another member will use next", async () => {
    const group = await createGroup();
    const first = await mint("carol", group);
    expect(await endingOf("carol", group, first)).to.equal("Confirmed");
    const next = idAfter(first);
    const { message } = await dave.hears("EndorsementRequest");
    const [seen] = message.bundle.steps;
    // With a salt of its own, and with the one that carol's step showed.
    for (const laneSalt of ["", seen?.laneSalt ?? ""]) {
      const step = dave.mint(group, { id: next, laneSalt });
      const unsealed = { steps: [step], places: [], validUntil: 100 };
      expect(await collect(group, unsealed, honest)).to.deep.equal([
        "invalid",
        "invalid",
        "invalid",
      ]);
    }
    const second = await mint("carol", group);
    expect(second).to.equal(next);
    expect(await endingOf("carol", group, second)).to.equal("Confirmed");
  });

  it("executes steps without permission, and their sender finds out that they were its own", async () => {
    // Dave is asked to coordinate, as the order of the members says.
    let group = await nodes.createGroup(everybody);
    const rankingOf = ({ address }: NodeGroup): readonly string[] =>
      nodes
        .member("alice")
        .node.status()
        .groups.find((one) => one.address === address)?.ranking ?? [];
    while (rankingOf(group)[0] !== "dave")
      group = await nodes.createGroup(everybody);
    const { address } = group;
    // Two of them, so that they share one signature.
    const ids = [await mint("alice", address), await mint("alice", address)];
    const height = nodes.member("alice").node.height();
    const alice = nodeName("alice");
    for (const id of ids) {
      const { message } = await dave.hears("DelegationRequest", (asked) =>
        asked.intents.some((intent) => intent.id === id),
      );
      const { key } = message;
      dave.send(alice, address, {
        type: "DelegationAccepted",
        key,
        ids: message.intents.map((intent) => intent.id),
        height,
      });
    }
    dave.send(alice, address, {
      type: "AssembleRequest",
      key: requestKey("dave:1:0"),
      ids,
      height,
      view: { created: [], spent: [] },
    });
    const { message } = await dave.hears("AssembleResponse");
    const steps = message.outcomes.flatMap((outcome) =>
      outcome.type === "assembled" ? [outcome.step] : [],
    );
    expect(steps.map(({ intentId }) => intentId)).to.deep.equal(ids);
    const bundle = dave.seal(address, {
      steps,
      places: [],
      validUntil: Math.min(...steps.map(({ validUntil }) => validUntil)),
    });
    // Alice is not asked, neither for her endorsement nor for her permission.
    const answers = await dave.collect(address, bundle, ["bob", "carol"]);
    const signatures = new Map([["dave", dave.endorse(bundle.digest)]]);
    for (const [i, name] of ["bob", "carol"].entries()) {
      const answer = answers[i];
      if (answer?.type === "Endorsement")
        signatures.set(name, answer.signature);
    }
    await dave.execute(group, bundle, signatures);
    for (const id of ids) {
      const receipt = await nodes.member("alice").receipt(address, id);
      expect(receipt.type).to.equal("Confirmed");
    }
    const asked = dave.heard.filter(
      ({ message: said }) => said.type === "FulfilmentQuery",
    );
    expect(asked.length).to.be.greaterThan(0);
  });

  it("gets no endorsement for a bundle that is valid forever, or longer than its steps", async () => {
    const group = await createGroup();
    const { id, laneSalt } = dave.newIntentId(group);
    const forever = Number.MAX_SAFE_INTEGER;
    for (const [lastBlock, validUntil] of [
      [forever, forever],
      [100, 101],
    ] as const) {
      const step = dave.mint(group, { id, laneSalt, validUntil: lastBlock });
      const unsealed = { steps: [step], places: [], validUntil };
      expect(await collect(group, unsealed, ["alice", "bob"])).to.deep.equal([
        "invalid",
        "invalid",
      ]);
    }
    const step = dave.mint(group, { id, laneSalt, validUntil: 100 });
    const unsealed = { steps: [step], places: [], validUntil: 100 };
    expect(await collect(group, unsealed, ["alice", "bob"])).to.deep.equal([
      "endorsed",
      "endorsed",
    ]);
  });
});
