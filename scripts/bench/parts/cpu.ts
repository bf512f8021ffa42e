import { limits } from "../../../src/protocol/limits.ts";
import {
  costsOf,
  type Costs,
  idleOf,
  medianCosts,
  type Pair,
  ratiosOf,
  roles,
} from "../meter/costs.ts";
import type { Measured } from "../meter/usage.ts";
import { median } from "../statistics.ts";
import { openCheckout, root } from "../meter/checkout.ts";
import { measureLanes } from "../meter/lanes.ts";
import { Tree } from "../meter/tree.ts";
import type { Findings, Part, PartOptions } from "../part.ts";

/** Two trees differ by less than this for no reason: beyond it, something became slower. */
const RATIO_MAX = 1.1;
const REST_MS = 5_000;
/** Rounds in which the role moved count for nothing, and are repeated so often. */
const SPARE_ROUNDS = 4;

interface Size {
  readonly bundleMax: number;
  /** In one round. */
  readonly intents: number;
}

const sizes: readonly Size[] = [
  { bundleMax: 1, intents: 1_500 },
  { bundleMax: limits.bundle, intents: 6_000 },
];

/** What nodes cost in CPU, whatever else the machine does meanwhile. */
export const cpu: Part = {
  about: "CPU of an intent for coordinators and members, and of idle nodes",
  run: async (options) => {
    const all = [await measureNodes(options), await measureLanes(options)];
    return {
      sections: all.flatMap(({ sections }) => sections),
      goals: all.flatMap(({ goals }) => goals),
    };
  },
};

async function measureNodes(options: PartOptions): Promise<Findings> {
  const { against } = options;
  const other = against === undefined ? undefined : openCheckout(against);
  const findings: Findings[] = [];
  try {
    for (const size of sizes) {
      const folders = { now: root, before: other?.folder };
      findings.push(await measureSize(size, folders, options));
    }
  } finally {
    other?.remove();
  }
  return {
    sections: findings.flatMap(({ sections }) => sections),
    goals: findings.flatMap(({ goals }) => goals),
  };
}

/** What was measured of one tree. */
interface Series {
  readonly tree: Tree;
  /** Milliseconds of CPU per second, by round. */
  readonly idle: number[];
  readonly rounds: Costs[];
}

interface Compared {
  readonly now: Series;
  readonly before: Series | undefined;
}

async function measureSize(
  size: Size,
  folders: { readonly now: string; readonly before: string | undefined },
  options: PartOptions,
): Promise<Findings> {
  const now = seriesOf(folders.now);
  const before =
    folders.before === undefined ? undefined : seriesOf(folders.before);
  const all = before === undefined ? [now] : [now, before];
  try {
    await Promise.all(
      all.map(async ({ tree }) => {
        await tree.ask("open", { bundleMax: size.bundleMax });
      }),
    );
    const pairs = await measurePairs(size, { now, before }, options);
    return findingsOf(size, { now, before }, pairs);
  } finally {
    await Promise.all(
      all.map(async ({ tree }) => {
        await tree.close();
      }),
    );
  }
}

function seriesOf(folder: string): Series {
  return { tree: new Tree({ folder }), idle: [], rounds: [] };
}

async function measurePairs(
  size: Size,
  { now, before }: Compared,
  { isQuick, tell }: PartOptions,
): Promise<readonly Pair[]> {
  const name = `bundles of at most ${size.bundleMax}`;
  const intents = isQuick ? size.intents / 5 : size.intents;
  const all = before === undefined ? [now] : [now, before];
  for (let round = 0; round < (isQuick ? 1 : 2); round++)
    for (const { tree } of all) await tree.ask("spend", intents);
  tell(`${name}: warmed up`);
  const pairs: Pair[] = [];
  const wanted = isQuick ? 1 : 5;
  const roundsMax = wanted + SPARE_ROUNDS;
  for (
    let round = 0;
    round < roundsMax && now.rounds.length < wanted;
    round++
  ) {
    // Neither of the two always comes first.
    const costs = await measureRound(round % 2 === 0 ? all : all.toReversed(), {
      intents,
      restMs: isQuick ? REST_MS / 5 : REST_MS,
    });
    const one = costs.get(now);
    const other = before && costs.get(before);
    if (one === undefined || (before !== undefined && other === undefined)) {
      tell(`${name}: the role moved or a submission failed, which is no round`);
      continue;
    }
    now.rounds.push(one);
    if (before !== undefined && other !== undefined) {
      before.rounds.push(other);
      pairs.push({ now: one, before: other });
    }
    tell(
      `${name}: round ${now.rounds.length} of ${wanted}: ${textOf(one, other)}`,
    );
  }
  return pairs;
}

/** All trees in turn, and then what they need when they are idle, all at the same time. */
async function measureRound(
  inTurn: readonly Series[],
  { intents, restMs }: { readonly intents: number; readonly restMs: number },
): Promise<ReadonlyMap<Series, Costs>> {
  const measured = new Map<Series, Measured>();
  for (const series of inTurn)
    measured.set(series, await series.tree.ask("spend", intents));
  await Promise.all(
    inTurn.map(async ({ tree, idle }) => {
      idle.push(idleOf(await tree.ask("rest", restMs)));
    }),
  );
  return new Map(
    [...measured].flatMap(([series, one]) => {
      const idleMsPerSecond = series.idle.at(-1) ?? NaN;
      const costs = costsOf(one, { intents, idleMsPerSecond });
      return costs === undefined ? [] : [[series, costs] as const];
    }),
  );
}

function textOf(now: Costs, before: Costs | undefined): string {
  return roles
    .map((role) => {
      const cost = `${role} ${now[role].all.toFixed(3)} ms`;
      if (before === undefined) return cost;
      const ratio = now[role].all / before[role].all;
      const net = now[role].net / before[role].net;
      return `${cost}, ${before[role].all.toFixed(3)} ms before (${ratio.toFixed(2)}, without idling ${net.toFixed(2)})`;
    })
    .join("; ");
}

function findingsOf(
  { bundleMax }: Size,
  { now, before }: Compared,
  pairs: readonly Pair[],
): Findings {
  const costs = medianCosts(now.rounds);
  const old = before && medianCosts(before.rounds);
  const ratios = ratiosOf(pairs);
  const rows = roles.map((role) => ({
    role,
    "CPU ms per intent": costs[role].all.toFixed(3),
    "of its main thread": costs[role].main.toFixed(3),
    "without idling": costs[role].net.toFixed(3),
    "idle, ms per second": median(now.idle).toFixed(1),
    ...(old !== undefined &&
      before !== undefined && {
        before: old[role].all.toFixed(3),
        "idle before": median(before.idle).toFixed(1),
        "now ÷ before": ratios[role].all.toFixed(2),
        "without idling, now ÷ before": ratios[role].net.toFixed(2),
      }),
  }));
  const where = `bundles of at most ${bundleMax}`;
  const goals = roles.map((role) => ({
    name: `CPU of an intent, now ÷ before (${role}, ${where})`,
    value: ratios[role].all,
    valueMax: RATIO_MAX,
  }));
  return {
    sections: [{ title: `CPU of an intent, ${where}`, rows }],
    goals: before === undefined ? [] : goals,
  };
}
