import type { Hashing } from "../protocol/config.ts";
import {
  parseIntentId,
  type IntentId,
  type NodeName,
} from "../protocol/ids.ts";
import type { Intent, State } from "../protocol/transition.ts";
import { type Coin, mintCoin } from "./coins.ts";
import { intentIdOf } from "./hashing.ts";
import { Random } from "./random.ts";

const accounts = ["a", "b", "c", "d", "e"];

/** A user's wish, with all that he will do about it. */
export interface Wish {
  readonly intent: Intent;
  /** The node that he talks to. */
  readonly node: number;
  readonly atMs: number;
  /** It is parked at first, and he says so when it is ready; undefined if he never does. */
  readonly resumeAfterMs: number | undefined;
  readonly isParked: boolean;
  /** Its domain may park it for as long as it likes. */
  readonly mayPark: boolean;
  /** When he executes what was prepared for him; undefined if he never does. */
  readonly executeAfterMs: number | undefined;
}

const genesisIntent = parseIntentId(`0x${"f".repeat(64)}`);

/** The coins in the beginning. */
export function drawGenesis(random: Random): Coin[] {
  const intentId = genesisIntent;
  if (intentId === undefined) return [];
  const coinsPerAccount = random.between(1, 12);
  return accounts.flatMap((account, at) =>
    Array.from({ length: coinsPerAccount }, (_, i) =>
      mintCoin({
        account,
        amount: 1_000,
        index: at * coinsPerAccount + i,
        intentId,
      }),
    ),
  );
}

/** How much users want. */
export interface WorkloadOptions {
  readonly seed: number;
  readonly nodes: number;
  readonly intents: number;
  readonly spanMs: number;
}

/** What a user asks of a domain. */
export interface Ask {
  /** The node that he talks to. */
  readonly node: number;
  readonly payload: string;
  readonly touches: readonly string[] | undefined;
  /** Intents that it makes no sense without. */
  readonly after?: readonly IntentId[] | undefined;
  /** Whether its domain may park it for as long as it likes. */
  readonly mayPark?: boolean | undefined;
}

/** Draws what a user asks. */
export type DrawAsk = (
  random: Random,
  options: {
    readonly id: IntentId;
    /** Nodes that have users. */
    readonly senders: number;
    /** How likely it makes no sense. */
    readonly nonsense: number;
    readonly isParked: boolean;
  },
) => Ask;

/** What users want in one run. */
export function drawWorkload(
  options: WorkloadOptions,
  random: Random,
  drawAsk: DrawAsk,
): Wish[] {
  const dependent = random.chance(0.4) ? 0.2 : 0;
  const parkable = random.chance(0.4) ? 0.1 : 0;
  const nonsense = random.chance(0.4) ? 0.1 : 0;
  const declared = random.chance(0.5) ? random.fraction() : 0;
  const burst = random.chance(0.3);
  const senders = random.between(1, options.nodes);
  const preparing = new Random(options.seed, "preparations");
  const preparable = preparing.chance(0.4) ? 0.25 : 0;
  /** Most dependencies are on intents of the same node. */
  const earlier = new Map<number, IntentId[]>();
  const dependencies = new Random(options.seed, "dependencies");
  const all: IntentId[] = [];
  return Array.from({ length: options.intents }, (_, sequence): Wish => {
    const id = intentIdOf(options.seed, sequence);
    const isParked = random.chance(parkable);
    const ask = drawAsk(random, { id, senders, nonsense, isParked });
    const { node, payload, touches, after = [], mayPark = false } = ask;
    const before = earlier.get(node) ?? [];
    const dependsOn =
      before.length > 0 && random.chance(dependent)
        ? [random.pick(before)]
        : [];
    if (dependsOn.length > 0 && dependencies.chance(0.3))
      dependsOn.push(dependencies.pick(all));
    dependsOn.push(...after.filter((other) => !dependsOn.includes(other)));
    earlier.set(node, [...before, id]);
    all.push(id);
    return {
      intent: {
        id,
        laneSalt: "",
        payload,
        dependsOn,
        touches: random.chance(declared) ? touches : undefined,
        isPrepareOnly: preparing.chance(preparable),
      },
      node,
      atMs: burst ? random.below(50) : random.below(options.spanMs),
      isParked,
      mayPark,
      resumeAfterMs: random.chance(0.8)
        ? random.between(100, 20_000)
        : undefined,
      executeAfterMs: preparing.chance(0.5)
        ? preparing.below(15_000)
        : undefined,
    };
  });
}

/** An intent of the simulator's own token. */
export const drawCoinIntent: DrawAsk = (
  random,
  { senders, nonsense, isParked },
) => {
  const account = random.pick(accounts);
  const verb = random.chance(nonsense) ? "sing" : drawVerb(random);
  const to = random.pick(accounts);
  const wish = `${verb} ${account} ${to} ${random.between(1, 1_200)}`;
  return {
    node: random.below(senders),
    payload: isParked ? `later ${wish}` : wish,
    touches: [account],
  };
};

function drawVerb(random: Random): string {
  const dice = random.below(10);
  if (dice < 6) return "pay";
  return dice === 6 ? "split" : dice === 7 ? "merge" : "note";
}

/** A coin that no intent creates. */
export function makeUpCoin(intentId: IntentId, random: Random): State {
  const { state } = mintCoin({
    account: random.pick(accounts),
    amount: random.between(1, 1_000),
    index: random.below(4),
    intentId,
  });
  return state;
}

/** Every intent id belongs to the node whose user wants it. Ids that nobody wants belong to whoever uses them. */
export function withOwners(
  hashing: Hashing,
  wishes: readonly Wish[],
  members: readonly NodeName[],
): Hashing {
  const owners = new Map(
    wishes.map(({ intent, node }) => [intent.id, members[node]]),
  );
  return {
    ...hashing,
    isOwnIntent: ({ id, sender }) => (owners.get(id) ?? sender) === sender,
  };
}

/** What must hold of the intents, whatever they mean. */
export function promisesIn(wishes: readonly Wish[]): {
  readonly dependencies: ReadonlyMap<IntentId, readonly IntentId[]>;
  readonly prepareOnly: ReadonlySet<IntentId>;
} {
  const intents = wishes.map(({ intent }) => intent);
  return {
    dependencies: new Map(intents.map(({ id, dependsOn }) => [id, dependsOn])),
    prepareOnly: new Set(
      intents.flatMap(({ id, isPrepareOnly }) => (isPrepareOnly ? [id] : [])),
    ),
  };
}
