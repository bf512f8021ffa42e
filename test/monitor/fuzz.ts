import { Writable } from "node:stream";

import { expect } from "chai";
import fc from "fast-check";

import { NodeLog } from "../../src/monitor/log.ts";
import type { NodeFact } from "../../src/node/ports.ts";
import type { NodeStatus } from "../../src/node/service.ts";
import {
  aGroup,
  aLoad,
  aStatus,
  digestAt,
  group,
  intentAt,
  MonitorRig,
  payer,
  settled,
} from "../helpers/monitor/fixture.ts";

const type = <Type extends string>(name: Type): fc.Arbitrary<Type> =>
  fc.constant(name);
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom('"', "\\", "\n", "__proto__", "constructor", "\ud800"),
);
const number = fc.oneof(fc.nat(), fc.double(), fc.constant(-1));
const reason = fc.option(text, { nil: undefined });
const id = fc.nat({ max: 20 }).map(intentAt);

/** Facts as nodes tell them, and as they never should. */
const fact: fc.Arbitrary<NodeFact> = fc.oneof(
  fc.record({ type: type("Started"), height: number }),
  fc.record({ type: type("BlockSeen"), height: number }),
  fc.record({ type: type("SignaturesSlow"), reason: text }),
  fc.record({ type: type("BlocksReverted"), height: number }),
  fc.record({ type: type("ChainTrouble"), reason }),
  fc.record({ type: type("PayerTrouble"), payer: fc.constant(payer), reason }),
  fc.record({ type: type("EndorserTrouble"), reason }),
  fc.record({
    type: type("DomainFailed"),
    domain: fc.string(),
    method: fc.string(),
    error: fc.string(),
    reason: fc.string(),
    stack: fc.array(fc.string()),
  }),
  fc.record({ type: type("GroupJoined"), group: fc.constant(group) }),
  fc.record({
    type: type("GroupMissing"),
    group: fc.constant(group),
    reason: text,
  }),
  fc.record({
    type: type("GroupRefused"),
    group: fc.constant(group),
    reason: text,
  }),
  fc.record({
    type: type("CommitteeChanged"),
    group: fc.constant(group),
    epoch: fc.bigInt(),
    members: number,
    threshold: number,
    isMember: fc.boolean(),
    trouble: reason,
  }),
  fc.record({ type: type("Accepted"), id: fc.oneof(id, text) }),
  fc.record({ type: type("IntentDispatched"), group: fc.constant(group), id }),
  fc.record({
    type: type("Dispatched"),
    group: fc.constant(group),
    digest: fc.constant(digestAt(1)),
    intents: number,
  }),
  fc.record({
    type: type("SubmissionFailed"),
    group: fc.constant(group),
    failure: text,
    reason: text,
  }),
  fc
    .tuple(id, fc.constantFrom("Confirmed" as const, "Reverted" as const), text)
    .map(([intent, outcome, why]) => settled(intent, outcome, why)),
  fc.record({ type: type("Prepared"), group: fc.constant(group), id }),
  fc.record({
    type: type("CoordinatorChanged"),
    group: fc.constant(group),
    from: text,
    to: text,
    takeover: fc.constantFrom("start", "handover", "failover", undefined),
  }),
);

const counts = fc.dictionary(text, number, { maxKeys: 5 });

const status: fc.Arbitrary<NodeStatus> = fc
  .record({
    height: number,
    boot: number,
    groupsAside: number,
    openTransactions: number,
    dropped: counts,
    groups: fc.array(
      fc
        .record({
          name: text,
          coordinator: text,
          own: counts,
          coordinated: counts,
          heartbeatAgeMs: fc.option(number, { nil: undefined }),
          missingStates: number,
        })
        .map(aGroup),
      { maxLength: 3 },
    ),
  })
  .map(aStatus);

describe("Fuzzing the monitor", () => {
  it("never throws, and always tells what Prometheus can read", async () => {
    // One for all: series must not grow with what comes.
    const peers = fc.sample(
      fc.record({
        name: text,
        isConnected: fc.boolean(),
        queued: number,
        lost: number,
      }),
      { numRuns: 200, seed: 1 },
    );
    const rig = new MonitorRig({}, { peers: () => peers });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fact, { maxLength: 30 }),
        status,
        number,
        async (facts, next, behindBlocks) => {
          rig.status = () => next;
          rig.load = () => aLoad({ behindBlocks });
          for (const one of facts) {
            rig.nowMs += 10;
            rig.see(one);
          }
          const { samples, value } = await rig.scrape();
          expect(samples.length).to.be.lessThan(1_500);
          expect(value("sequencer_monitor_errors_total")).to.equal(undefined);
        },
      ),
      { numRuns: 150 },
    );
  }).timeout(60_000);

  it("always logs lines of JSON that begin alike", () => {
    let written = "";
    const stream = new Writable({
      write: (chunk: Buffer, _, done) => {
        written += chunk.toString();
        done();
      },
    });
    const log = new NodeLog({ node: "alice", level: "debug" }, { stream });
    fc.assert(
      fc.property(fact, text, fc.anything(), (one, message, anything) => {
        written = "";
        log.see(one);
        log.fail("failed", new Error(message));
        log.fail("failed", anything);
        const lines = written.split("\n");
        expect(lines.pop()).to.equal("");
        expect(lines).to.have.length(3);
        for (const line of lines)
          expect(JSON.parse(line)).to.include.keys(
            "time",
            "level",
            "node",
            "event",
          );
      }),
    );
    expect(log.linesLost).to.equal(0);
  });
});
