import { expect } from "chai";

import type { Event } from "../../src/protocol/events.ts";
import type { NodeName } from "../../src/protocol/ids.ts";
import type { Message } from "../../src/protocol/messages.ts";
import { type Takeover, takeoverOf } from "../../src/node/takeover.ts";
import { keyOf, LoneNode, rank } from "../helpers/lone-node.ts";
import { intentAt } from "../helpers/monitor/fixture.ts";

const delegation: Message = {
  type: "DelegationRequest",
  key: keyOf("somebody:1:1"),
  height: 0,
  intents: [
    {
      id: intentAt(1),
      laneSalt: "",
      payload: "",
      touches: undefined,
      dependsOn: [],
      isPrepareOnly: false,
    },
  ],
};

const heartbeat: Message = {
  type: "Heartbeat",
  state: "Active",
  boot: 1,
  beat: 0,
  height: 0,
  transactions: [],
  isComplete: true,
};

const handover: Message = {
  type: "Handover",
  key: keyOf("somebody:1:2"),
  height: 0,
  context: { created: [], spent: [] },
  places: [],
  flush: [],
  digests: [],
  flushUntil: 0,
};

/** A node of which every takeover is noted. */
class NotedNode {
  readonly node: LoneNode;
  readonly takeovers: Takeover[] = [];

  constructor(self: NodeName) {
    this.node = new LoneNode({ self, policy: "rotating" });
  }

  tell(event: Event): this {
    const { state, predecessor } = this.node.sequencer.coordinator;
    this.node.tell(event);
    const before = { state, predecessor };
    const takeover = takeoverOf(before, event, this.node.sequencer);
    if (takeover !== undefined) this.takeovers.push(takeover);
    return this;
  }

  hear(from: NodeName, message: Message): this {
    return this.tell({ type: "MessageReceived", from, message });
  }

  get state(): string {
    return this.node.sequencer.coordinator.state;
  }
}

describe("How a node became the coordinator", () => {
  it("starts when it comes first and nobody is at work", () => {
    const node = new NotedNode(rank(0)).hear(rank(2), delegation);
    expect([node.state, node.takeovers]).to.deep.equal(["Active", ["start"]]);
    node.hear(rank(2), { ...delegation, key: keyOf("somebody:1:3") });
    expect(node.takeovers).to.deep.equal(["start"]);
  });

  it("stands in when senders come although another comes first", () => {
    const node = new NotedNode(rank(1)).hear(rank(2), delegation);
    expect([node.state, node.takeovers]).to.deep.equal([
      "Active",
      ["failover"],
    ]);
  });

  it("takes the role from another who hands it over", () => {
    const node = new NotedNode(rank(0)).hear(rank(1), heartbeat);
    expect([node.state, node.takeovers]).to.deep.equal(["Elect", []]);
    node.hear(rank(1), handover);
    expect([node.state, node.takeovers]).to.deep.equal([
      "Active",
      ["handover"],
    ]);
  });

  it("takes the role when the one who has it falls silent", () => {
    const node = new NotedNode(rank(0)).hear(rank(1), heartbeat);
    for (let i = 0; i < 100 && node.takeovers.length === 0; i++)
      node.tell({ type: "Tick" });
    expect(node.takeovers).to.deep.equal(["failover"]);
  });
});
