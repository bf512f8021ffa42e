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
