import { toJson } from "../../src/view/json.ts";
import type { GroupFact } from "./facts.ts";
import { listLines } from "./format.ts";
import { listGroups, type ListOptions } from "./list-groups.ts";

/** The action of `sequencer:group list`. */
export default async function list({
  json,
  ...options
}: ListOptions & { json: boolean }): Promise<readonly GroupFact[]> {
  const facts = await listGroups(options);
  const lines = json ? facts.map(toJson) : listLines(facts);
  if (lines.length > 0) console.log(lines.join("\n"));
  return facts;
}
