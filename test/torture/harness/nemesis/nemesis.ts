import { setTimeout } from "node:timers/promises";

import type { Chain } from "../chain/chain.ts";
import type { FaultFact } from "../evidence/evidence.ts";
import type { Journal } from "../evidence/journal.ts";
import type { Links } from "../network/links.ts";
import type { Supervisor } from "../processes/supervisor.ts";
import { until } from "../processes/until.ts";
import { detailOf, type Fault, targetOf } from "./faults.ts";
import type { PlannedFault } from "./schedule.ts";

export interface NemesisPorts {
  readonly chain: Chain;
  readonly links: Links;
  readonly nodes: ReadonlyMap<string, Supervisor>;
  /** Who coordinates now, as far as anybody knows. */
  readonly coordinator: () => string | undefined;
  readonly journal: Journal<FaultFact>;
}

/** A chain on a busy machine may need a while for a few blocks. */
const BLOCKS_MS = 180_000;
/** A node that cannot write should notice at the next block. */
const FULL_DISK_MS = 60_000;
/** Somebody has to wish for something, at the right node. */
const FAIL_POINT_MS = 180_000;

/** Makes the planned faults happen, each in its time, and heals all of them. */
export async function carryOut(
  plan: readonly PlannedFault[],
  ports: NemesisPorts,
): Promise<void> {
  const beganMs = performance.now();
  const lanes = [...new Set(plan.map(({ lane }) => lane))].map((lane) =>
    plan.filter((planned) => planned.lane === lane),
  );
  /** What takes longer than planned must not meet the next fault of the same target. */
  const busy = new Map<string, Promise<void>>();
  const runOne = async (planned: PlannedFault): Promise<void> => {
    const { startMs, durationMs } = planned;
    await setTimeout(Math.max(0, beganMs + startMs - performance.now()));
    const fault = named(planned.fault, ports);
    const target = targetOf(fault);
    const before = busy.get(target) ?? Promise.resolve();
    const done = before.then(async () => {
      await makeHappen(fault, durationMs, ports);
    });
    busy.set(target, done);
    await done;
  };
  await Promise.all(
    lanes.map(async (faults) => {
      for (const planned of faults) await runOne(planned);
    }),
  );
}

/** A kill of the coordinator is the kill of a node, once it is known who that is. */
function named(fault: Fault, { coordinator, nodes }: NemesisPorts): Fault {
  if (fault.kind !== "kill-coordinator") return fault;
  const node = coordinator() ?? [...nodes.keys()][0] ?? "";
  return { kind: "kill", node };
}

async function makeHappen(
  fault: Fault,
  durationMs: number,
  ports: NemesisPorts,
): Promise<void> {
  const startMs = Date.now();
  // What a fault leaves broken is for the end of the run to find; the other faults go on.
  const note = await suffer(fault, durationMs, ports).catch(
    (error: unknown) => `failed: ${String(error)}`,
  );
  ports.journal.add({
    kind: fault.kind,
    target: targetOf(fault),
    detail: [detailOf(fault), note].filter((text) => text !== "").join("; "),
    startMs,
    endMs: Date.now(),
  });
}

/** Begins a fault, lets it last, and ends it. Says what else there is to know. */
async function suffer(
  fault: Fault,
  durationMs: number,
  { chain, links, nodes }: NemesisPorts,
): Promise<string> {
  const nodeOf = (name: string): Supervisor => {
    const node = nodes.get(name);
    if (node === undefined) throw new Error(`There is no node ${name}.`);
    return node;
  };
  const last = async (heal: () => void | Promise<void>): Promise<string> => {
    await setTimeout(durationMs);
    await heal();
    return "";
  };
  switch (fault.kind) {
    case "kill-coordinator":
      throw new Error("It should have a name by now.");
    case "kill": {
      const node = nodeOf(fault.node);
      await node.kill();
      return await last(() => node.start());
    }
    case "stop": {
      const node = nodeOf(fault.node);
      const { code } = await node.stop(fault.signal);
      await last(() => node.start());
      return `code ${code ?? "?"}`;
    }
    case "fail-point": {
      const node = nodeOf(fault.node);
      await node.kill();
      await node.startToDie(fault.point);
      await until(
        { what: `${fault.node} dies`, deadlineMs: FAIL_POINT_MS },
        () => !node.isUp || undefined,
      );
      return await last(() => node.start());
    }
    case "freeze": {
      const node = nodeOf(fault.node);
      node.freeze();
      return await last(() => {
        node.thaw();
      });
    }
    case "full-disk":
      return await fillDisk(nodeOf(fault.node));
    case "partition":
      return await last(links.partition(fault.sides));
    case "one-way":
      return await last(links.mute(fault));
    case "slow":
      return await last(links.slow(fault.node, fault));
    case "chain-frozen":
      return await last(chain.freeze());
    case "chain-unreachable":
      return await last(chain.cut());
    case "mining-paused":
      return await last(await chain.pauseMining());
    case "reorganisation": {
      const { ancestor, from } = await chain.reorganise(fault.depth, BLOCKS_MS);
      return `blocks ${ancestor + 1} to ${from}`;
    }
  }
}

async function fillDisk(node: Supervisor): Promise<string> {
  const exit = await node.fillDisk(AbortSignal.timeout(FULL_DISK_MS));
  if (exit === undefined) return "it never had to write";
  await node.start();
  return `code ${exit.code ?? "?"}`;
}
