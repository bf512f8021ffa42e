import { toJson } from "../../src/view/json.ts";
import type { GroupDetailsFact } from "./facts.ts";
import { detailsLines } from "./format.ts";
import { showGroup, type ShowOptions } from "./show-group.ts";

/** The action of `sequencer:group show`. */
export default async function show({
  json,
  ...options
}: ShowOptions & { json: boolean }): Promise<GroupDetailsFact> {
  const fact = await showGroup(options);
  console.log(json ? toJson(fact) : detailsLines(fact).join("\n"));
  return fact;
}
