import { task } from "hardhat/config";
import { ArgumentType } from "hardhat/types/arguments";
import type { TaskDefinition } from "hardhat/types/tasks";

import { text } from "../shared/text-option.ts";

/** `sequencer:deploy`. */
export const deployTask: TaskDefinition = task(
  "sequencer:deploy",
  "Deploy the ledger, and a group if members are given, at addresses that are the same on every chain; what is there already is left alone",
)
  .addOption({
    ...text,
    name: "members",
    description:
      "Create a group of these members: addresses separated by commas, in any order; with --domain also the names of sequencer.peers (default: no group)",
  })
  .addOption({
    ...text,
    name: "domain",
    description:
      "Create the group for nodes, which take part in it: the domain that says what its states mean (default: none, and no nodes)",
  })
  .addOption({
    ...text,
    name: "configuration",
    description:
      "With --domain: what the domain is told about the group, as a JSON object of texts (default: {})",
  })
  .addOption({
    ...text,
    name: "policy",
    description:
      "With --domain: how the coordinator is chosen, sticky or rotating (default: sticky)",
  })
  .addOption({
    ...text,
    name: "threshold",
    description: "How many members must endorse (default: more than half)",
  })
  .addFlag({
    name: "externalCalls",
    description:
      "Let the group's transitions call public contracts; this can never be changed",
  })
  .addOption({
    ...text,
    name: "salt",
    description:
      "Tells apart groups with the same members, threshold and creator: 32 bytes in hexadecimal, or any text (default: 32 zero bytes)",
  })
  .addOption({
    ...text,
    name: "name",
    description: "Name of the group in the configuration (default: main)",
  })
  .addOption({
    ...text,
    name: "from",
    description:
      "Account to send from: an address or an index among the network's accounts (default: the first)",
  })
  .addFlag({
    name: "dryRun",
    description: "Send nothing; print what is to do, its gas and its cost",
  })
  .addFlag({
    name: "verify",
    description:
      "Verify the source code on Etherscan; needs @nomicfoundation/hardhat-verify",
  })
  .addOption({
    name: "confirmations",
    description: "Blocks to wait for each transaction, its own included",
    type: ArgumentType.INT,
    defaultValue: 1,
  })
  .addOption({
    name: "timeout",
    description:
      "Seconds to wait for each transaction; running again goes on from there",
    type: ArgumentType.INT,
    defaultValue: 300,
  })
  .addFlag({
    name: "json",
    description: "Print one JSON object per line and nothing else",
  })
  .setAction(async () => await import("./action.ts"))
  .build();
