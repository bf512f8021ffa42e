import { task } from "hardhat/config";
import { ArgumentType } from "hardhat/types/arguments";
import type { TaskDefinition } from "hardhat/types/tasks";

const text = {
  type: ArgumentType.STRING_WITHOUT_DEFAULT,
  defaultValue: undefined,
} as const;

/** `sequencer:identity`. */
export const identityTask: TaskDefinition = task(
  "sequencer:identity",
  "Print the public key by which other nodes know a node; it is made if there is none yet",
)
  .addOption({ ...text, name: "name", description: "The node's name" })
  .addOption({
    ...text,
    name: "dataDir",
    description:
      "Where nodes keep their state; this one in a folder with its name",
  })
  .addFlag({
    name: "json",
    description: "Print one JSON object and nothing else",
  })
  .setAction(async () => await import("./identity.ts"))
  .build();
