import { createClumsy } from "./clumsy.ts";
import { createCollector } from "./collector.ts";
import { createEquivocator } from "./equivocator.ts";
import { createExtremist } from "./extremist.ts";
import { createFlooder } from "./flooder.ts";
import { createHostageTaker } from "./hostage.ts";
import type { LiarKind } from "./kinds.ts";
import type { Liar, LiarPorts } from "./liar.ts";
import { createPrecise } from "./precise.ts";
import { createWithholder } from "./withholder.ts";

const creators: Readonly<Record<LiarKind, (ports: LiarPorts) => Liar>> = {
  clumsy: createClumsy,
  precise: createPrecise,
  withholder: createWithholder,
  equivocator: createEquivocator,
  extremist: createExtremist,
  hostage: createHostageTaker,
  flooder: createFlooder,
  collector: createCollector,
};

/** A liar of the kind that the run has. */
export function createLiar(ports: LiarPorts): Liar {
  return creators[ports.liar.kind](ports);
}
