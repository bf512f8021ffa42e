import type { Policy } from "../../../src/protocol/config.ts";
import type { Member } from "../../../src/cluster/member.ts";
import { NodeRefusal } from "../../../src/node/service.ts";
import { defaultSettings } from "../../../src/node/settings.ts";
import { openBenchCluster } from "../bench-cluster.ts";
import { openBenchChain } from "../chains.ts";
import type { Row } from "../goals.ts";
import type { Part, PartOptions } from "../part.ts";
import { Pot } from "../pot.ts";
import { median } from "../statistics.ts";

const BLOCK_MS = 250;
/** Every node has an intent as often. */
const PACE_MS = 20;
/** Time to find back into the steady state. */
const CALM_MS = 3_000;
const PLENTY = 100_000;

/** How long nothing is dispatched after the coordinator dies. */
export const failover: Part = {
  about: "from a coordinator's crash to the next dispatch, in heartbeats",
  run: async (options) => {
    const rows: Row[] = [];
    for (const policy of ["rotating", "sticky"] as const) {
      const gaps = await measureGaps(policy, options);
      rows.push({
        policy,
        crashes: gaps.length,
        median: median(gaps).toFixed(1),
        most: Math.max(...gaps).toFixed(1),
        "heartbeats that may be missed": defaultSettings.heartbeatGrace,
      });
    }
    const title =
      "Heartbeat intervals from a coordinator's crash to the next dispatch";
    return { sections: [{ title, rows }], goals: [] };
  },
};

async function measureGaps(
  policy: Policy,
  { isQuick, tell }: PartOptions,
): Promise<number[]> {
  const chain = await openBenchChain("in-process", BLOCK_MS);
  let dispatcher: string | undefined;
  let onDispatch: (name: string) => void = () => undefined;
  const nodes = await openBenchCluster(chain, {
    settings: { policy },
    onFact: (name, fact) => {
      if (fact.type !== "Dispatched") return;
      dispatcher = name;
      onDispatch(name);
    },
  });
  const { cluster } = nodes;
  const pot = await Pot.create(cluster);
  await pot.fill(PLENTY);
  const sent: Promise<unknown>[] = [];
  const send = async (member: Member): Promise<void> => {
    try {
      await pot.send(member);
    } catch (error) {
      // What a dying node does not take is its user's loss.
      if (!(error instanceof NodeRefusal)) throw error;
    }
  };
  const pace = setInterval(() => {
    for (const member of cluster.members)
      if (member.isUp) sent.push(send(member));
  }, PACE_MS);
  try {
    const gaps: number[] = [];
    for (let i = 0; i < (isQuick ? 2 : 6); i++) {
      await new Promise((resolve) => setTimeout(resolve, CALM_MS));
      if (dispatcher === undefined) throw new Error("Nothing is dispatched.");
      const dead = cluster.member(dispatcher);
      const start = performance.now();
      const next = new Promise<number>((resolve) => {
        onDispatch = (name) => {
          if (name !== dead.name) resolve(performance.now());
        };
      });
      await dead.crash();
      const gap = ((await next) - start) / defaultSettings.heartbeatMs;
      onDispatch = () => undefined;
      tell(
        `${policy}: ${gap.toFixed(1)} heartbeats after ${dead.name}'s crash`,
      );
      gaps.push(gap);
      dead.start();
    }
    return gaps;
  } finally {
    clearInterval(pace);
    await Promise.all(sent);
    await nodes.stop();
    await chain.stop();
  }
}
