import { expect } from "chai";

import type { RequestKey } from "../../src/protocol/ids.ts";
import type { IntentRecord } from "../../src/protocol/records.ts";
import { isAtRest } from "../../src/protocol/sequencer.ts";
import type { Intent } from "../../src/protocol/transition.ts";
import { genesisPlace, stateIdOf } from "../../src/simulation/hashing.ts";
import { assembled } from "../helpers/drives/driven-coordinator.ts";
import {
  delegation,
  handover,
  heartbeat,
  submission,
} from "../helpers/letters.ts";
import { keyOf, LoneNode, rank } from "../helpers/lone-node.ts";
import { bundleOf, emptyView, intent } from "../helpers/simulated-group.ts";

const [first, self, liar] = [rank(0), rank(1), rank(2)];

describe("A member that speaks of blocks that never come", () => {
  for (const height of [5, 2 ** 50])
    it(`does not keep a group from resting with an assembly at height ${height}`, () => {
      const node = new LoneNode({ self });
      const { id } = intent(1, "");
      node.hear(liar, heartbeat("Active")).tell(submission(intent(1, "")));
      expect(node.sequencer.sender.delegate).to.equal(liar);
      const ask = (key: RequestKey, at: number): void => {
        const view = emptyView;
        const ids = [id];
        node.hear(liar, {
          type: "AssembleRequest",
          key,
          ids,
          height: at,
          view,
        });
      };
      ask(keyOf("now"), 0);
      const outcomes = [{ type: "reverted", id, reason: "nonsense" } as const];
      node.tell({ type: "AssemblyDone", key: keyOf("now"), outcomes });
      ask(keyOf("never"), height);
      node.wait(200);
      expect(isAtRest(node.sequencer)).to.equal(true);
    });

  it("does not keep a group from resting with a request for an endorsement", () => {
    const node = new LoneNode({ self });
    node.hear(liar, {
      type: "EndorsementRequest",
      key: keyOf("never"),
      coordinator: liar,
      height: 1_000,
      bundle: bundleOf([], 2_000),
      view: emptyView,
    });
    expect(isAtRest(node.sequencer)).to.equal(false);
    expect(isAtRest(node.wait(200).sequencer)).to.equal(true);
  });
});

describe("A member that says that others' intents failed", () => {
  const dependency = intent(1, "");
  const dependant = { ...intent(2, ""), dependsOn: [dependency.id] };
  const failed = { type: "DependencyFailed", ids: [dependency.id] } as const;

  function recordOf(node: LoneNode, { id }: Intent): IntentRecord {
    const record = node.records.get(`intent:${id}`);
    if (record?.kind !== "intent") throw new Error("not saved");
    return record;
  }

  it("is not heard before anybody asks", () => {
    const node = new LoneNode({ self }).tell(submission(dependant));
    node.hear(liar, failed);
    expect(recordOf(node, dependant).parked).to.equal(undefined);
  });

  it("is not heard if another node sent the intent", () => {
    const node = new LoneNode({ self }).tell(submission(dependant)).wait(60);
    node.hear(first, delegation(dependency));
    node.hear(liar, failed);
    expect(recordOf(node, dependant).parked).to.equal(undefined);
    node.hear(first, failed);
    expect(recordOf(node, dependant).parked).to.include(first);
  });

  it("parks what depends on them for a while only, however often it says so", () => {
    const node = new LoneNode({ self }).tell(submission(dependant)).wait(60);
    node.hear(liar, failed);
    expect(recordOf(node, dependant).parked).to.include(dependency.id);
    for (let tick = 0; tick < 80; tick++) node.hear(liar, failed).wait(1);
    expect(recordOf(node, dependant).parked).to.equal(undefined);
    expect(node.sequencer.sender.transactions.get(dependant.id)?.state).equal(
      "Pending",
    );
  });

  it("parks nothing that the ledger lets go on while the node is down", () => {
    const node = new LoneNode({ self }).tell(submission(dependant)).wait(60);
    node.hear(liar, failed);
    expect(recordOf(node, dependant).parked).to.include(dependency.id);
    node.restart({ fulfilled: [dependency.id] });
    expect(recordOf(node, dependant).parked).to.equal(undefined);
    expect(node.sent("DelegationRequest")).to.have.length(1);
  });
});

describe("A predecessor that hands over false states", () => {
  it("costs what is built on them another assembly, once its work is confirmed", () => {
    const { id: open } = intent(9, "");
    const content = "false";
    const state = {
      id: stateIdOf({ intentId: open, index: 0, content }),
      content,
    };
    const { digest } = bundleOf([], 10);
    const node = new LoneNode({ self }).hear(liar, heartbeat("Active"));
    node.hear(liar, {
      ...handover([open], 15),
      context: { created: [state], spent: [] },
      places: [{ id: state.id, place: genesisPlace }],
      digests: [digest],
    });
    const [built, other] = [intent(1, ""), intent(2, "")];
    for (const [wish, inputs] of [
      [built, [state.id]],
      [other, []],
    ] as const) {
      const [request] = node
        .hear(liar, delegation(wish))
        .sent("AssembleRequest");
      const key = request?.key ?? keyOf("none");
      const outcomes = [assembled(wish, inputs)];
      node.hear(liar, { type: "AssembleResponse", key, outcomes });
    }
    const facts = [{ intents: [open], digest }];
    node.tell({ type: "BlockSeen", height: 1, facts });
    expect(node.sequencer.coordinator.state).to.equal("Active");
    const [again] = node.sent("AssembleRequest");
    expect(again?.ids).to.deep.equal([built.id]);
    expect(again?.view.created.map(({ id }) => id)).to.not.include(state.id);
  });
});
