import type { Sabotage } from "../../helpers/sabotage/edit.ts";
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
  tested,
} from "./trust.ts";

/** A sabotage of the protocol that a test of one node must notice, because seeds seldom or never get there. */
export interface TestedMutant extends Sabotage {
  readonly test: {
    /** Below `test/protocol`. */
    readonly file: string;
    /** What the test is called. */
    readonly name: string;
  };
  /** Why seeds do not notice it. */
  readonly why: string;
}

/** A sabotage of the protocol, and what shall notice it. */
export interface Mutant extends Sabotage {
  /** Properties that may report it. */
  readonly properties: readonly string[];
  /** The runs that find it soonest. */
  readonly runs: Omit<SimulationOptions, "seed" | "transcript">;
}

/** Those that a test of one node notices. */
export const testedMutants: readonly TestedMutant[] = tested;

/** Every other sabotage. Each must be noticed by a property in a bounded number of seeds. */
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
