import type { IntentId, NodeName } from "../../protocol/ids.ts";
import type { Step } from "../../protocol/transition.ts";
import type {
  Domain,
  DomainCall,
  DomainGroup,
  DomainState,
} from "../../domains/domain.ts";
import type { Random } from "../random.ts";
import type { DrawnGroup } from "./domain.ts";

/** What somebody on a node asks of a domain. It has to be something that the domain takes. */
export interface DrawnCall extends Pick<
  DomainCall,
  "from" | "signature" | "args"
> {
  /** Intents that it makes no sense without. */
  readonly after?: readonly IntentId[];
  /** Whether the domain may park it for as long as it likes. */
  readonly mayPark?: boolean;
}

/** Draws a call that becomes the intent `id` of a node. */
export type DrawCall = (
  random: Random,
  intent: { readonly id: IntentId; readonly node: NodeName },
) => DrawnCall;

/** All that happened to a group. */
export interface History {
  readonly group: DomainGroup;
  /** Everything that was confirmed, in the order of the ledger. */
  readonly steps: readonly Pick<Step, "intentId" | "sender" | "payload">[];
  /** What is on the ledger after all of it. */
  readonly unspent: readonly DomainState[];
}

/** A domain of the runtime, what users ask of it, and what must hold whatever goes wrong. */
export interface Trial {
  readonly domain: Domain;
  /** What the creator of a group chose. */
  readonly configure: (
    group: DrawnGroup,
    random: Random,
  ) => DomainGroup["configuration"];
  /** What has to happen before anything else makes sense. */
  readonly setupCalls?: (group: DomainGroup) => readonly DrawnCall[];
  /** For the calls of one run, which may refer to each other. */
  readonly drawCalls: (group: DomainGroup) => DrawCall;
  /** Two calls, of which the second one is possible only after the first. */
  readonly drawPair?: (random: Random) => readonly [DrawnCall, DrawnCall];
  /** Whether a state is any business of a node that does not endorse; if it is left out, all are. */
  readonly concerns?: (node: NodeName, state: DomainState) => boolean;
  /** Does the same in the plainest way, and compares. Throws if it comes to something else. */
  readonly check?: (history: History) => void | Promise<void>;
}
