import { expect } from "chai";

import type { IntentId, NodeName } from "../../src/protocol/ids.ts";
import type { Message, MessageOf } from "../../src/protocol/messages.ts";
import type { Intent } from "../../src/protocol/transition.ts";
import { wish } from "../helpers/drives/driven-coordinator.ts";
import {
  badPayload,
  type Hostile,
  HostileGroup,
} from "../helpers/hostile-group.ts";
import { keyOf, rank, ranked } from "../helpers/lone-node.ts";
import { aStep } from "../helpers/simulated-group.ts";

const [coordinator, honest, liar] = [rank(0), rank(1), rank(2)];

/** Two of three endorse. */
function aGroup(): HostileGroup {
  return new HostileGroup(
    { committee: ranked, threshold: 2, retriesMax: 1 },
    liar,
  );
}

/** Delegates as many intents as it likes, and answers whatever it is asked for as it should. */
class Sender implements Hostile {
  protected readonly group: HostileGroup;
  readonly #wishes = new Map<IntentId, Intent>();
  #number = 1_000;

  constructor(group: HostileGroup) {
    this.group = group;
    group.hostile = this;
  }

  delegate(count: number, payload: string): void {
    const intents = Array.from({ length: count }, () => ({
      ...wish(this.#number++),
      payload,
    }));
    for (const intent of intents) this.#wishes.set(intent.id, intent);
    const key = keyOf(`liar:${this.#number}`);
    const { height } = this.group;
    this.group.say(coordinator, {
      type: "DelegationRequest",
      key,
      height,
      intents,
    });
  }

  hears(from: NodeName, message: Message): void {
    if (message.type === "AssembleRequest") this.assemble(from, message);
    if (message.type === "DispatchPermissionRequest") {
      const { key, ids, bundle } = message;
      this.permit(from, {
        type: "DispatchPermission",
        key,
        ids,
        digest: bundle.digest,
      });
    }
    if (message.type === "EndorsementRequest") this.endorse(from, message);
  }

  protected assemble(
    from: NodeName,
    { key, ids }: MessageOf<"AssembleRequest">,
  ): void {
    const outcomes = ids.map((id) => {
      const payload = this.#wishes.get(id)?.payload ?? "";
      const signature = `${key} ${id}`;
      const step = { intentId: id, sender: liar, payload, signature };
      return { type: "assembled", id, step: aStep(step) } as const;
    });
    this.group.say(from, { type: "AssembleResponse", key, outcomes });
  }

  protected permit(
    from: NodeName,
    permission: MessageOf<"DispatchPermission">,
  ): void {
    this.group.say(from, permission);
  }

  protected endorse(
    from: NodeName,
    { key, bundle: { digest } }: MessageOf<"EndorsementRequest">,
  ): void {
    const signature = "signed by the liar";
    this.group.say(from, { type: "Endorsement", key, digest, signature });
  }
}

/** Honest intents, one every few ticks, while the liar does its worst. Ticks that each took, or undefined. */
function delays(
  group: HostileGroup,
  everyTick: (tick: number) => void = () => undefined,
): (number | undefined)[] {
  const submitted = new Map<IntentId, number>();
  for (let tick = 0; tick < 400; tick++) {
    everyTick(tick);
    if (tick % 10 === 0) {
      const { id } = wish(tick);
      group.submit(tick % 20 === 0 ? honest : coordinator, wish(tick));
      submitted.set(id, group.tick);
    }
    group.run(1);
  }
  group.run(200);
  return [...submitted].map(([id, since]) => {
    const at = group.confirmedAt.get(id);
    return at === undefined ? undefined : at - since;
  });
}

describe("A member that refuses what others send", () => {
  it("cannot make a coordinator drop it, not even beside a step that is at fault", () => {
    const group = aGroup();
    const detail = "I say so";
    class Refuser extends Sender {
      protected override endorse(
        from: NodeName,
        { key, bundle }: MessageOf<"EndorsementRequest">,
      ): void {
        const others = bundle.steps.filter(({ sender }) => sender !== liar);
        group.say(from, {
          type: "Refusal",
          key,
          digest: bundle.digest,
          height: group.height,
          reason: "invalid",
          detail,
          faults: others.map(({ intentId }) => ({ intentId, detail })),
        });
      }
    }
    const refuser = new Refuser(group);
    const took = delays(group, (tick) => {
      if (tick % 5 === 0) refuser.delegate(1, badPayload);
    });
    const reverted = [...group.receipts.values()].filter(
      ({ type }) => type === "Reverted",
    );
    expect(reverted).to.deep.equal([]);
    expect(took).to.not.include(undefined);
  });
});

describe("A member whose steps are at fault", () => {
  it("does not hold up others", () => {
    const group = aGroup();
    const sender = new Sender(group);
    const took = delays(group, (tick) => {
      if (tick % 10 === 0) sender.delegate(50, badPayload);
    });
    expect(took).to.not.include(undefined);
    expect(Math.max(...took.map((ticks) => ticks ?? Infinity))).to.be.below(80);
  });

  it("gets bundles of its own for a while", () => {
    const group = aGroup();
    const sender = new Sender(group);
    const mixed: string[] = [];
    sender.delegate(1, badPayload);
    group.run(20);
    group.hostile.hears = (from, message) => {
      Sender.prototype.hears.call(sender, from, message);
      if (message.type !== "EndorsementRequest") return;
      const senders = new Set(message.bundle.steps.map((step) => step.sender));
      if (senders.has(liar) && senders.size > 1) mixed.push(...senders);
    };
    const took = delays(group, (tick) => {
      if (tick % 10 === 0) sender.delegate(1, tick < 30 ? badPayload : "");
    });
    expect(mixed).to.deep.equal([]);
    expect(took).to.not.include(undefined);
  });
});

describe("A member that assembles and never permits", () => {
  it("holds others up for a small part of the time", () => {
    const group = aGroup();
    class Mute extends Sender {
      protected override permit(): void {
        // It says nothing.
      }
    }
    const sender = new Mute(group);
    const took = delays(group, (tick) => {
      if (tick % 5 === 0) sender.delegate(1, "");
    });
    expect(took).to.not.include(undefined);
    // It is known by then.
    const late = took.slice(-20);
    const slow = late.filter((ticks) => (ticks ?? Infinity) > 10);
    expect(slow.length).to.be.below(late.length / 3);
  });
});
