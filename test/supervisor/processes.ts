import { once } from "node:events";
import { createServer, type Server } from "node:http";

import { expect } from "chai";

import { ask } from "../../src/supervisor/ask.ts";
import {
  impatient,
  SupervisedScene,
  supervised,
  token,
} from "../helpers/supervisor/supervised-scene.ts";

const { probes, probeMs } = supervised;

describe("A supervisor of replicas in processes of their own", function () {
  this.timeout(120_000);
  const world = new SupervisedScene();

  /** Prints how long it takes until another replica is active. */
  async function timed(
    what: string,
    act: () => void,
    name: string,
  ): Promise<void> {
    const beganAt = performance.now();
    act();
    await world.untilMaster(name);
    const ms = Math.round(performance.now() - beganAt);
    console.log(
      `      ${what}: ${name} is active after ${ms} ms (${probes} probes take ${probes * probeMs} ms)`,
    );
  }

  it("changes nothing after one failure less than counts, and the master after as many", async () => {
    await world.start("r1", "r2");
    const supervisor = world.supervisor("s1");
    await world.untilHealthy(supervisor, "r1", "r2");
    world.gate("r1").fail(probes - 1);
    await world.gate("r1").afterProbes(2 * probes);
    const { master, epoch } = await world.view();
    expect({ master, epoch }).to.deep.equal({ master: "r1", epoch: 1 });

    await timed(
      "failed probes",
      () => {
        world.gate("r1").fail(probes);
      },
      "r2",
    );
    expect(await world.save("r2")).to.equal(true);
    expect(await world.save("r1")).to.equal(false);
  });

  it("changes nothing for failures that come and go", async () => {
    await world.start("r1", "r2");
    const supervisor = world.supervisor("s1");
    await world.untilHealthy(supervisor, "r1", "r2");
    for (let n = 0; n < 3; n++) {
      const from = supervisor.facts.length;
      world.chain.cut("r1");
      const isOfR1 = ({ replica }: { readonly replica: string }): boolean =>
        replica === "r1";
      await supervisor.untilFact("Probe", isOfR1, from);
      world.chain.mend("r1");
      await supervisor.untilFact(
        "Probe",
        (fact) => isOfR1(fact) && fact.problem === undefined,
        from,
      );
    }
    expect((await world.view()).epoch).to.equal(1);
  });

  it("replaces a master that lives, and whose way to the chain is cut", async () => {
    await world.start("r1", "r2");
    const supervisor = world.supervisor("s1");
    await world.untilHealthy(supervisor, "r1", "r2");
    await timed(
      "a chain that is cut off",
      () => {
        world.chain.cut("r1");
      },
      "r2",
    );
    const { isPolite, head } = await supervisor.untilFact("Revoked");
    expect(isPolite).to.equal(true);
    expect(await world.save("r2")).to.equal(true);
    const { result } = await supervisor.ask("coordinator_getStoppedHash");
    expect(result).to.deep.include({ isStopped: false, ...head });
  });

  it("changes nothing when the chain is away or stands still for all", async () => {
    await world.start("r1", "r2");
    const supervisor = world.supervisor("s1");
    await world.untilHealthy(supervisor, "r1", "r2");
    world.chain.standStill(true);
    await world.gate("r1").afterProbes(2 * probes);
    world.chain.cut("r1", "r2");
    await world.gate("r1").afterProbes(3 * probes);
    expect((await world.view()).epoch).to.equal(1);
    expect(supervisor.facts.map(({ type }) => type)).not.to.include("Revoked");
  });

  it("finds the master that the lease has made when the last one was killed", async () => {
    await world.start("r1", "r2");
    const supervisor = world.supervisor("s1");
    await world.untilHealthy(supervisor, "r1", "r2");
    await timed(
      "kill -9",
      () => {
        world.of("r1").kill("SIGKILL");
      },
      "r2",
    );
    await supervisor.untilFact("Found", ({ master }) => master === "r2");
    expect(await world.save("r2")).to.equal(true);
  });

  it("replaces a master that it does not reach, and that would still answer", async () => {
    await world.start("r1", "r2");
    const supervisor = world.supervisor("s1", impatient);
    await world.untilHealthy(supervisor, "r1", "r2");
    await timed(
      "a master that is cut off from the supervisor only",
      () => {
        world.gate("r1").refuse("admin_stopSequencer");
        world.gate("r1").fail(Infinity);
      },
      "r2",
    );
    const { isPolite } = await supervisor.untilFact("Revoked");
    expect(isPolite).to.equal(false);
    expect(await world.save("r1")).to.equal(false);
    expect(await world.save("r2")).to.equal(true);
  });

  it("fences a master that is frozen, whose append is refused when it wakes up", async () => {
    await world.start("r1", "r2");
    const supervisor = world.supervisor("s1", impatient);
    await world.untilHealthy(supervisor, "r1", "r2");
    await timed(
      "a frozen process",
      () => {
        world.of("r1").kill("SIGSTOP");
      },
      "r2",
    );
    const { isPolite } = await supervisor.untilFact("Revoked");
    expect(isPolite).to.equal(false);
    expect(await world.save("r2")).to.equal(true);
    const late = world.save("r1");
    world.of("r1").kill("SIGCONT");
    expect(await late).to.equal(false);
    expect(await world.save("r2")).to.equal(true);
  });

  it("goes on with the same stopped hash at another supervisor when the first one is killed", async () => {
    await world.start("r1", "r2");
    const first = world.supervisor("s1");
    await world.untilHealthy(first, "r1", "r2");
    const second = world.supervisor("s2");
    await second.rpc();
    for (const name of ["r1", "r2"])
      world.gate(name).refuse("admin_startSequencer");
    world.chain.cut("r1");
    const { head } = await first.untilFact("Revoked");
    first.kill("SIGKILL");
    await second.untilFact("Duty", ({ isOn }) => isOn);
    const { result } = await second.ask("coordinator_getStoppedHash");
    expect(result).to.deep.include({ isStopped: true, ...head });
    for (const name of ["r1", "r2"])
      world.gate(name).refuse("admin_startSequencer", false);
    await world.untilMaster("r2");
    expect(await world.save("r2")).to.equal(true);
    const grants = (await world.history()).filter(
      ({ act, supervisor }) => act === "granted" && supervisor === "s2",
    );
    expect(grants.map((one) => one.head)).to.deep.include(head);
  });

  for (const [method, name] of [
    ["admin_stopSequencer", "r1"],
    ["admin_startSequencer", "r2"],
  ] as const)
    for (const isDelivered of [false, true])
      it(`is followed by another one that ends what it began, when it is killed at ${method} that ${isDelivered ? "arrives" : "does not arrive"}`, async () => {
        await world.start("r1", "r2");
        const first = world.supervisor("s1");
        await world.untilHealthy(first, "r1", "r2");
        const second = world.supervisor("s2");
        await second.rpc();
        let isKilled = false;
        world.gate(name).watch((asked) => {
          if (asked !== method || isKilled) return;
          isKilled = true;
          first.kill("SIGKILL");
          // Its answer reaches nobody; the next supervisor gets through.
          if (!isDelivered) world.gate(name).failOnce();
        });
        world.chain.cut("r1");
        await first.exited;
        await world.untilMaster("r2");
        expect(await world.save("r2")).to.equal(true);
        await second.untilFact("Found", ({ master }) => master === "r2");
        const { epoch, supervisor } = await world.view();
        expect(supervisor?.name).to.equal("s2");
        const found = (await world.history()).filter(
          ({ act }) => act === "found",
        );
        expect(new Set(found.map((one) => one.epoch)).size).to.equal(
          found.length,
        );
        expect(found.at(-1)).to.include({ replica: "r2", epoch });
      });

  it("leaves the duty to another supervisor when it is frozen, and does nothing when it wakes up", async () => {
    await world.start("r1", "r2");
    const quick = { ...impatient, answerMs: 2_000, grantMs: 1_000 };
    const first = world.supervisor("s1", quick);
    await world.untilHealthy(first, "r1", "r2");
    const second = world.supervisor("s2", quick);
    await second.rpc();
    world.chain.cut("r1");
    await first.untilFact("Probe", ({ replica }) => replica === "r1");
    first.kill("SIGSTOP");
    await second.untilFact("Duty", ({ isOn }) => isOn);
    await world.untilMaster("r2");
    const { epoch } = await world.view();
    world.chain.mend("r1");
    first.kill("SIGCONT");
    await first.untilFact("Duty", ({ isOn }) => !isOn);
    await world.gate("r2").afterProbes(2 * probes);
    const after = await world.view();
    expect(after).to.include({ epoch, master: "r2" });
    expect(after.supervisor?.name).to.equal("s2");
  });

  describe("with a replica that has other turns", () => {
    let liar: Server;
    let hears: string[] = [];

    beforeEach(async () => {
      hears = [];
      liar = createServer((request, response) => {
        const parts: Buffer[] = [];
        request.on("data", (part: Buffer) => parts.push(part));
        request.on("end", () => {
          const { method } = JSON.parse(Buffer.concat(parts).toString()) as {
            readonly method: string;
          };
          hears.push(method);
          const result = {
            replica: "r0",
            role: "passive",
            epoch: 1,
            applied: { sequence: 1_000_000, hash: "f".repeat(64) },
            height: world.chain.height + 1_000,
            hasChainTrouble: false,
            hasPayerTrouble: false,
            oldestDispatchMs: null,
          };
          response.setHeader("content-type", "application/json");
          response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result }));
        });
      }).listen(0, "127.0.0.1");
      await once(liar, "listening");
    });
    afterEach(() => {
      liar.close();
      liar.closeAllConnections();
    });

    it("never grants it, and chooses a lower one that has the stopped hash", async () => {
      await world.start("r1", "r2");
      const address = liar.address();
      const port =
        typeof address === "object" && address !== null ? address.port : 0;
      const { server, schema } = world.scene;
      await server.query(
        `INSERT INTO ${schema}.replica (name, instance, version, role, applied_sequence, seen, operator_rpc)
         VALUES ('r0', 'it', '1.0.0', 'passive', 1000000, now(), $1)`,
        [`http://127.0.0.1:${port}`],
      );
      const supervisor = world.supervisor("s1");
      await world.untilHealthy(supervisor, "r0", "r1", "r2");
      const { error } = await supervisor.ask("coordinator_setMaster", [
        "r0",
        true,
      ]);
      expect(error?.message).to.include("other turns");
      // The liar sees more of the chain than all others.
      world.chain.cut("r1");
      await world.untilMaster("r2");
      expect(hears).not.to.include("admin_startSequencer");
      const granted = (await world.history()).flatMap(({ act, replica }) =>
        act === "granted" ? [replica] : [],
      );
      expect(granted).to.deep.equal(["r2"]);
    });
  });

  it("is not needed for a replica to refuse another hash", async () => {
    await world.start("r1", "r2");
    await world.of("r1").untilRole("active");
    const door = { url: world.gate("r2").url, token };
    const start = async (hash: string, epoch: number | null) =>
      await ask(door, {
        method: "admin_startSequencer",
        params: [hash, epoch],
        waitMs: 10_000,
      });
    const stop = {
      method: "admin_stopSequencer",
      params: [null],
      waitMs: 10_000,
    };
    expect(await ask(door, stop)).to.have.nested.property(
      "error.code",
      -32_004,
    );
    const stopped = await ask({ ...door, url: world.gate("r1").url }, stop);
    const { head } = await world.view();
    expect(stopped).to.deep.equal({ result: head });
    const other = await start("a".repeat(64), null);
    expect(other).to.have.nested.property("error.code", -32_004);
    expect("reason" in other && other.reason).to.include(head.hash);
    const hostile = await start("not a hash", null);
    expect(hostile).to.have.nested.property("error.code", -32_600);
    expect((await world.view()).isStopped).to.equal(true);
    expect(await start(head.hash, null)).to.have.property("result");
    await world.untilMaster("r2");
  });

  it("does nothing while elections are stopped, also if the master is killed, and acts when they are started", async () => {
    await world.start("r1", "r2");
    const supervisor = world.supervisor("s1");
    await world.untilHealthy(supervisor, "r1", "r2");
    const asked = await supervisor.ask("coordinator_stopElection");
    expect(asked.result).to.equal(true);
    expect(
      (await supervisor.ask("coordinator_electionStopped")).result,
    ).to.equal(true);
    world.of("r1").kill("SIGKILL");
    // Without elections, r2 would take it after the grace.
    const graces = 4;
    await world.gate("r2").afterProbes(Math.ceil((graces * 1_000) / probeMs));
    const free = await world.view();
    expect(free).to.include({ master: undefined, epoch: 1 });
    expect((await supervisor.ask("coordinator_startElection")).result).to.equal(
      true,
    );
    await world.untilMaster("r2");
    expect((await world.history()).map(({ act }) => act)).to.include.members([
      "election-stopped",
      "election-started",
    ]);
  });

  it("makes the replica the master that an operator asks for, if it is healthy or that is forced", async () => {
    await world.start("r1", "r2", "r3");
    const supervisor = world.supervisor("s1");
    await world.untilHealthy(supervisor, "r1", "r2", "r3");
    const healthy = await supervisor.ask("coordinator_setMaster", [
      "r2",
      false,
    ]);
    expect(healthy.result).to.deep.include({ master: "r2" });
    await world.untilMaster("r2");
    await supervisor.ask("coordinator_stopElection");

    world.chain.cut("r3");
    await supervisor.untilFact(
      "Probe",
      ({ replica, problem }) => replica === "r3" && problem !== undefined,
      supervisor.facts.length,
    );
    const refused = await supervisor.ask("coordinator_setMaster", [
      "r3",
      false,
    ]);
    expect(refused.error?.code).to.equal(-32_004);
    expect(refused.error?.message).to.include("no answers of the chain");
    await world.untilMaster("r2");
    const forced = await supervisor.ask("coordinator_setMaster", ["r3", true]);
    expect(forced.result).to.deep.include({ master: "r3" });
    await world.untilMaster("r3");
    const reasons = (await world.history()).flatMap(
      ({ act, replica, reason }) =>
        act === "granted" || act === "refused"
          ? [`${act} ${replica ?? ""}: ${reason}`]
          : [],
    );
    expect(reasons[0]).to.equal("granted r2: wish");
    expect(reasons).to.include("refused r3: it gets no answers of the chain");
    expect(reasons.at(-1)).to.equal("granted r3: forced");
    const unknown = await supervisor.ask("coordinator_setMaster", ["r9", true]);
    expect(unknown.error).to.deep.include({ code: -32_004 });
  });

  it("goes on when the database has been away", async () => {
    await world.start("r1", "r2");
    const supervisor = world.supervisor("s1");
    await world.untilHealthy(supervisor, "r1", "r2");
    const from = supervisor.facts.length;
    await world.scene.server.kill("SIGQUIT");
    await supervisor.untilFact("Duty", ({ isOn }) => !isOn, from);
    await world.scene.server.resume();
    await supervisor.untilFact("Duty", ({ isOn }) => isOn, from);
    const isOver = ({ error }: { readonly error?: unknown }): boolean =>
      error === undefined;
    await supervisor.untilFact("Trouble", isOver, from);
    const master = await world.anyMaster();
    expect(await world.save(master)).to.equal(true);
    const other = master === "r1" ? "r2" : "r1";
    await world.untilHealthy(supervisor, master, other);
    const set = await supervisor.ask("coordinator_setMaster", [other, false]);
    expect(set.result).to.deep.include({ master: other });
  });

  it("says who may build, and nothing to strangers", async () => {
    await world.start("r1", "r2");
    const supervisor = world.supervisor("s1");
    await world.untilHealthy(supervisor, "r1", "r2");
    const request = "coordinator_requestBuildingBlock";
    expect((await supervisor.ask(request, ["r1"])).result).to.equal(true);
    const refused = await supervisor.ask(request, ["r2"]);
    expect(refused.error?.code).to.equal(-32_003);
    expect((await supervisor.ask(request, ["r\n1"])).error?.code).to.equal(
      -32_600,
    );
    expect(
      (await supervisor.ask("ptx_sendTransaction", [1])).error?.code,
    ).to.equal(-32_600);
    expect(
      (await supervisor.ask("coordinator_getMaster")).result,
    ).to.deep.equal({
      master: "r1",
      epoch: 1,
    });
    for (const wrong of ["", "a token that is another one"]) {
      expect(
        (await supervisor.ask("coordinator_status", [], wrong)).status,
      ).to.equal(401);
      const answer = await ask(
        { url: world.gate("r1").url, token: wrong },
        { method: "admin_stopSequencer", params: [null], waitMs: 10_000 },
      );
      expect(answer).to.deep.equal({ reason: "it does not take the token" });
    }
    expect((await world.view()).master).to.equal("r1");
  });
});
