import { toJson } from "../../src/view/json.ts";
import { createGroup, type CreateOptions } from "./create-group.ts";
import type { CreateFact } from "./facts.ts";
import { createLines } from "./format.ts";

/** The action of `sequencer:group create`. */
export default async function create({
  json,
  ...options
}: CreateOptions & { json: boolean }): Promise<CreateFact> {
  const last = await createGroup(options, (fact) => {
    console.log(json ? toJson(fact) : createLines(fact).join("\n"));
  });
  if (last.type === "group-failed") process.exitCode = 3;
  if (last.type === "group-open") process.exitCode = 4;
  return last;
}
