import { toJson } from "../../src/view/json.ts";
import { type StatusFact, statusLines } from "../../src/view/status.ts";
import { askStatus, type StatusOptions } from "./ask-status.ts";

/** The action of `sequencer:status`. */
export default async function status({
  json,
  ...options
}: StatusOptions & { json: boolean }): Promise<readonly StatusFact[]> {
  const facts = await askStatus(options);
  const lines = json ? facts.map(toJson) : statusLines(facts);
  console.log(lines.join("\n"));
  return facts;
}
