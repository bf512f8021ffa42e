import type { SimulationOptions } from "../../../src/simulation/settings.ts";
import { permissions, restarts } from "./durability.ts";
import { handovers } from "./handovers.ts";
import { rests } from "./rests.ts";
import {
  assemblies,
  endorsements,
  preparations,
  reverts,
  secrets,
} from "./transitions.ts";
import {
  coordinatorTrust,
  endorserTrust,
  senderTrust,
  successionTrust,
} from "./trust.ts";

/** One place of the protocol made wrong. */
export interface Edit {
  /** Below `src/protocol`. */
  readonly file: string;
  /** Is there exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** A sabotage of the protocol, and what shall notice it. */
export interface Mutant extends Edit {
  /** What the protocol does wrong, as a sentence. */
  readonly name: string;
  /** A second line of defence that has to fall too. */
  readonly also?: Edit;
  /** Properties that may report it. */
  readonly properties: readonly string[];
  /** The runs that find it soonest. */
  readonly runs: Omit<SimulationOptions, "seed" | "transcript">;
}

/** Every sabotage. Each must be noticed by a property in a bounded number of seeds. */
export const mutants: readonly Mutant[] = [
  ...permissions,
  ...restarts,
  ...handovers,
  ...endorsements,
  ...secrets,
  ...assemblies,
  ...reverts,
  ...preparations,
  ...rests,
  ...senderTrust,
  ...coordinatorTrust,
  ...successionTrust,
  ...endorserTrust,
];
