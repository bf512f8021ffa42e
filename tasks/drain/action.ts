import { toJson } from "../../src/view/json.ts";
import {
  type DrainFact,
  drainLines,
  drainNode,
  type DrainOptions,
} from "./drain-node.ts";

/** The action of `sequencer:drain`. */
export default async function drain({
  json,
  ...options
}: DrainOptions & { json: boolean }): Promise<DrainFact> {
  const last = await drainNode(options, (fact) => {
    console.log(json ? toJson(fact) : drainLines(fact).join("\n"));
  });
  if (last.type === "not-drained" || last.type === "not-draining")
    process.exitCode = 4;
  return last;
}
