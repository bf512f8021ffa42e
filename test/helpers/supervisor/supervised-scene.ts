import { expect } from "chai";

import pg from "pg";

import { switchElection } from "../../../src/supervisor/switch.ts";
import { readElection } from "../../../src/supervisor/election-view.ts";
import {
  type HistoryEntry,
  readHistory,
} from "../../../src/supervisor/history.ts";
import { emptyHead, headAfter } from "../../../src/store/log/chain.ts";
import { freePort } from "../../plugin/helpers/processes.ts";
import { until } from "../../torture/harness/processes/until.ts";
import { ReplicaProcess } from "../replica-process.ts";
import { ReplicaScene } from "../replica-scene.ts";
import { ChainLinks } from "./chain-links.ts";
import { ProbeGate } from "./probe-gate.ts";
import { StandingSamples } from "./standing-samples.ts";
import { SupervisorProcess } from "./supervisor-process.ts";
import type {
  LogPlace,
  SupervisorOptions,
} from "../../../src/supervisor/options.ts";

export const token = "a token of operators, not to be shown";

/** Many rounds, but much time for each answer: on a busy machine, nothing else may look like a failure. */
export const supervised = {
  probeMs: 250,
  answerMs: 5_000,
  probes: 4,
  revokeMs: 5_000,
  grantMs: 5_000,
  tenureMsMin: 0,
} as const;

/** For processes that do not answer. */
export const impatient = { answerMs: 250, revokeMs: 400 } as const;

/** Replicas and supervisors in processes of their own, with a chain that can be cut off from each replica. */
export class SupervisedScene {
  readonly scene = new ReplicaScene();
  readonly replicas = new Map<string, ReplicaProcess>();
  readonly gates = new Map<string, ProbeGate>();
  chain: ChainLinks = new ChainLinks();
  readonly #ended: ReplicaProcess[] = [];
  readonly #supervisors: SupervisorProcess[] = [];
  #samples: StandingSamples | undefined;
  #saved = 0;

  constructor() {
    beforeEach(() => {
      this.chain.stop();
      this.chain = new ChainLinks();
      this.#samples = new StandingSamples(() => [...this.replicas.values()]);
    });
    afterEach(async () => {
      for (const one of this.#supervisors.splice(0)) await one.end();
      for (const one of [...this.replicas.values(), ...this.#ended.splice(0)])
        await one.end();
      this.replicas.clear();
      for (const gate of this.gates.values()) gate.close();
      this.gates.clear();
      this.chain.stop();
      this.#samples?.check();
      await this.expectOneChain();
    });
  }

  async replica(name: string): Promise<ReplicaProcess> {
    const { scene } = this;
    const port = await freePort();
    const gate = await ProbeGate.open(port);
    this.gates.get(name)?.close();
    this.gates.set(name, gate);
    const operators = { token, port, chainUrl: await this.chain.open(name) };
    const child = new ReplicaProcess({
      url: scene.server.url,
      schema: scene.schema,
      name,
      file: scene.fileOf(name),
      // So long that only a supervisor can be as quick.
      leaseMs: 10_000,
      graceMs: 1_000,
      operators,
      about: { version: "1.0.0", operatorRpc: gate.url, rpc: gate.url },
    });
    const before = this.replicas.get(name);
    if (before !== undefined) this.#ended.push(before);
    this.replicas.set(name, child);
    return child;
  }

  /** The first one is active, and has saved something; all others follow. */
  async start(...names: readonly string[]): Promise<void> {
    for (const name of names) {
      const one = await this.replica(name);
      if (name === names[0]) {
        await one.untilRole("active");
        await this.save(name);
      } else await one.untilRole("passive");
    }
  }

  of(name: string): ReplicaProcess {
    const one = this.replicas.get(name);
    if (one === undefined) throw new Error(`There is no ${name}.`);
    return one;
  }

  gate(name: string): ProbeGate {
    const gate = this.gates.get(name);
    if (gate === undefined) throw new Error(`There is no gate of ${name}.`);
    return gate;
  }

  /** Writes an intent at a replica. */
  async save(name: string): Promise<boolean> {
    this.#saved += 1;
    return await this.of(name).save(this.#saved);
  }

  supervisor(
    name: string,
    settings: Partial<SupervisorOptions> = {},
  ): SupervisorProcess {
    const { server, schema } = this.scene;
    const one = new SupervisorProcess({
      ...supervised,
      url: server.url,
      schema,
      name,
      token,
      ...settings,
    });
    this.#supervisors.push(one);
    return one;
  }

  async view(): ReturnType<typeof readElection> {
    return await this.#ask(readElection);
  }

  /** What was done, in order. */
  async history(): Promise<readonly HistoryEntry[]> {
    const entries = await this.#ask(
      async (client, place) =>
        await readHistory(client, place, { countMax: 100 }),
    );
    return [...entries].reverse();
  }

  async switchElection(isOn: boolean): Promise<boolean> {
    return await this.#ask(
      async (client, place) =>
        await switchElection(client, { ...place, isOn, by: "a test" }),
    );
  }

  async #ask<Result>(
    act: (client: pg.Client, place: LogPlace) => Promise<Result>,
  ): Promise<Result> {
    const { server, schema } = this.scene;
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    try {
      return await act(client, { schema, bucket: 0 });
    } finally {
      await client.end();
    }
  }

  async untilMaster(name: string): Promise<void> {
    await until(
      { what: `${name} has the lease`, deadlineMs: 30_000 },
      async () => ((await this.view()).master === name ? true : undefined),
    );
    await this.of(name).untilRole("active");
  }

  /** Resolves with the replica that has the lease, when one has it. */
  async anyMaster(): Promise<string> {
    const name = await until(
      { what: "somebody has the lease", deadlineMs: 30_000 },
      async () => (await this.view()).master,
    );
    await this.of(name).untilRole("active");
    return name;
  }

  /** Resolves when a supervisor takes all of them for healthy. */
  async untilHealthy(
    supervisor: SupervisorProcess,
    ...names: readonly string[]
  ): Promise<void> {
    const what = `${names.join(", ")} are healthy`;
    await until({ what, deadlineMs: 30_000 }, async () => {
      const { result } = await supervisor.ask("coordinator_status");
      const { replicas } = result as {
        readonly replicas: readonly {
          readonly name: string;
          readonly health: string | null;
        }[];
      };
      const healthy = new Set(
        replicas.flatMap(({ name, health }) =>
          health === "healthy" ? [name] : [],
        ),
      );
      return names.every((name) => healthy.has(name)) ? true : undefined;
    });
  }

  /** Epochs never fall along the log, and all its turns are one chain. */
  async expectOneChain(): Promise<void> {
    const { server, schema } = this.scene;
    const turns = await server.query<{
      readonly epoch: string;
      readonly hash: Buffer;
      readonly body: Buffer;
    }>(`SELECT epoch, hash, body FROM ${schema}.turn ORDER BY sequence`);
    let head = emptyHead;
    for (const { body, hash } of turns) {
      head = headAfter(head, body);
      expect(hash.toString("hex")).to.equal(head.hash);
    }
    const epochs = turns.map(({ epoch }) => Number(epoch));
    expect(epochs).to.deep.equal([...epochs].sort((a, b) => a - b));
    expect((await this.view()).head).to.deep.equal({
      sequence: head.sequence,
      hash: head.hash,
    });
  }
}
