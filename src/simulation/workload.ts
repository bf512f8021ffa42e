import { parseIntentId, type IntentId } from "../protocol/ids.ts";
import type { Intent } from "../protocol/transition.ts";
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

/** What users want in one run. */
export function drawWorkload(
  options: {
    readonly seed: number;
    readonly nodes: number;
    readonly intents: number;
    readonly spanMs: number;
  },
  random: Random,
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
    const account = random.pick(accounts);
    const verb = random.chance(nonsense) ? "sing" : drawVerb(random);
    const to = random.pick(accounts);
    const wish = `${verb} ${account} ${to} ${random.between(1, 1_200)}`;
    const node = random.below(senders);
    const before = earlier.get(node) ?? [];
    const dependsOn =
      before.length > 0 && random.chance(dependent)
        ? [random.pick(before)]
        : [];
    if (dependsOn.length > 0 && dependencies.chance(0.3))
      dependsOn.push(dependencies.pick(all));
    earlier.set(node, [...before, id]);
    all.push(id);
    return {
      intent: {
        id,
        payload: isParked ? `later ${wish}` : wish,
        dependsOn,
        touches: random.chance(declared) ? [account] : undefined,
        isPrepareOnly: preparing.chance(preparable),
      },
      node,
      atMs: burst ? random.below(50) : random.below(options.spanMs),
      isParked,
      resumeAfterMs: random.chance(0.8)
        ? random.between(100, 20_000)
        : undefined,
      executeAfterMs: preparing.chance(0.5)
        ? preparing.below(15_000)
        : undefined,
    };
  });
}

function drawVerb(random: Random): string {
  const dice = random.below(10);
  if (dice < 6) return "pay";
  return dice === 6 ? "split" : dice === 7 ? "merge" : "note";
}
