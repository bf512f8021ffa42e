import type { SimulationResult } from "../simulate.ts";
import { Violation } from "../violation.ts";
import { drawWholeSettings, type WholeOptions } from "./settings.ts";
import { WholeWorld } from "./world.ts";

/** Runs one seed of the whole lane from the first block to the last check. */
export async function simulateWhole(
  options: WholeOptions,
): Promise<SimulationResult> {
  const settings = drawWholeSettings(options);
  const world = new WholeWorld(settings, options.transcript);
  let violation: SimulationResult["violation"];
  try {
    await world.run();
  } catch (thrown) {
    violation = {
      property: thrown instanceof Violation ? thrown.property : "S23",
      message: messageOf(thrown),
      atMs: world.queue.now,
    };
  } finally {
    world.close();
  }
  const { users, faults, queue, steps, sends } = world;
  const nodes = settings.names.length;
  return {
    seed: settings.seed,
    setup: {
      nodes,
      threshold: Math.floor(nodes / 2) + 1,
      groups: settings.groups.map(({ trial, members }) => ({
        domain: trial.domain.name,
        members,
      })),
      mode: settings.groups.map(({ trial }) => trial.domain.name).join(", "),
      policy: settings.node.policy,
    },
    violation,
    liar: world.adversary.described,
    traceHash: world.trace.toString(),
    statistics: {
      faults: faults.toRecord(),
      confirmed: users.count("Confirmed"),
      reverted: users.count("Reverted"),
      prepared: 0,
      executed: 0,
      parked: users.open().length,
      handovers: world.counts.handovers,
      coordinatorChanges: world.counts.coordinatorChanges,
      dispatches: world.counts.dispatches,
      ledgerReverts: world.counts.ledgerReverts,
      sends,
      commits: world.counts.commits,
      events: steps,
      virtualMs: queue.now,
      settleMs: world.settleMs,
    },
  };
}

function messageOf(thrown: unknown): string {
  if (thrown instanceof Violation) return thrown.message;
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : "thrown";
}
