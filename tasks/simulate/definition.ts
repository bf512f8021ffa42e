import { task } from "hardhat/config";
import type { TaskDefinition } from "hardhat/types/tasks";

import { text } from "../shared/text-option.ts";

/** `sequencer:simulate`. */
export const simulateTask: TaskDefinition = task(
  "sequencer:simulate",
  "Simulate groups of nodes under faults, in virtual time, and check that every property of the protocol holds",
)
  .addOption({
    ...text,
    name: "seed",
    description:
      "The first seed; the same seed gives the same run, to the last message (default: 1)",
  })
  .addOption({
    ...text,
    name: "seeds",
    description:
      "How many seeds to run (default: 100, or 1 if a seed is given)",
  })
  .addOption({
    ...text,
    name: "nodes",
    description: "Nodes of the group, 1 to 7 (default: drawn from each seed)",
  })
  .addOption({
    ...text,
    name: "intents",
    description:
      "Intents that users submit in each run (default: drawn from each seed)",
  })
  .addOption({
    ...text,
    name: "policy",
    description:
      "When the role of the coordinator moves: sticky or rotating (default: drawn from each seed)",
  })
  .addOption({
    ...text,
    name: "faults",
    description:
      "What goes wrong: none, network, crash, chain, byzantine or all (default: all)",
  })
  .addOption({
    ...text,
    name: "lane",
    description:
      "What is simulated: core, the protocol alone, or whole, nodes as they ship (default: core)",
  })
  .addOption({
    ...text,
    name: "domain",
    description:
      "What intents mean: group-token, notarised-token, owned-coins, private-contracts, or the path of a module with a domain of your own (default: coins of the simulator's own)",
  })
  .addOption({
    ...text,
    name: "liar",
    description:
      "What a lying member does: clumsy, precise, withholder, equivocator, extremist, hostage, flooder or collector (default: drawn from each seed)",
  })
  .addFlag({
    name: "lasting",
    description:
      "Let members lie until all others have what they want, if the group can bear it",
  })
  .addOption({
    ...text,
    name: "transcript",
    description:
      "Write everything that happened in the last run, or in the one that violates a property, to this file, with a sequence diagram (default: none)",
  })
  .addFlag({
    name: "json",
    description: "Print one JSON object per line and nothing else",
  })
  .setAction(async () => await import("./action.ts"))
  .build();
