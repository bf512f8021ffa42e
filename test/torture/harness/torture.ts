import { mkdirSync } from "node:fs";
import path from "node:path";

import { randomFrom } from "../../helpers/random.ts";
import { check } from "./checker/check.ts";
import type { Violation } from "./checker/violation.ts";
import { Client, POT } from "./clients/client.ts";
import { Desk } from "./clients/desk.ts";
import { createTokenGroup, type TokenGroup } from "./clients/group.ts";
import { collect } from "./collect.ts";
import type { Answer, Evidence, FaultFact } from "./evidence/evidence.ts";
import { Journal } from "./evidence/journal.ts";
import { observe, type Sample } from "./evidence/observer.ts";
import { coordinatorAt, measure, type LogFact } from "./measures.ts";
import { carryOut } from "./nemesis/nemesis.ts";
import { planFaults } from "./nemesis/schedule.ts";
import { type ReportInput, writeReport } from "./report/report.ts";
import { comeToRest } from "./rest.ts";
import {
  HEARTBEAT_MS,
  MINTED,
  thresholdOf,
  type TortureOptions,
} from "./settings.ts";
import { openWorld, type World } from "./world.ts";

/** What a run came to. */
export interface TortureResult extends ReportInput {
  readonly violations: readonly Violation[];
}

/** Runs nodes under faults, lets them come to rest, and checks everything. Nothing is left running. */
export async function torture(
  options: TortureOptions,
  tell: (line: string) => void,
): Promise<TortureResult> {
  mkdirSync(options.outDir, { recursive: true });
  const world = await openWorld(options);
  try {
    tell(`${options.nodes} nodes are up`);
    const nodes = [...world.nodes.values()];
    const group = await createTokenGroup(nodes, thresholdOf(options.nodes));
    tell(`group ${group.address}`);
    const result = await run(world, group, { options, tell });
    writeReport(options.outDir, result);
    return result;
  } finally {
    await world.stop();
  }
}

async function run(
  world: World,
  group: TokenGroup,
  {
    options,
    tell,
  }: {
    readonly options: TortureOptions;
    readonly tell: (line: string) => void;
  },
): Promise<TortureResult> {
  const { seed, outDir } = options;
  const fileOf = (name: string): string => path.join(outDir, `${name}.jsonl`);
  const answers = new Journal<Answer>(fileOf("answers"));
  const samples = new Journal<Sample>(fileOf("samples"));
  const faults = new Journal<FaultFact>(fileOf("faults"));
  const nodes = [...world.nodes.values()];
  const stop = new AbortController();
  const everyMs = HEARTBEAT_MS;
  const observing = observe(
    { everyMs, group: group.address },
    { nodes, journal: samples, stop: stop.signal },
  );
  const clients = clientsOf(world, { options, group, journal: answers });
  await clients[0]?.make({
    key: "mint",
    node: nodes[0]?.name ?? "",
    function: "mint",
    from: undefined,
    to: POT,
    amount: MINTED,
  });
  tell("minted; faults begin");
  const stopWishing = new AbortController();
  const wishing = clients.map((client) => client.run(stopWishing.signal));
  const plan =
    options.plan ??
    planFaults({
      seed,
      names: nodes.map(({ name }) => name),
      durationMs: options.faultMs,
      ...(process.platform !== "linux" && { without: ["full-disk"] }),
    });
  await carryOut(plan, {
    ...world,
    journal: faults,
    coordinator: () => coordinatorAt(samples.entries, Date.now()),
  });
  tell(`${faults.entries.length} faults are over`);
  stopWishing.abort();
  await Promise.all(wishing);
  const unfinished = await comeToRest(world, {
    group: group.address,
    clients,
    deadlineMs: options.restMs,
  });
  tell(unfinished === "" ? "everything is at rest" : unfinished);
  await Promise.all(clients.map((client) => client.giveUp()));
  stop.abort();
  await observing;
  const collected = await collect(world, {
    group,
    answers: answers.entries,
    isAtRest: unfinished === "",
  });
  const evidence: Evidence = {
    nodes: nodes.map(({ name }) => name),
    unfinished,
    answers: answers.entries,
    faults: faults.entries,
    replaced: world.chain.reorganisations,
    failures: failuresOf(world.facts.entries),
    ...collected,
  };
  await Promise.all([answers, samples, faults].map((one) => one.close()));
  return {
    seed,
    evidence,
    samples: samples.entries,
    violations: check(evidence),
    measures: measure({
      evidence,
      samples: samples.entries,
      facts: world.facts.entries,
      heartbeatMs: HEARTBEAT_MS,
    }),
  };
}

function failuresOf(facts: readonly LogFact[]): Evidence["failures"] {
  return facts
    .filter(({ event }) => event === "submission-failed")
    .map((fact) => ({
      atMs: fact.atMs,
      node: fact.node,
      reason: String(Reflect.get(fact, "reason")),
    }));
}

function clientsOf(
  world: World,
  ports: {
    readonly options: TortureOptions;
    readonly group: TokenGroup;
    readonly journal: Journal<Answer>;
  },
): readonly Client[] {
  const { options, group, journal } = ports;
  const desks = new Map(
    [...world.nodes.values()].map(({ name, url }) => [
      name,
      new Desk({ url, group }),
    ]),
  );
  return Array.from(
    { length: options.clients },
    (_, index) =>
      new Client(
        {
          name: `client${index}`,
          everyMs: options.wishEveryMs,
          openMax: options.openMax,
        },
        { desks, journal, random: randomFrom(options.seed + 1 + index) },
      ),
  );
}
