import { expect } from "chai";

import { monitorLimits } from "../../src/monitor/limits.ts";
import { StageClock } from "../../src/monitor/stage-clock.ts";
import {
  digestAt,
  group,
  intentAt,
  MonitorRig,
  payer,
  settled,
} from "../helpers/monitor/fixture.ts";

describe("Metrics of facts", () => {
  it("count intents from their acceptance to their end", async () => {
    const rig = new MonitorRig();
    rig.see(
      { type: "Accepted", id: intentAt(1) },
      { type: "Accepted", id: intentAt(2) },
      { type: "Accepted", id: intentAt(3) },
      { type: "Prepared", group, id: intentAt(3) },
      settled(intentAt(1)),
      settled(intentAt(2), "Reverted"),
    );
    const { value } = await rig.scrape();
    expect(value("sequencer_intents_accepted_total")).to.equal(3);
    expect(value("sequencer_intents_prepared_total")).to.equal(1);
    const name = "sequencer_intents_settled_total";
    expect(value(name, { outcome: "confirmed" })).to.equal(1);
    expect(value(name, { outcome: "reverted" })).to.equal(1);
  });

  it("time every stage", async () => {
    const rig = new MonitorRig();
    const id = intentAt(1);
    rig.see({ type: "Accepted", id });
    rig.nowMs += 2_000;
    rig.see({ type: "IntentDispatched", group, id });
    rig.nowMs += 1_000;
    // It was dispatched again, after a failure.
    rig.see({ type: "IntentDispatched", group, id });
    rig.nowMs += 4_000;
    rig.see(settled(id));
    const { value } = await rig.scrape();
    expect(value("sequencer_intent_dispatch_seconds_sum")).to.equal(2);
    expect(value("sequencer_intent_dispatch_seconds_count")).to.equal(1);
    expect(value("sequencer_intent_confirm_seconds_sum")).to.equal(4);
    expect(value("sequencer_intent_settle_seconds_sum")).to.equal(7);
    const bucket = "sequencer_intent_dispatch_seconds_bucket";
    expect(value(bucket, { le: "1" })).to.equal(0);
    expect(value(bucket, { le: "2.5" })).to.equal(1);
  });

  it("do not time what was accepted before the start, or only prepared", async () => {
    const rig = new MonitorRig();
    rig.see(
      settled(intentAt(1)),
      { type: "IntentDispatched", group, id: intentAt(2) },
      { type: "Accepted", id: intentAt(3) },
      { type: "Prepared", group, id: intentAt(3) },
      settled(intentAt(3)),
    );
    const { value } = await rig.scrape();
    expect(value("sequencer_intent_dispatch_seconds_count")).to.equal(0);
    expect(value("sequencer_intent_settle_seconds_count")).to.equal(undefined);
  });

  it("remember only so many intents, and say how many they forgot", async () => {
    const rig = new MonitorRig();
    for (let i = 0; i < monitorLimits.timedIntents + 10; i++)
      rig.see({ type: "Accepted", id: `intent ${i}` });
    const { value } = await rig.scrape();
    expect(value("sequencer_intents_untimed_total")).to.equal(10);
    let forgotten = 0;
    const clock = new StageClock(
      { intentsMax: 3 },
      { onForgotten: () => (forgotten += 1) },
    );
    for (let i = 0; i < 1_000; i++) clock.accept(String(i), i);
    expect([clock.size, forgotten]).to.deep.equal([3, 997]);
    expect(clock.end("996", 2_000)).to.equal(undefined);
    expect(clock.end("997", 2_000)?.sinceAcceptedSeconds).to.equal(1.003);
    expect(clock.size).to.equal(2);
  });

  it("count bundles, their intents, and those that failed", async () => {
    const rig = new MonitorRig();
    rig.see(
      { type: "Dispatched", group, digest: digestAt(1), intents: 5 },
      { type: "Dispatched", group, digest: digestAt(2), intents: 7 },
      { type: "SubmissionFailed", group, failure: "reverted", reason: "x" },
    );
    const { value } = await rig.scrape();
    expect(value("sequencer_bundles_dispatched_total")).to.equal(2);
    expect(value("sequencer_intents_dispatched_total")).to.equal(12);
    const name = "sequencer_submissions_failed_total";
    expect(value(name, { failure: "reverted" })).to.equal(1);
    expect(value(name, { failure: "expired" })).to.equal(0);
  });

  it("count takeovers by cause, and handovers given", async () => {
    const rig = new MonitorRig();
    const change = {
      type: "CoordinatorChanged",
      group,
      from: "Elect",
      to: "Active",
    } as const;
    rig.see(
      { ...change, takeover: "handover" },
      { ...change, takeover: "failover" },
      { ...change, from: "Idle", takeover: "failover" },
      { ...change, from: "Active", to: "Flush", takeover: undefined },
    );
    const { value } = await rig.scrape();
    const name = "sequencer_takeovers_total";
    expect(value(name, { cause: "start" })).to.equal(0);
    expect(value(name, { cause: "handover" })).to.equal(1);
    expect(value(name, { cause: "failover" })).to.equal(2);
    expect(value("sequencer_handovers_given_total")).to.equal(1);
  });

  it("show trouble while it lasts", async () => {
    const rig = new MonitorRig();
    const troubles = async (): Promise<unknown> => {
      const { value } = await rig.scrape();
      return ["chain", "payer", "endorser"].map((kind) =>
        value("sequencer_trouble", { kind }),
      );
    };
    expect(await troubles()).to.deep.equal([0, 0, 0]);
    rig.see(
      { type: "ChainTrouble", reason: "away" },
      { type: "PayerTrouble", payer, reason: "poor" },
      { type: "PayerTrouble", payer, reason: "still poor" },
      { type: "EndorserTrouble", reason: "locked" },
    );
    expect(await troubles()).to.deep.equal([1, 1, 1]);
    rig.see(
      { type: "ChainTrouble", reason: undefined },
      { type: "PayerTrouble", payer, reason: undefined },
      { type: "EndorserTrouble", reason: undefined },
    );
    expect(await troubles()).to.deep.equal([0, 0, 0]);
  });

  it("count refused groups and blocks taken back", async () => {
    const rig = new MonitorRig();
    rig.see(
      { type: "GroupRefused", group, reason: "no" },
      { type: "BlocksReverted", height: 3 },
      { type: "BlocksReverted", height: 2 },
    );
    const { value } = await rig.scrape();
    expect(value("sequencer_groups_refused_total")).to.equal(1);
    expect(value("sequencer_blocks_reverted_total")).to.equal(2);
  });
});
