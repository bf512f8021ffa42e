import path from "node:path";

import { Desk } from "./clients/desk.ts";
import { POT, SHOPS } from "./clients/client.ts";
import type { TokenGroup } from "./clients/group.ts";
import { collectDisk } from "./evidence/collect-disk.ts";
import { collectLedger } from "./evidence/collect-ledger.ts";
import type { Answer, Evidence } from "./evidence/evidence.ts";
import { findLeaks } from "./evidence/find-leaks.ts";
import { sampleOf } from "./evidence/observer.ts";
import type { Supervisor } from "./processes/supervisor.ts";
import { until } from "./processes/until.ts";
import type { World } from "./world.ts";

/** Who has not answered by then does not answer. After a run that did not come to rest that is likely, and not waited for. */
const ANSWER_MS = { atRest: 120_000, restless: 5_000 };

/** What is left of a world when all is over. */
type Finished = Pick<World, "chain" | "exits" | "outDir" | "folderOf"> & {
  readonly nodes: ReadonlyMap<
    string,
    Pick<Supervisor, "name" | "url" | "stop">
  >;
};

/** Asks everybody for the last time, stops the nodes, and reads the ledger and their disks. */
export async function collect(
  world: Finished,
  options: {
    readonly group: TokenGroup;
    readonly answers: readonly Answer[];
    readonly isAtRest: boolean;
  },
): Promise<
  Pick<
    Evidence,
    "receipts" | "balances" | "ledger" | "disks" | "exits" | "leaks"
  >
> {
  const { chain, nodes } = world;
  const { group, answers } = options;
  const deadlineMs = options.isAtRest ? ANSWER_MS.atRest : ANSWER_MS.restless;
  // From here on the ledger does not change, so that all can be compared with it.
  await chain.pauseMining();
  const head = await chain.height();
  for (const node of nodes.values())
    await until(
      { what: `${node.name} sees block ${head}`, deadlineMs },
      async () => {
        const { height = -1 } = await sampleOf(node, group.address);
        return height >= head || undefined;
      },
    ).catch(() => undefined);
  const balances: Evidence["balances"][number][] = [];
  const receipts: Evidence["receipts"][number][] = [];
  for (const { name, url } of nodes.values()) {
    const desk = new Desk({ url, group });
    let isAway = false;
    /** Who does not answer has nothing to say; that is a violation of its own. */
    const ask = async <Found>(
      look: () => Promise<Found>,
    ): Promise<Found | undefined> => {
      if (isAway) return undefined;
      const wait = { what: `${name} answers`, deadlineMs };
      try {
        return (await until(wait, async () => ({ found: await look() }))).found;
      } catch {
        isAway = true;
        return undefined;
      }
    };
    for (const account of [POT, ...SHOPS]) {
      const balance = await ask(() => desk.balanceOf(account));
      balances.push({ node: name, account, balance: balance ?? Number.NaN });
    }
    for (const id of acceptedBy(name, answers)) {
      const receipt = await ask(() => desk.receipt(id));
      receipts.push({ node: name, id, receipt });
    }
  }
  await Promise.all([...nodes.values()].map((node) => node.stop("SIGTERM")));
  const disks = [...nodes.keys()].map((node) =>
    collectDisk({
      node,
      file: path.join(world.folderOf(node), "node.db"),
      group: group.address,
    }),
  );
  const ledger = await collectLedger(chain, {
    group: group.address,
    intents: disks.flatMap(({ intents }) => intents.map(({ id }) => id)),
  });
  const leaks = findLeaks(world);
  const exits = world.exits.entries;
  return { receipts, balances, ledger, disks, exits, leaks };
}

function acceptedBy(
  node: string,
  answers: readonly Answer[],
): ReadonlySet<string> {
  return new Set(
    answers.flatMap((answer) =>
      answer.type === "accepted" && answer.node === node ? [answer.id] : [],
    ),
  );
}
