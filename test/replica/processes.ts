import { existsSync, rmSync } from "node:fs";

import { expect } from "chai";

import { acknowledgedFileOf } from "../../src/replica/log-follower.ts";
import { emptyHead, headAfter } from "../../src/store/log/chain.ts";
import { HoldingProxy } from "../helpers/holding-proxy.ts";
import { randomFrom } from "../helpers/random.ts";
import { quick, type ReplicaNode } from "../helpers/replica-node.ts";
import {
  type ChildSettings,
  ReplicaProcess,
} from "../helpers/replica-process.ts";
import { ReplicaScene } from "../helpers/replica-scene.ts";

describe("Replicas in processes of their own", function () {
  this.timeout(120_000);
  const scene = new ReplicaScene();
  const { started, active } = scene;
  const children: ReplicaProcess[] = [];

  afterEach(async () => {
    for (const child of children.splice(0)) await child.end();
  });

  function aProcess(
    name: string,
    settings: Partial<ChildSettings> = {},
  ): ReplicaProcess {
    const child = new ReplicaProcess({
      url: scene.server.url,
      schema: scene.schema,
      name,
      file: scene.fileOf(name),
      ...settings,
    });
    children.push(child);
    return child;
  }

  async function activeProcess(name: string): Promise<ReplicaProcess> {
    const child = aProcess(name);
    await child.untilRole("active");
    return child;
  }

  /** Epochs of the turns, in order. The log must be one chain. */
  async function epochs(): Promise<readonly number[]> {
    const turns = await scene.server.query<{
      readonly epoch: string;
      readonly hash: Buffer;
      readonly body: Buffer;
    }>(`SELECT epoch, hash, body FROM ${scene.schema}.turn ORDER BY sequence`);
    let head = emptyHead;
    for (const { body, hash } of turns) {
      head = headAfter(head, body);
      expect(hash.toString("hex")).to.equal(head.hash);
    }
    return turns.map(({ epoch }) => Number(epoch));
  }

  /** Resolves when a replica has applied all turns. */
  async function caughtUp(name: string, witness: ReplicaNode): Promise<void> {
    for (;;) {
      const { replicas } = await witness.replica.status();
      const one = replicas.find((each) => each.name === name);
      if (one?.role === "passive" && one.lag === 0) return;
    }
  }

  it("go on with all that was told when the active one is killed", async () => {
    const r1 = await activeProcess("r1");
    const r2 = await started("r2");
    for (let n = 1; n <= 20; n++) expect(await r1.save(n)).to.equal(true);
    await r1.end();
    await r2.untilRole("active");
    expect(r2.saved()).to.deep.equal(
      Array.from({ length: 20 }, (_, i) => i + 1),
    );
    await r2.save(21);
    // The first one comes back, and follows.
    aProcess("r1");
    await caughtUp("r1", r2);
  });

  it("write and answer nothing after they were frozen for longer than the lease", async () => {
    const r1 = await activeProcess("r1");
    const r2 = await started("r2");
    expect(await r1.save(1)).to.equal(true);
    while ((await r1.ask({ does: "certain" })) !== true);
    r1.kill("SIGSTOP");
    await r2.untilRole("active");
    await r2.save(2);
    const certain = r1.ask({ does: "certain" });
    const saved = r1.save(3);
    r1.kill("SIGCONT");
    expect(await certain).to.equal(false);
    expect(await saved).to.equal(false);
    await r1.untilRole("passive");
    expect(await r1.ask({ does: "certain" })).to.equal(false);
    await caughtUp("r1", r2);
    const all = await epochs();
    expect(all).to.deep.equal([...all].sort((a, b) => a - b));
    expect(new Set(all)).to.deep.equal(new Set([1, 2]));
    expect(r2.saved()).to.deep.equal([1, 2]);
  });

  it("are replaced when the way to the database holds their bytes, and write nothing when it lets go", async () => {
    const proxy = await HoldingProxy.start(scene.server.port);
    try {
      const r1 = await active("r1", { url: proxy.url });
      const r2 = await started("r2");
      await r1.save(1);
      await r1.untilCertain();
      proxy.hold();
      const saved = r1.save(2).then(
        () => "told",
        () => "refused",
      );
      await r2.untilRole("active");
      // It knows nothing of that, but its own clock tells.
      expect(r1.replica.isCertain).to.equal(false);
      await r1.until(() => r1.replica.role === "passive");
      expect(await saved).to.equal("refused");
      await r2.save(3);
      proxy.letGo();
      await caughtUp("r1", r2);
      const all = await epochs();
      expect(all).to.deep.equal([...all].sort((a, b) => a - b));
      // The turn may have been on the way to the server before the lease was over.
      expect(r2.saved().filter((n) => n !== 2)).to.deep.equal([1, 3]);
      await r1.replica.stop();
    } finally {
      proxy.close();
    }
  });

  it("go on with a turn that became durable when the active one died, before it could tell", async () => {
    const r1 = await activeProcess("r1");
    const r2 = await started("r2");
    expect(await r1.save(1)).to.equal(true);
    await r1.ask({ does: "die after append" });
    expect(await r1.ask({ does: "save", n: 2 })).to.equal("gone");
    await r2.untilRole("active");
    expect(r2.saved()).to.deep.equal([1, 2]);
    const back = aProcess("r1");
    await caughtUp("r1", r2);
    expect(await back.ask({ does: "facts" })).to.deep.equal([]);
  });

  it("begin anew if the first one dies before the log has a turn", async () => {
    const first = aProcess("r1", { dies: "when its store is open" });
    await first.exited;
    const again = await active("r1");
    expect(again.facts.map(({ type }) => type)).to.deep.equal(["Rebuilt"]);
    expect(again.store?.boot).to.equal(1);
    await again.save(1);
    await again.replica.stop();
    // A store that somebody may have heard of stays, whatever is wrong with the log.
    scene.schema = await scene.nextSchema();
    rmSync(acknowledgedFileOf(scene.fileOf("r1")));
    const lost = await started("r1");
    const { error } = await lost.untilRole("stopped");
    expect(error).to.have.property("code", "NO_SOURCE");
    expect(existsSync(scene.fileOf("r1"))).to.equal(true);
  });

  for (const dies of [
    "when its store is open",
    "when its boot is durable",
  ] as const)
    it(`count starts without a gap or a repetition if one dies ${dies}`, async () => {
      const first = await active("r2");
      await first.save(1);
      await first.replica.stop();
      const r1 = aProcess("r1", { dies });
      await r1.exited;
      expect(r1.role).to.equal("activating");
      const r2 = await active("r2");
      const isCounted = dies === "when its boot is durable";
      expect(r2.store?.boot).to.equal(isCounted ? 3 : 2);
      await r2.save(2);
      const back = aProcess("r1");
      await caughtUp("r1", r2);
      // Its store had a start that the log does not have.
      const facts = await back.ask({ does: "facts" });
      expect(facts).to.deep.equal(isCounted ? [] : ["Rebuilt"]);
      await r2.replica.stop();
      await back.untilRole("active");
      expect(await back.ask({ does: "saved" })).to.deep.equal([1, 2]);
    });

  it("keep all that was told through kills, freezes and ends of sessions", async () => {
    const random = randomFrom(11);
    const names = ["r1", "r2", "r3"];
    const all = new Map(names.map((name) => [name, aProcess(name)]));
    const told: number[] = [];
    let n = 0;
    for (let round = 0; round < 8; round++) {
      const current = [...all.values()];
      const one = await Promise.any(
        current.map(async (child) => {
          await child.untilRole("active");
          return child;
        }),
      );
      for (let i = 0; i < 5; i++) if (await one.save(++n)) told.push(n);
      const last = one.save(++n);
      const fault = random.pick(["kill", "freeze", "terminate"]);
      if (fault === "kill") one.kill("SIGKILL");
      if (fault === "freeze") one.kill("SIGSTOP");
      if (fault === "terminate")
        await scene.server.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE $1",
          [`hardhat-sequencer ${one.name}%`],
        );
      if (fault === "freeze") {
        // Until another one has its place.
        await Promise.any(
          current
            .filter((child) => child !== one)
            .map(async (child) => {
              await child.untilRole("active");
            }),
        );
        one.kill("SIGCONT");
        await one.untilRole("passive");
      }
      if (await last) told.push(n);
      if (fault === "kill") {
        await one.exited;
        all.set(one.name, aProcess(one.name));
      }
    }
    for (const child of all.values()) await child.ask({ does: "stop" });
    await epochs();
    const witness = await active("r4", quick);
    expect(told.length).to.be.at.least(30);
    expect(witness.saved()).to.include.members(told);
  });
});
