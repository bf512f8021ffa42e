import { expect } from "chai";

import { StoreError } from "../../src/store/store-error.ts";
import {
  aGroup,
  aLoad,
  alice,
  aStatus,
  bob,
  MonitorRig,
} from "../helpers/monitor/fixture.ts";

describe("Whether a node is ready", () => {
  const codesOf = (rig: MonitorRig): readonly string[] =>
    rig.monitor.unreadiness().map(({ code }) => code);
  const started = (): MonitorRig => {
    const rig = new MonitorRig();
    rig.see({ type: "Started", height: 0 });
    return rig;
  };

  it("is not before it has started", () => {
    const rig = new MonitorRig();
    expect(codesOf(rig)).to.deep.equal(["starting"]);
    rig.see({ type: "Started", height: 0 });
    expect(codesOf(rig)).to.deep.equal([]);
  });

  it("says of a passive replica that it is passive, and nothing else", () => {
    let isPassive = true;
    const rig = new MonitorRig({}, { isPassive: () => isPassive });
    rig.isStoreOpen = false;
    rig.load = () => aLoad({ head: undefined, behindBlocks: undefined });
    expect(codesOf(rig)).to.deep.equal(["passive"]);
    expect(rig.monitor.failure).to.equal(undefined);
    rig.monitor.stop();
    expect(codesOf(rig)).to.deep.equal(["stopping", "passive"]);
    isPassive = false;
    rig.isStoreOpen = true;
    rig.load = () => aLoad();
    expect(codesOf(rig)).to.deep.equal(["stopping", "starting"]);
    const broken = new MonitorRig(
      {},
      {
        isPassive: () => {
          throw new Error("a secret");
        },
      },
    );
    expect(codesOf(broken)).to.deep.equal(["unknown"]);
  });

  it("forgets what a node saw that ran here before", () => {
    const rig = started();
    rig.see({ type: "ChainTrouble", reason: "away" });
    rig.see({ type: "BlockSeen", height: 9 });
    rig.load = () => aLoad({ head: undefined, behindBlocks: undefined });
    rig.see({ type: "Started", height: 9 });
    expect(codesOf(rig)).to.deep.equal(["chain-unseen"]);
  });

  it("counts no errors for what a passive replica has no node to ask", async () => {
    const rig = new MonitorRig({}, { isPassive: () => true });
    rig.status = () => {
      throw new Error("There is no node.");
    };
    rig.load = rig.status as never;
    const scrape = await rig.scrape();
    expect(scrape.value("sequencer_ready")).to.equal(0);
    expect(scrape.value("sequencer_healthy")).to.equal(1);
    const names = scrape.samples.map(({ name }) => name);
    expect(names).to.include("sequencer_block_age_seconds");
    expect(names).to.not.include("sequencer_block_height");
    for (const part of ["status", "load", "condition"])
      expect(
        scrape.value("sequencer_monitor_errors_total", { part }) ?? 0,
      ).to.equal(0);
  });

  it("turns with the chain, and returns", () => {
    const rig = started();
    rig.see({ type: "ChainTrouble", reason: "away" });
    expect(codesOf(rig)).to.deep.equal(["chain-trouble"]);
    rig.see({ type: "ChainTrouble", reason: undefined });
    expect(codesOf(rig)).to.deep.equal([]);
  });

  it("waits until the chain was seen", () => {
    const rig = started();
    rig.load = () => aLoad({ head: undefined, behindBlocks: undefined });
    expect(codesOf(rig)).to.deep.equal(["chain-unseen"]);
    rig.see({ type: "BlockSeen", height: 1 });
    expect(codesOf(rig)).to.deep.equal([]);
  });

  it("is not while it is far behind and does not move", () => {
    const rig = started();
    rig.load = () => aLoad({ behindBlocks: 10 });
    expect(codesOf(rig)).to.deep.equal([]);
    rig.load = () => aLoad({ behindBlocks: 11 });
    expect(codesOf(rig)).to.deep.equal(["indexer-behind"]);
    rig.see({ type: "BlockSeen", height: 1 });
    expect(codesOf(rig)).to.deep.equal([]);
    rig.nowMs += 5_001;
    expect(codesOf(rig)).to.deep.equal(["indexer-behind"]);
    rig.load = () => aLoad({ behindBlocks: 0 });
    expect(codesOf(rig)).to.deep.equal([]);
  });

  it("is not while none of its groups reaches its threshold", () => {
    let isConnected = false;
    const rig = new MonitorRig(
      {},
      { peers: () => [{ name: bob, isConnected, queued: 0, lost: 0 }] },
    );
    rig.see({ type: "Started", height: 0 });
    const apart = { endorsers: [alice, bob], threshold: 2 };
    rig.status = () => aStatus({ groups: [aGroup(apart)] });
    expect(rig.monitor.unreadiness()).to.deep.equal([
      {
        code: "no-quorum",
        text: "It reaches 1 of the 2 members that must endorse.",
      },
    ]);
    isConnected = true;
    expect(codesOf(rig)).to.deep.equal([]);
    isConnected = false;
    const alone = aGroup({ threshold: 1 });
    rig.status = () => aStatus({ groups: [aGroup(apart), alone] });
    expect(codesOf(rig)).to.deep.equal([]);
    const foreign = aGroup({ ...apart, isMember: false });
    rig.status = () => aStatus({ groups: [foreign] });
    expect(codesOf(rig)).to.deep.equal([]);
  });

  it("lists every reason at once", () => {
    const rig = new MonitorRig();
    rig.see({ type: "ChainTrouble", reason: "away" });
    rig.isStoreOpen = false;
    rig.load = () => aLoad({ behindBlocks: 99 });
    rig.monitor.stop();
    rig.monitor.fail(new Error("over"));
    expect(codesOf(rig)).to.have.members([
      "failed",
      "starting",
      "stopping",
      "chain-trouble",
      "store-closed",
      "indexer-behind",
    ]);
  });

  it("is not if the node cannot be asked", () => {
    const rig = started();
    rig.load = () => {
      throw new Error("closed");
    };
    expect(codesOf(rig)).to.deep.equal(["unknown"]);
  });

  it("says what kind of error stopped it, and not what the error says", async () => {
    const rig = started();
    expect(rig.monitor.failure).to.equal(undefined);
    rig.monitor.fail(new StoreError("FAILED", "the secret 0x1234"));
    expect(rig.monitor.failure).to.deep.equal({
      code: "failed",
      text: "StoreError FAILED stopped it.",
    });
    const { value } = await rig.scrape();
    expect(value("sequencer_healthy")).to.equal(0);
    expect(value("sequencer_ready")).to.equal(0);
    const odd = Object.assign(new Error("x"), {
      name: "a secret",
      code: "b c",
    });
    rig.monitor.fail(odd);
    expect(rig.monitor.failure?.text).to.equal("Error stopped it.");
    rig.monitor.fail("a secret");
    expect(rig.monitor.failure?.text).to.equal("An error stopped it.");
  });
});
