import { expect } from "chai";

import type { Policy } from "../../src/protocol/config.ts";
import type { IntentId } from "../../src/protocol/ids.ts";
import { limits } from "../../src/protocol/limits.ts";
import { stateIdOf } from "../../src/simulation/hashing.ts";
import { wish } from "../helpers/drives/driven-coordinator.ts";
import { HostileGroup } from "../helpers/hostile-group.ts";
import { block, delegation, handover, heartbeat } from "../helpers/letters.ts";
import { keyOf, LoneNode, rank, ranked } from "../helpers/lone-node.ts";
import { intent } from "../helpers/simulated-group.ts";

const [self, honest, liar] = [rank(0), rank(1), rank(2)];
const never = intent(9, "").id;
const stateTicks = 40;

describe("A member that hands over what it never had", () => {
  it("is not believed unless it was heard at work, or was asked", () => {
    const node = new LoneNode({ self }).hear(liar, handover([never], 15));
    expect(node.sequencer.coordinator.state).to.equal("Idle");
    expect(node.sent("HandoverAck")).to.deep.equal([]);
    node.hear(liar, heartbeat("Closing")).hear(liar, handover([never], 15));
    expect(node.sequencer.coordinator.state).to.equal("Idle");
    node.hear(liar, heartbeat("Flush")).hear(liar, handover([never], 15));
    expect(node.sequencer.coordinator.state).to.equal("Prepared");
    expect(node.sent("HandoverAck")).to.have.length(1);
  });

  for (const height of [0, 1_000, 2 ** 50])
    it(`is waited for until a deadline that it does not move, at height ${height}`, () => {
      const node = new LoneNode({ self });
      const { coordinator } = node.sequencer;
      node.hear(liar, heartbeat("Flush"));
      let ticks = 0;
      const say = (): void => {
        const told = handover([never], Number.MAX_SAFE_INTEGER);
        node.hear(liar, heartbeat("Flush"));
        node.hear(liar, { ...told, height: height && height + ticks });
        node.hear(honest, delegation(intent(1, "")));
      };
      say();
      for (; coordinator.state === "Prepared"; ticks++) {
        node.wait(1);
        say();
        if (ticks > 10 * stateTicks) break;
      }
      expect(ticks).to.be.at.most(4 * stateTicks + 1);
      expect(coordinator.state).to.equal("Active");
    });

  it("is not waited for again and again by a node that gives way in between", () => {
    // With every block the liar comes first, or this node does: it asks for the role, and gives way, and asks again.
    const node = new LoneNode({
      self,
      policy: "rotating",
      rangeSizeBlocks: 1,
      threshold: 1,
    });
    const { coordinator } = node.sequencer;
    let ticks = 0;
    for (let height = 1; coordinator.state !== "Active"; height++) {
      node.tell(block(height));
      for (let i = 0; i < 5; i++, ticks++) {
        node.hear(liar, heartbeat("Active", { beat: ticks, height }));
        node.wait(1);
      }
      if (ticks > 40 * stateTicks) break;
    }
    expect(coordinator.state).to.equal("Active");
  });

  it("sets no flush point beyond what this node's own height allows", () => {
    const node = new LoneNode({ self }).hear(liar, heartbeat("Flush"));
    const told = handover([never], Number.MAX_SAFE_INTEGER);
    node.hear(liar, { ...told, height: 2 ** 50 });
    const { flushUntil, handoverHeight } = node.sequencer.coordinator;
    expect(handoverHeight).to.equal(limits.behindBlocks);
    expect(flushUntil).to.equal(limits.behindBlocks + 2 * 20);
    node.tell(block(flushUntil));
    expect(node.sequencer.coordinator.state).to.equal("Active");
  });

  it("does not fill the memory of whoever waits for it", () => {
    const node = new LoneNode({ self }).hear(liar, heartbeat("Flush"));
    const content = "x".repeat(limits.contentBytes);
    for (let n = 0; n < 1_000; n++) {
      const { id: intentId } = intent(1_000 + n, "");
      const id = stateIdOf({ intentId, index: 0, content: "" });
      const told = handover(n % 2 === 0 ? [intentId] : [], 15);
      const context = { created: [{ id, content }], spent: [] };
      const key = keyOf(`handover:${n}`);
      node.hear(liar, { ...told, key, context });
    }
    const { imported, flush } = node.sequencer.coordinator;
    expect(imported.size).to.be.within(
      1,
      (2 * limits.messageBytes) / limits.contentBytes,
    );
    expect(flush.size).to.be.at.most(limits.speculative);
  });

  for (const policy of ["sticky", "rotating"] satisfies Policy[])
    it(`does not stop a group, however often it does so, ${policy}`, () => {
      const group = new HostileGroup(
        {
          committee: ranked,
          threshold: 2,
          policy,
          rangeSizeBlocks: 15,
          validForBlocks: 200,
          // As many ticks of 50 ms as real nodes wait.
          heartbeatTicks: 10,
          heartbeatGrace: 4,
          requestTicks: 20,
          requestTicksMax: 80,
          retryTicks: 5,
          stateTicks: 100,
          suspicionTicks: 200,
        },
        liar,
      );
      group.hostile.ticks = (tick) => {
        if (tick % 10 !== 0) return;
        group.sayToAll(
          heartbeat("Flush", { beat: tick, height: group.height }),
        );
        group.sayToAll({
          ...handover([never], group.height + 200),
          key: keyOf(`handover:${tick}`),
          height: group.height,
        });
      };
      const ids: IntentId[] = [];
      for (let n = 0; n < 9; n++) {
        group.submit(n % 2 === 0 ? honest : self, wish(n));
        ids.push(wish(n).id);
        group.run(100);
      }
      group.run(600);
      const left = ids.filter((id) => !group.confirmedAt.has(id));
      expect(left).to.deep.equal([]);
    });
});
