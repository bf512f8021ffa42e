import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { expect } from "chai";

import type { FailPoint } from "./harness/processes/fail-points.ts";
import type { Transfer } from "./harness/stories/bank.ts";
import { Stage } from "./harness/stories/stage.ts";
import { until } from "./harness/processes/until.ts";

/** What a node has on disk of an intent when it dies there. */
interface Death {
  readonly name: string;
  readonly point: FailPoint;
  readonly durable: readonly string[];
}

describe("The documented stories, with nodes in processes of their own", function () {
  this.timeout(600_000);
  let outDir: string;
  let stage: Stage;
  let hasFailed = false;

  before(async () => {
    outDir = mkdtempSync(path.join(tmpdir(), "stories-"));
    stage = await Stage.open({
      outDir,
      nodes: 4,
      threshold: 3,
      // Thirty seconds of blocks, several times as long as any story needs without a pause of the chain.
      rangeSizeBlocks: 60,
      settings: { heartbeatMs: 1_000, suspicionMs: 5_000, requestMsMax: 1_000 },
    });
  });

  afterEach(function () {
    hasFailed ||= this.currentTest?.state === "failed";
  });

  after(async () => {
    // What went wrong once makes all that comes later worthless, and is worth a look.
    if (hasFailed) {
      await stage.world.stop();
      console.error(`Everything is in ${outDir}`);
      return;
    }
    expect(await stage.close(), outDir).to.deep.equal([]);
    rmSync(outDir, { recursive: true });
  });

  beforeEach(function () {
    if (hasFailed) this.skip();
  });

  /** The ranking of a new range, by place. */
  const ranked = async (
    wanted: Parameters<Stage["freshRange"]>[0] = {},
  ): Promise<readonly [string, string, string, string]> => {
    const [a = "", b = "", c = "", d = ""] = await stage.freshRange(wanted);
    return [a, b, c, d];
  };

  /** A range before another coordinator comes, who that will be, and one who is neither. */
  const beforeBoundary = async (): Promise<{
    readonly old: string;
    readonly next: string;
    readonly sender: string;
    readonly other: string;
  }> => {
    const [old, ...others] = await ranked({ isBeforeChange: true });
    const [next = ""] = await stage.rankingAhead();
    const [sender = "", other = ""] = others.filter((name) => name !== next);
    return { old, next, sender, other };
  };

  /** A transfer at each of these nodes. */
  const transfers = async (...nodes: readonly string[]): Promise<Transfer[]> =>
    await Promise.all(nodes.map((node) => stage.bank.transfer(node)));

  /** Makes transfers one after the other until that node has dispatched one of them. */
  const untilDispatchedBy = async (
    coordinator: string,
    sender: string,
  ): Promise<void> => {
    const { mark } = stage;
    await until(
      { what: `${coordinator} dispatches`, deadlineMs: 240_000 },
      async () => {
        await stage.endsWell(await transfers(sender));
        return stage.dispatchersSince(mark).includes(coordinator) || undefined;
      },
    );
  };

  /** Makes transfers one after the other until that node has died of one: others may pass over who has just come back. */
  const untilDeathOf = async (
    coordinator: string,
    sender: string,
  ): Promise<readonly Transfer[]> => {
    const made: Transfer[] = [];
    const isDown = (): boolean => !stage.node(coordinator).isUp;
    while (!isDown()) {
      const next = await stage.bank.transfer(sender);
      made.push(next);
      await until(
        { what: `${coordinator} dies, or not`, deadlineMs: 240_000 },
        async () =>
          isDown() ||
          (await stage.bank.receipt(next)) !== undefined ||
          undefined,
      );
    }
    return made;
  };

  it("the happy path: whoever comes first in the ranking coordinates for all", async () => {
    const [coordinator, ...others] = await ranked();
    const { mark } = stage;
    await stage.endsWell(await transfers(coordinator, ...others));
    expect(new Set(stage.dispatchersSince(mark))).to.deep.equal(
      new Set([coordinator]),
    );
  });

  it("a switchover: the next coordinator takes over at the boundary of a range", async () => {
    const { old, next, sender } = await beforeBoundary();
    const before = stage.mark;
    await stage.endsWell(await transfers(sender));
    expect(stage.dispatchersSince(before)).to.deep.equal([old]);
    // What is under way at the boundary must end too, whoever dispatches it.
    const underWay = await transfers(old, sender);
    const range = await stage.crossBoundary();
    const { ranking } = await stage.see(
      sender,
      "is in the next range",
      (own) => own.range === range,
    );
    expect(ranking[0]).to.equal(next);
    await stage.endsWell(underWay);
    const after = stage.mark;
    await stage.endsWell(await transfers(sender));
    expect(stage.dispatchersSince(after)).to.deep.equal([next]);
  });

  it("a sender that is behind waits until it sees the range of the others", async () => {
    const { old, next, sender, other } = await beforeBoundary();
    const release = stage.world.chain.holdBack(sender);
    const range = await stage.crossBoundary();
    for (const name of [old, next, other])
      await stage.see(name, "is ahead", (own) => own.range === range);
    const { mark } = stage;
    const late = await transfers(sender);
    await stage.bank.confirmed(await transfers(other));
    expect((await stage.status(sender)).range).to.equal(range - 1);
    release();
    await stage.endsWell(late);
    expect(new Set(stage.dispatchersSince(mark))).to.deep.equal(
      new Set([next]),
    );
  });

  it("a coordinator that is behind is waited for", async () => {
    const { next, sender } = await beforeBoundary();
    const release = stage.world.chain.holdBack(next);
    const range = await stage.crossBoundary();
    const { ranking } = await stage.see(
      sender,
      "is in the next range",
      (own) => own.range === range,
    );
    expect(ranking[0]).to.equal(next);
    const { mark } = stage;
    const early = await transfers(sender);
    await stage.see(sender, "waits", ({ own }) => "Delegated" in own);
    expect((await stage.status(next)).range).to.equal(range - 1);
    release();
    await stage.endsWell(early);
    expect(stage.dispatchersSince(mark)).to.deep.equal([next]);
  });

  it("a sender and a coordinator that are both behind get on when they see what the others see", async () => {
    const { old, next, sender, other } = await beforeBoundary();
    const releases = [old, sender].map((name) =>
      stage.world.chain.holdBack(name),
    );
    const range = await stage.crossBoundary();
    for (const name of [next, other])
      await stage.see(name, "is ahead", (own) => own.range === range);
    const { mark } = stage;
    const late = await transfers(sender);
    await stage.see(
      old,
      "has the intent of the sender",
      ({ coordinator }) => coordinator === "Active",
    );
    for (const name of [old, sender])
      expect((await stage.status(name)).range).to.equal(range - 1);
    for (const release of releases) release();
    await stage.endsWell(late);
    expect((await stage.status(sender)).ranking[0]).to.equal(next);
    expect(stage.dispatchersSince(mark)).to.deep.equal([next]);
  });

  const deathsOfSender: readonly Death[] = [
    { name: "1S", point: "before-permission", durable: ["intent"] },
    { name: "2S", point: "after-permission", durable: ["permission"] },
    { name: "3S", point: "after-notice", durable: ["notice"] },
  ];
  for (const { name, point, durable } of deathsOfSender)
    it(`${name}: a sender dies ${point}, and goes on with its intent afterwards`, async () => {
      const [, other, sender] = await ranked();
      await stage.arm(sender, point);
      const own = await transfers(sender);
      const exit = await stage.death(sender);
      expect([exit.signal, exit.cause]).to.deep.equal([
        "SIGKILL",
        "fail-point",
      ]);
      expect(stage.durableOn(sender)).to.deep.equal(durable);
      await stage.bank.confirmed(await transfers(other));
      await stage.node(sender).start();
      await stage.endsWell(own);
    });

  const deathsOfCoordinator: readonly Death[] = [
    { name: "1C", point: "before-dispatch", durable: [] },
    { name: "2C", point: "after-dispatch", durable: ["dispatch"] },
    { name: "3C", point: "after-ack", durable: ["ack"] },
  ];
  for (const { name, point, durable } of deathsOfCoordinator)
    it(`${name}: a coordinator dies ${point}, and another one takes over`, async () => {
      const [coordinator, sender, other] = await ranked();
      await stage.arm(coordinator, point);
      const { mark } = stage;
      const own = await untilDeathOf(coordinator, sender);
      const exit = await stage.death(coordinator);
      expect([exit.signal, exit.cause]).to.deep.equal([
        "SIGKILL",
        "fail-point",
      ]);
      expect(stage.durableOn(coordinator)).to.deep.equal(durable);
      await stage.bank.confirmed(await transfers(other));
      expect(stage.dispatchersSince(mark).at(-1)).not.to.equal(coordinator);
      await stage.node(coordinator).start();
      await stage.endsWell(own);
    });

  it("an unavailable coordinator is passed over, and gets the role back when it returns", async () => {
    const [coordinator, sender, other] = await ranked();
    await untilDispatchedBy(coordinator, sender);
    await stage.node(coordinator).kill();
    const { mark } = stage;
    await stage.endsWell(await transfers(sender, other));
    const dispatchers = stage.dispatchersSince(mark);
    expect(dispatchers).not.to.be.empty;
    expect(dispatchers).not.to.include(coordinator);
    await stage.node(coordinator).start();
    const [first, second] = await ranked({ first: coordinator });
    expect(first).to.equal(coordinator);
    await untilDispatchedBy(coordinator, second);
  });

  it("a partition: the side with enough endorsers goes on, and the other one follows when it is healed", async () => {
    const [coordinator, ...others] = await ranked();
    await untilDispatchedBy(coordinator, others[0]);
    const heal = stage.world.links.partition([[coordinator], others]);
    const { mark } = stage;
    const [alone, ...together] = await transfers(coordinator, ...others);
    if (alone === undefined) throw new Error("There is no transfer.");
    await stage.bank.confirmed(together);
    expect(stage.dispatchersSince(mark)).not.to.include(coordinator);
    expect(await stage.bank.receipt(alone)).to.equal(undefined);
    heal();
    await stage.endsWell([alone]);
  });
});
