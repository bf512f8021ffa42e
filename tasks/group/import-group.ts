import { z } from "zod";

import { SequencerError } from "../../src/plugin/errors.ts";
import type { GroupEntry } from "../../src/plugin/groups-config.ts";
import { nodeAt } from "../shared/ask-node.ts";
import { groupOfConfiguration, groupOfFile } from "./describe-group.ts";
import type { GroupImportedFact } from "./facts.ts";

/** What the user asks for, as typed. */
export interface ImportOptions {
  readonly url?: string | undefined;
  readonly name?: string | undefined;
  readonly file?: string | undefined;
}

/** As that of `sequencer:deploy`. */
const nameDefault = "main";

const importedType = z.object({
  address: z.string(),
  id: z.string(),
  name: z.string(),
});

/** Lets a running node take part in a group that `sequencer:deploy --domain` created. */
export async function importGroup(
  options: ImportOptions,
  configured: {
    readonly network: string;
    readonly groups: Readonly<Record<string, GroupEntry>>;
  },
): Promise<GroupImportedFact> {
  const { url, name, file } = options;
  if (name !== undefined && file !== undefined)
    throw new SequencerError("OPTIONS_EXCLUSIVE", {
      first: "--name",
      second: "--file",
    });
  const client = nodeAt(url);
  const group =
    file === undefined
      ? groupOfConfiguration(name ?? nameDefault, configured)
      : groupOfFile(file);
  const imported = await client.ask(importedType, "sequencer_importGroup", {
    policy: "sticky",
    configuration: {},
    ...group,
  });
  return { type: "group-imported", url: client.name, ...imported };
}
