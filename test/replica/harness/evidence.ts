import path from "node:path";

import type { TokenGroup } from "../../torture/harness/clients/group.ts";
import { collect } from "../../torture/harness/collect.ts";
import type {
  Answer,
  Evidence,
} from "../../torture/harness/evidence/evidence.ts";
import type { Supervisor } from "../../torture/harness/processes/supervisor.ts";
import type { ServedReplica } from "./replica.ts";
import { NODE, type ReplicaWorld } from "./world.ts";

/** Asks everybody for the last time, and stops all nodes. The replica that is active stands for its node; the others have ended. */
export async function evidenceOf(
  { chain, members, exits, outDir }: ReplicaWorld,
  options: {
    readonly active: ServedReplica;
    readonly group: TokenGroup;
    readonly answers: readonly Answer[];
  },
): Promise<Evidence> {
  const { active, group, answers } = options;
  const nodes = new Map<string, Pick<Supervisor, "name" | "url" | "stop">>([
    [
      NODE,
      {
        name: NODE,
        url: active.url,
        stop: async () => await active.stop(),
      },
    ],
    ...members,
  ]);
  const folderOf = (name: string): string =>
    name === NODE ? active.folder : path.join(outDir, "data", name);
  const collected = await collect(
    { chain, exits, outDir, folderOf, nodes },
    { group, answers, isAtRest: true },
  );
  return {
    nodes: [...nodes.keys()],
    unfinished: "",
    answers,
    faults: [],
    replaced: [],
    failures: [],
    ...collected,
  };
}
