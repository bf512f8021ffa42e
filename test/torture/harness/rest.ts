import type { Client } from "./clients/client.ts";
import { sampleOf } from "./evidence/observer.ts";
import { until } from "./processes/until.ts";
import type { World } from "./world.ts";

/**
 * Resolves when all is over: every wish has ended, and every node has seen the whole chain and has nothing open. Gives why it is
 * not, if it is not in time.
 */
export async function comeToRest(
  { chain, nodes }: Pick<World, "chain" | "nodes">,
  options: {
    readonly group: string;
    readonly clients: readonly Client[];
    readonly deadlineMs: number;
  },
): Promise<string> {
  let why = "";
  const look = async (): Promise<true | undefined> => {
    const head = await chain.height();
    const open = options.clients.reduce((sum, one) => sum + one.open, 0);
    const samples = await Promise.all(
      [...nodes.values()].map((node) => sampleOf(node, options.group)),
    );
    const restless = samples.flatMap((sample) => {
      const { node, height = -1, missingStates = 0 } = sample;
      if (height < 0) return [`${node} does not answer`];
      if (height < head - 1) return [`${node} is at ${height} of ${head}`];
      if (missingStates > 0) return [`${node} misses ${missingStates} states`];
      return sample.open === 0
        ? []
        : [`${node} has ${sample.open ?? "?"} open intents`];
    });
    if (open > 0) restless.unshift(`clients wait for ${open} wishes`);
    why = restless.join(", ");
    return restless.length === 0 ? true : undefined;
  };
  try {
    const { deadlineMs } = options;
    await until({ what: "everything ends", deadlineMs, everyMs: 250 }, look);
    return "";
  } catch {
    return `not at rest after ${options.deadlineMs} ms: ${why}`;
  }
}
