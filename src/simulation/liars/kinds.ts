import type { NodeName } from "../../protocol/ids.ts";
import { Random } from "../random.ts";
import type { Settings } from "../settings.ts";

/** The kinds of liars, and what each of them does. */
export const liarKinds = {
  clumsy: "says again what is old, makes things up, and spoils what it sends",
  precise:
    "changes one thing in an exchange that is otherwise right, and speaks of what is not its business",
  withholder: "never says some kinds of things, or not to everybody",
  equivocator: "tells some the truth and others something else",
  extremist: "asks for as much, as late and as high as it can",
  hostage: "takes intents, says that it works on them, and does not",
  flooder: "sends one member more than anybody can read",
  collector: "submits what it has endorsements for, when and as it likes",
} as const;
export type LiarKind = keyof typeof liarKinds;

/** By name. */
export const liarKindNames = Object.keys(liarKinds) as readonly LiarKind[];

/** Kinds that a run draws from if nobody names one, some more often than others. */
const drawnKinds: readonly LiarKind[] = [
  ...liarKindNames,
  "clumsy",
  "clumsy",
  "precise",
];

/** How likely a liar goes on after everything else has healed. */
const LASTING = 0.25;

/** What liars of a run are like. */
export interface LiarPlan {
  readonly kind: LiarKind;
  /** It goes on when everything else has healed, until all others have what they want. */
  readonly isLasting: boolean;
  /** It does not endorse, if there is anybody who does not. */
  readonly isOutside: boolean;
  /** Who of those that may lie does, as a share of them. */
  readonly place: number;
  /** How likely it lies when it can. */
  readonly rate: number;
}

/** What a run may say about its liars. */
export interface LiarOptions {
  readonly liar?: LiarKind;
  readonly isLasting?: boolean;
}

/** Draws what the options leave open, always in the same order. */
export function drawLiar(seed: number, options: LiarOptions): LiarPlan {
  const random = new Random(seed, "liar");
  const drawn = random.pick(drawnKinds);
  const isOutside = random.chance(0.7);
  const rate = random.pick([0.1, 0.3, 0.6]);
  const place = random.fraction();
  const isLasting = random.chance(LASTING);
  const kind = options.liar ?? drawn;
  return {
    kind,
    isLasting: options.isLasting ?? isLasting,
    isOutside: isOutside && kind === "precise",
    // The last of them seldom has users of its own.
    place: kind === "clumsy" ? 1 : place,
    rate,
  };
}

/** Whether a group can go on for as long as these lie: enough others endorse, and somebody else may coordinate. */
export function canBear(
  { committee, threshold, mode, pool }: Settings["config"],
  liars: ReadonlySet<NodeName>,
): boolean {
  const isHonest = (name: NodeName): boolean => !liars.has(name);
  return (
    committee.filter(isHonest).length >= threshold &&
    (mode !== "remote" || pool.some(isHonest))
  );
}

/** Members that lie: fewer than would stop the group for good. */
export function liarsAmong(
  {
    suspects,
    outsiders = [],
  }: {
    readonly suspects: readonly NodeName[];
    readonly outsiders?: readonly NodeName[];
  },
  { isOutside, place }: LiarPlan,
): ReadonlySet<NodeName> {
  if (isOutside && outsiders.length > 0) return new Set(outsiders.slice(0, 1));
  if (suspects.length < 2) return new Set();
  const index = Math.min(
    suspects.length - 1,
    Math.floor(place * suspects.length),
  );
  return new Set(suspects.slice(index, index + 1));
}
