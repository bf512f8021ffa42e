import { openBenchCluster } from "../bench-cluster.ts";
import { openBenchChain } from "../chains.ts";
import type { Part } from "../part.ts";
import { Pot, spendAll, untilSeen } from "../pot.ts";
import { percentile } from "../statistics.ts";

/** As often as `sequencer:run` mines. */
const BLOCK_MS = 250;
const parts = [0.5, 0.95, 0.99] as const;

/** When what happened to an intent, by the clock of this process. */
interface Times {
  accepted: number;
  dispatched: number;
  confirmed: number;
}

/** How long an intent takes while the nodes have half as much to do as they can. */
export const latency: Part = {
  about: "from accepted to dispatched and confirmed, in block times",
  run: async ({ isQuick, tell }) => {
    const times = new Map<string, Times>();
    const timesOf = (id: string): Times => {
      const known = times.get(id);
      if (known !== undefined) return known;
      const fresh = { accepted: NaN, dispatched: NaN, confirmed: NaN };
      times.set(id, fresh);
      return fresh;
    };
    const chain = await openBenchChain("in-process", BLOCK_MS);
    const nodes = await openBenchCluster(chain, {
      onFact: (_, fact) => {
        const now = performance.now();
        if (fact.type === "Accepted") timesOf(fact.id).accepted = now;
        if (fact.type === "IntentDispatched") {
          const one = timesOf(fact.id);
          if (Number.isNaN(one.dispatched)) one.dispatched = now;
        }
        if (fact.type === "Settled")
          timesOf(fact.settlement.intentId).confirmed = now;
      },
    });
    try {
      const { cluster } = nodes;
      const pot = await Pot.create(cluster);
      const intents = isQuick ? 200 : 2_000;
      await pot.fill(intents);
      await spendAll(cluster, [pot], intents);
      await pot.fill(intents);
      const start = performance.now();
      await spendAll(cluster, [pot], intents);
      const perMs = intents / (performance.now() - start);
      tell(`at most ${Math.round(perMs * 1_000)} intents/s; now half of that`);
      await pot.fill(intents);
      times.clear();
      await spendPaced(
        cluster.members.length,
        intents,
        perMs / 2,
        async (i) => {
          const member = cluster.members[i % cluster.members.length];
          if (member !== undefined) await pot.spend(member);
        },
      );
      await untilSeen(cluster, await chain.height());
      await pot.check();
      const all = [...times.values()];
      const rows = (["dispatched", "confirmed"] as const).map((stage) => {
        const taken = all.map((one) => (one[stage] - one.accepted) / BLOCK_MS);
        return {
          "from accepted to": stage,
          ...Object.fromEntries(
            parts.map((part) => [
              `p${100 * part}`,
              percentile(taken, part).toFixed(2),
            ]),
          ),
          "intents per block": (perMs / 2) * BLOCK_MS,
        };
      });
      return {
        sections: [
          {
            title: `Block times until an intent is dispatched and confirmed, at half of the most, a block every ${BLOCK_MS} ms`,
            rows,
          },
        ],
        goals: [
          {
            name: "submissions that failed at half of the most",
            value: nodes.failures().length,
            valueMax: 0,
          },
        ],
      };
    } finally {
      await nodes.stop();
      await chain.stop();
    }
  },
};

/** Starts intents at an even pace, whatever becomes of them, and resolves when all have ended. */
async function spendPaced(
  atOnce: number,
  intents: number,
  perMs: number,
  spend: (i: number) => Promise<void>,
): Promise<void> {
  const open: Promise<void>[] = [];
  const start = performance.now();
  while (open.length < intents) {
    const due = Math.min(intents, (performance.now() - start) * perMs + atOnce);
    while (open.length < due) open.push(spend(open.length));
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await Promise.all(open);
}
