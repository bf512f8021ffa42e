import { expect } from "chai";
import { configVariable } from "hardhat/config";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { z } from "zod";

import { Parts } from "../../../src/host/parts.ts";
import type { GroupEntry } from "../../../src/plugin/groups-config.ts";
import type { SuperviseFact } from "../../../tasks/supervise/facts.ts";
import { parseSuperviseOptions } from "../../../tasks/supervise/options.ts";
import { supervise } from "../../../tasks/supervise/supervise.ts";
import { RpcClient } from "../../../tasks/shared/rpc-client.ts";
import { CutLink } from "../../helpers/cut-link.ts";
import { PostgresServer } from "../../helpers/postgres.ts";
import { anEnvironment } from "../../plugin/helpers/environment.ts";
import { expectError } from "../../plugin/helpers/errors.ts";
import { freePort } from "../../plugin/helpers/processes.ts";
import { until } from "../../torture/harness/processes/until.ts";
import { runTask } from "../helpers/database.ts";
import {
  mint,
  ServedNodes,
  SharedChain,
  untilConfirmed,
  untilJoined,
} from "../helpers/served-nodes.ts";

const operatorToken = "a token of operators, not to be shown";
const variables = { SUPERVISE_OPERATOR_TOKEN: operatorToken };
const servers = { operatorToken: configVariable("SUPERVISE_OPERATOR_TOKEN") };
const replicas = ["r1", "r2"] as const;
type Name = (typeof replicas)[number];

interface Served {
  readonly rpc: RpcClient;
  readonly parts: Parts;
  readonly link: CutLink;
}

/** What a user sees who asks all the time. */
class Reader {
  readonly statuses = new Map<number, number>();
  readonly wrong: string[] = [];
  #isOver = false;
  #running: Promise<void> = Promise.resolve();

  start(url: string, params: readonly [string]): void {
    this.#running = this.#run(url, params);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  async #run(url: string, params: readonly [string]): Promise<void> {
    while (!this.#isOver) {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "ptx_getTransactionReceipt",
          params,
        }),
      });
      const { status } = response;
      this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
      const text = await response.text();
      const isAnswer = status === 200 && text.includes('"success":true');
      const isRefusal = status === 503 && text.includes("-32002");
      if (!isAnswer && !isRefusal) this.wrong.push(`${status} ${text}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

describe("sequencer:supervise with whole nodes", function () {
  this.timeout(240_000);
  let server: PostgresServer;
  let chain: SharedChain;
  let nodes: ServedNodes;
  let groups: Readonly<Record<string, GroupEntry>>;
  let hre: HardhatRuntimeEnvironment;
  const served = new Map<Name, Served>();
  const facts: SuperviseFact[] = [];
  let end: () => void = () => undefined;
  let supervising: Promise<void> = Promise.resolve();
  let reads = "";

  const databaseOf = () => ({
    url: server.url,
    leaseMs: 1_500,
    graceMs: 500,
    pollMs: 50,
  });

  before(async () => {
    Object.assign(process.env, variables);
    server = await PostgresServer.start();
    chain = await SharedChain.start();
    const listens = new Map<Name, string>();
    for (const name of replicas)
      listens.set(name, `127.0.0.1:${await freePort()}`);
    nodes = await ServedNodes.prepare(chain, [...listens.values()]);
    groups = await nodes.deploy({
      members: "alice,bob,carol",
      domain: "group-token",
    });
    for (const name of ["bob", "carol"] as const)
      await nodes.start(name, groups);
    hre = await anEnvironment({
      sequencer: { database: databaseOf(), servers },
    });
    for (const name of replicas) {
      const parts = new Parts();
      const link = await CutLink.open(chain.url);
      const at = await nodes.serve(
        "alice",
        {
          groups,
          options: {
            replica: name,
            listen: listens.get(name),
            operatorPort: "0",
          },
          database: databaseOf(),
          servers,
          chainUrl: link.url,
        },
        parts,
      );
      expect(at.operatorUrl).to.match(/^http:\/\/127\.0\.0\.1:\d+$/);
      served.set(name, { parts, link, rpc: new RpcClient(at.url) });
      if (name === "r1") await untilMaster("r1");
    }
    await startSupervisor();
  });

  after(async () => {
    end();
    await supervising;
    for (const { parts, link } of served.values()) {
      link.close();
      await parts.close();
    }
    await nodes.stop();
    await chain.stop();
    await server.stop();
    for (const name of Object.keys(variables))
      Reflect.deleteProperty(process.env, name);
  });

  async function startSupervisor(): Promise<void> {
    supervising = supervise(
      hre,
      parseSuperviseOptions({
        name: "alice",
        supervisor: "s1",
        port: "0",
        readsPort: "0",
        probeMs: "500",
        probes: "3",
        tenureMs: "0",
      }),
      {
        tell: (fact) => facts.push(fact),
        report: (error) => {
          throw error;
        },
        now: () => performance.now(),
        onInterrupt: (listener) => {
          end = listener;
          return () => undefined;
        },
      },
    );
    const ready = await until({ what: "it is ready", deadlineMs: 60_000 }, () =>
      facts.find((fact) => fact.type === "ready"),
    );
    reads = ready.readsUrl ?? "";
    await until({ what: "both are healthy", deadlineMs: 60_000 }, async () => {
      const { replicas: found } = await askOperators(ready.url);
      return found.every(({ health }) => health === "healthy")
        ? true
        : undefined;
    });
  }

  const statusType = z.object({
    result: z.object({
      replicas: z.array(z.object({ name: z.string(), health: z.string() })),
    }),
  });

  async function askOperators(
    url: string,
  ): Promise<z.output<typeof statusType>["result"]> {
    const answer = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${operatorToken}`,
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "coordinator_status",
        params: [],
      }),
    });
    return statusType.parse(await answer.json()).result;
  }

  function rpcOf(name: Name): RpcClient {
    const one = served.get(name);
    if (one === undefined) throw new Error(`There is no ${name}.`);
    return one.rpc;
  }

  async function untilMaster(name: Name): Promise<void> {
    await until({ what: `${name} is active`, deadlineMs: 60_000 }, async () => {
      await rpcOf(name).ask(z.object({}), "sequencer_status");
      return true;
    });
  }

  it("forwards reads through three changes, whose users see answers and 503, and nothing else", async () => {
    const first = rpcOf("r1");
    await untilJoined(first, "main");
    const id = await mint(first, groups["main"]);
    await untilConfirmed(first, id);
    const reader = new Reader();
    reader.start(reads, [id]);

    const beganAt = performance.now();
    served.get("r1")?.link.cut();
    await untilMaster("r2");
    console.log(
      `      the chain of the active node is cut off: another one answers after ${Math.round(performance.now() - beganAt)} ms (3 probes take 1500 ms)`,
    );
    await untilConfirmed(rpcOf("r2"), await mint(rpcOf("r2"), groups["main"]));
    served.get("r1")?.link.mend();

    const set = await until(
      { what: "r1 is set", deadlineMs: 60_000 },
      async () =>
        await runTask(hre, ["sequencer:master"], { name: "alice", set: "r1" }),
    );
    expect(set.facts[0]).to.include({ type: "changed", master: "r1" });
    await untilMaster("r1");
    await untilConfirmed(rpcOf("r1"), await mint(rpcOf("r1"), groups["main"]));

    const back = await runTask(hre, ["sequencer:master"], {
      name: "alice",
      set: "r2",
    });
    expect(back.facts[0]).to.include({ type: "changed", master: "r2" });
    await untilMaster("r2");
    await untilConfirmed(rpcOf("r2"), await mint(rpcOf("r2"), groups["main"]));

    await reader.stop();
    expect(reader.wrong).to.deep.equal([]);
    expect(reader.statuses.get(200)).to.be.greaterThan(0);
    const { length } = facts.filter(({ type }) => type === "revoked");
    expect(length).to.equal(3);
  });

  it("forwards nothing that changes something, and says where it must be sent", async () => {
    const answer = await fetch(reads, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "ptx_sendTransaction",
        params: [{}],
      }),
    });
    const { error } = (await answer.json()) as {
      readonly error: { readonly message: string };
    };
    expect(error.message)
      .to.include("PD099021")
      .and.include("http://127.0.0.1:");
  });

  it("is asked by sequencer:master, which refuses a replica that is not there", async () => {
    await expectError(
      "MASTER_NOT_SET",
      async () =>
        await runTask(hre, ["sequencer:master"], { name: "alice", set: "r9" }),
    );
    const { facts: shown } = await runTask(hre, ["sequencer:master"], {
      name: "alice",
    });
    expect(shown[0]).to.include({
      type: "master",
      master: "r2",
      supervisor: "s1",
      isElectionOn: true,
    });
    expect(shown.slice(1).map(({ type }) => type)).to.include("act");
    const lines = await runTask(hre, ["sequencer:master"], {
      name: "alice",
      json: false,
    });
    expect(lines.lines[0]).to.match(/^alice: r2 is active for /);
  });

  it("is frozen and woken by sequencer:master", async () => {
    const name = "alice";
    const stop = { name, stopElection: true };
    const stopped = await runTask(hre, ["sequencer:master"], stop);
    expect(stopped.facts[0]).to.include({ isOn: false, isChanged: true });
    const again = await runTask(hre, ["sequencer:master"], stop);
    expect(again.facts[0]).to.include({ isOn: false, isChanged: false });
    const started = await runTask(hre, ["sequencer:master"], {
      name,
      startElection: true,
    });
    expect(started.facts[0]).to.include({ isOn: true, isChanged: true });
  });
});
