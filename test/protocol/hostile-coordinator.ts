import { expect } from "chai";

import type { Policy, SequencerConfig } from "../../src/protocol/config.ts";
import type { IntentId, NodeName } from "../../src/protocol/ids.ts";
import type { Message } from "../../src/protocol/messages.ts";
import { isSuspected } from "../../src/protocol/turn.ts";
import { wish } from "../helpers/drives/driven-coordinator.ts";
import { HostileGroup } from "../helpers/hostile-group.ts";
import {
  block,
  delegation,
  heartbeat,
  submission,
} from "../helpers/letters.ts";
import { keyOf, LoneNode, rank, ranked } from "../helpers/lone-node.ts";
import {
  aStep,
  bundleOf,
  emptyView,
  intent,
  nodeNamed,
  permissionRequest,
} from "../helpers/simulated-group.ts";

// The first in rank, so that everybody turns to it, and nobody may coordinate beside it.
const [liar, next, sender] = [rank(0), rank(1), rank(2)];
const stateTicks = 40;
const patience = 8 * stateTicks;

/** What a liar does with what it accepts. */
type Trick = (group: HostileGroup, from: NodeName, message: Message) => void;

/** Beats, accepts, lists the ids, and has its own way with them. */
function aGroup(
  policy: Policy,
  trick: Trick = () => undefined,
  config: Partial<SequencerConfig> = {},
): HostileGroup {
  const group = new HostileGroup(
    { committee: ranked, threshold: 2, policy, ...config },
    liar,
  );
  const held = new Map<NodeName, Set<IntentId>>();
  group.hostile = {
    hears: (from, message) => {
      if (message.type === "DelegationRequest") {
        const own = held.get(from) ?? new Set();
        const ids = message.intents.map(({ id }) => id);
        for (const id of ids) own.add(id);
        held.set(from, own);
        const { key } = message;
        const { height } = group;
        group.say(from, { type: "DelegationAccepted", key, ids, height });
      }
      trick(group, from, message);
    },
    ticks: (tick) => {
      if (tick % 5 !== 0) return;
      for (const to of group.nodes.keys()) {
        const transactions = [...(held.get(to) ?? [])].map((id) => ({
          id,
          stage: "pooled" as const,
        }));
        const { height } = group;
        group.say(
          to,
          heartbeat("Active", { beat: tick, height, transactions }),
        );
      }
    },
  };
  return group;
}

/** Has what it gets assembled. */
const assembles: Trick = (group, from, message) => {
  if (message.type !== "DelegationRequest") return;
  const ids = message.intents.map(({ id }) => id);
  const key = keyOf(`assembly:${group.tick}`);
  const { height } = group;
  const view = emptyView;
  group.say(from, { type: "AssembleRequest", key, ids, height, view });
};

/** Asks for permission to dispatch that, and has not asked any endorser. */
const asks: Trick = (group, from, message) => {
  assembles(group, from, message);
  if (message.type !== "AssembleResponse") return;
  for (const outcome of message.outcomes) {
    if (outcome.type !== "assembled") continue;
    const bundle = bundleOf([outcome.step], group.height + 15);
    group.say(from, permissionRequest(keyOf(`ask:${group.tick}`), bundle));
  }
};

const tricks: Readonly<Record<string, Trick>> = {
  "says that endorsers refuse them": (group, from, message) => {
    assembles(group, from, message);
    if (message.type !== "AssembleResponse") return;
    const { key } = message;
    const reason = "made up";
    for (const { id } of message.outcomes)
      group.say(from, { type: "TransactionRefused", key, id, reason });
  },
  "says that the ledger reverted them": (group, from, message) => {
    asks(group, from, message);
    if (message.type !== "DispatchPermission") return;
    const { digest, ids } = message;
    const reason = "made up";
    group.say(from, { type: "TransactionReverted", digest, ids, reason });
  },
  "says that they are dispatched": (group, from, message) => {
    asks(group, from, message);
    if (message.type !== "DispatchPermission") return;
    const { digest, ids } = message;
    group.say(from, { type: "Dispatched", digest, ids });
  },
  "does nothing": () => undefined,
  "has them assembled again and again": (group, from, message) => {
    if (
      message.type !== "DelegationRequest" &&
      message.type !== "AssembleResponse"
    )
      return;
    const ids =
      message.type === "DelegationRequest"
        ? message.intents.map(({ id }) => id)
        : message.outcomes.map(({ id }) => id);
    const key = keyOf(`assembly:${group.tick}`);
    const { height } = group;
    const view = emptyView;
    group.say(from, { type: "AssembleRequest", key, ids, height, view });
  },
  "gives them back and takes them again": (group, from, message) => {
    if (message.type !== "DelegationRequest") return;
    const ids = message.intents.map(({ id }) => id);
    const { height } = group;
    group.say(from, { type: "DelegationReturned", ids, height });
  },
};

describe("A coordinator that beats and makes no progress", () => {
  for (const policy of ["sticky", "rotating"] satisfies Policy[])
    for (const [name, trick] of Object.entries(tricks))
      it(`loses the role when it ${name}, ${policy}`, () => {
        const group = aGroup(policy, trick);
        group.run(20);
        const ids = [1, 2, 3].map((n) => wish(n).id);
        for (const n of [1, 2, 3]) group.submit(sender, wish(n));
        group.run(4 * patience);
        expect(ids.filter((id) => !group.confirmedAt.has(id))).to.deep.equal(
          [],
        );
      });

  for (const policy of ["sticky", "rotating"] satisfies Policy[])
    it(`loses the role although it suspects the only other one, ${policy}`, () => {
      const committee = [liar, next];
      const config = { committee, members: [...committee, sender] };
      const group = aGroup(policy, undefined, { ...config, threshold: 1 });
      const { hostile } = group;
      const ticks = (tick: number): void => {
        hostile.ticks?.(tick);
        const key = keyOf(`s:${tick}`);
        group.sayToAll({ type: "Suspicion", key, of: next });
      };
      group.hostile = { ...hostile, ticks };
      group.run(20);
      for (const n of [1, 2]) group.submit(n === 1 ? sender : next, wish(n));
      group.run(4 * patience);
      const ids = [1, 2].map((n) => wish(n).id);
      expect(ids.filter((id) => !group.confirmedAt.has(id))).to.deep.equal([]);
    });

  for (const policy of ["sticky", "rotating"] satisfies Policy[])
    for (const reason of [
      "sender-behind",
      "coordinator-behind",
      "busy",
    ] as const)
      it(`loses the role when it refuses everything as ${reason}, ${policy}`, () => {
        const group = aGroup(policy);
        group.hostile.hears = (from, message) => {
          if (message.type !== "DelegationRequest") return;
          const { key, intents } = message;
          const ids = intents.map(({ id }) => id);
          const height = group.height + 1_000_000;
          const active = undefined;
          const type = "DelegationRejected";
          group.say(from, { type, key, ids, height, reason, active });
        };
        group.run(20);
        const ids = [1, 2, 3].map((n) => wish(n).id);
        for (const n of [1, 2, 3]) group.submit(sender, wish(n));
        group.run(4 * patience);
        expect(ids.filter((id) => !group.confirmedAt.has(id))).to.deep.equal(
          [],
        );
      });

  it("cannot hold what comes later for as long again", () => {
    const group = aGroup("sticky");
    const delays: number[] = [];
    for (let n = 0; n < 4; n++) {
      const since = group.tick;
      group.submit(sender, wish(n));
      while (!group.confirmedAt.has(wish(n).id) && group.tick < since + 5_000)
        group.run(1);
      delays.push(group.tick - since);
      // Nobody has work, so that the role is free again.
      group.run(patience);
    }
    expect(delays[0]).to.be.below(2 * patience);
    expect(
      delays.slice(1).filter((ticks) => ticks > patience),
    ).to.have.length.below(2);
  });
});

describe("A suspicion", () => {
  /** A node that trusts whoever coordinates, and hears from a member that it does nothing. */
  function told(...keys: readonly string[]): LoneNode {
    const node = new LoneNode({ self: next }).hear(liar, heartbeat("Active"));
    for (const key of keys)
      node.hear(sender, { type: "Suspicion", key: keyOf(key), of: liar });
    return node;
  }
  const isLiarSuspected = ({ sequencer }: LoneNode): boolean =>
    isSuspected(sequencer, liar);

  it("lets the next in rank coordinate and endorsers agree, although the suspect beats", () => {
    const node = told("a").hear(liar, heartbeat("Active", { beat: 1 }));
    node.hear(sender, delegation(intent(1, "")));
    expect(node.sequencer.coordinator.state).to.equal("Active");
    node.hear(liar, heartbeat("Active", { beat: 2 }));
    expect(node.sequencer.coordinator.state).to.equal("Active");
    node.hear(liar, { type: "HandoverRequest", height: 0 });
    expect(node.sequencer.coordinator.state).to.equal("Active");
  });

  it("is not lifted by heartbeats, but by time, whatever is said again", () => {
    const node = told("a");
    for (let tick = 0; tick < patience - 1; tick++) {
      node.hear(liar, heartbeat("Active", { beat: tick })).wait(1);
      node.hear(sender, { type: "Suspicion", key: keyOf("a"), of: liar });
    }
    expect(isLiarSuspected(node)).to.equal(true);
    expect(isLiarSuspected(node.wait(1))).to.equal(false);
  });

  it("makes an honest suspect give back what is not dispatched", () => {
    const node = new LoneNode({ self: next });
    node.hear(sender, delegation(intent(1, "")));
    node.hear(liar, delegation(intent(2, "")));
    node.hear(sender, { type: "Suspicion", key: keyOf("a"), of: next });
    expect(
      node.sent("DelegationReturned").flatMap(({ ids }) => ids),
    ).to.have.members([intent(1, "").id, intent(2, "").id]);
    expect(node.sequencer.coordinator.state).to.equal("Idle");
  });

  it("of a member that always suspects somebody counts less and less often", () => {
    const node = told();
    let suspected = 0;
    let moves = 0;
    for (let tick = 0; tick < 60 * patience; tick++) {
      const of = tick % 2 === 0 ? liar : next;
      const before = isLiarSuspected(node);
      node.hear(sender, { type: "Suspicion", key: keyOf(`s:${tick}`), of });
      node.wait(1);
      if (isLiarSuspected(node)) suspected += 1;
      if (isLiarSuspected(node) && !before) moves += 1;
    }
    expect(moves).to.be.below(10);
    expect(suspected).to.be.greaterThan(0);
  });

  it("that only one sender hears does not keep it from the coordinator of the others", () => {
    const [victim, other, gossip] = ["victim", "other", "gossip"].map(
      nodeNamed,
    );
    if (victim === undefined || other === undefined || gossip === undefined)
      throw new Error("nobody");
    const members = [...ranked, victim, other, gossip];
    const group = new HostileGroup(
      { committee: ranked, members, threshold: 2 },
      gossip,
    );
    group.hostile = {
      ticks: (tick) => {
        const key = keyOf(`s:${tick}`);
        group.say(victim, { type: "Suspicion", key, of: rank(0) });
      },
    };
    const delays: number[] = [];
    for (let n = 1; n <= 6; n++) {
      const since = group.tick;
      group.submit(victim, wish(n));
      // The first in rank always has work, and keeps the role.
      for (let load = 0; load < patience / 5; load++) {
        group.submit(other, wish(1_000 * n + load));
        group.run(5);
      }
      delays.push((group.confirmedAt.get(wish(n).id) ?? Infinity) - since);
    }
    expect(Math.max(...delays)).to.be.below(stateTicks * 2);
    expect(group.nodes.get(victim)?.sequencer.suspects.size).to.equal(0);
  });

  it("is over when the suspect brings something onto the ledger after all", () => {
    const node = new LoneNode({ self: sender });
    const { id } = intent(1, "");
    node.hear(liar, heartbeat("Active")).tell(submission(intent(1, "")));
    const [request] = node.sent("DelegationRequest");
    const key = request?.key ?? keyOf("none");
    node.hear(liar, { type: "DelegationAccepted", key, ids: [id], height: 0 });
    const transactions = [{ id, stage: "pooled" } as const];
    const step = aStep({ intentId: id, sender });
    const assembly = keyOf("assembly");
    node.hear(liar, {
      type: "AssembleRequest",
      key: assembly,
      ids: [id],
      height: 0,
      view: emptyView,
    });
    const outcomes = [{ type: "assembled", id, step } as const];
    node.tell({ type: "AssemblyDone", key: assembly, outcomes });
    node.hear(liar, permissionRequest(keyOf("permit"), bundleOf([step], 80)));
    expect(node.sent("DispatchPermission")).to.have.length(1);
    for (let tick = 0; tick <= patience + 2; tick++) {
      if (tick % 10 === 0) node.tell(block(tick / 10 + 1));
      node
        .hear(liar, heartbeat("Active", { beat: tick, transactions }))
        .wait(1);
    }
    expect(isLiarSuspected(node)).to.equal(true);
    expect(node.sequencer.sender.delegate).to.equal(next);
    node.tell(block(50, [id], bundleOf([step], 80)));
    expect(isLiarSuspected(node)).to.equal(false);
  });

  it("is not raised while the chain stands still", () => {
    const node = new LoneNode({ self: sender });
    const { id } = intent(1, "");
    node.hear(liar, heartbeat("Active")).tell(submission(intent(1, "")));
    const [request] = node.sent("DelegationRequest");
    const key = request?.key ?? keyOf("none");
    node.hear(liar, { type: "DelegationAccepted", key, ids: [id], height: 0 });
    const transactions = [{ id, stage: "pooled" } as const];
    for (let tick = 0; tick <= 3 * patience; tick++)
      node
        .hear(liar, heartbeat("Active", { beat: tick, transactions }))
        .wait(1);
    expect(isLiarSuspected(node)).to.equal(false);
    expect(node.sequencer.sender.delegate).to.equal(liar);
  });
});

describe("A coordinator that beats, and that a member passes over for what it does or says", () => {
  for (const policy of ["sticky", "rotating"] as const)
    for (const [way, says] of [
      ["accepts nothing", []],
      ["says that it leaves", [{ type: "Leaving", isOver: false }]],
    ] as const)
      it(`does not keep its place if it ${way} (${policy})`, () => {
        const node = new LoneNode({ self: next, policy });
        const hearLiar = (beat: number): void => {
          node.hear(liar, heartbeat("Active", { beat }));
          for (const message of says) node.hear(liar, message);
        };
        hearLiar(0);
        node.tell(submission(intent(1, "")));
        const isCoordinating = (): boolean =>
          node.sequencer.coordinator.state === "Active";
        for (let tick = 1; tick <= 2 * patience && !isCoordinating(); tick++) {
          if (tick % 5 === 0) hearLiar(tick / 5);
          if (tick % 10 === 0) node.tell(block(tick / 10));
          node.wait(1);
        }
        expect(isSuspected(node.sequencer, liar)).to.equal(true);
        expect(isCoordinating()).to.equal(true);
      });
});
