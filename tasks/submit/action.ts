import { toJson } from "../../src/view/json.ts";
import { type SubmitFact, submitLines } from "../../src/view/submit.ts";
import { submitIntent, type SubmitOptions } from "./submit-intent.ts";

/** The action of `sequencer:submit`. */
export default async function submit({
  json,
  ...options
}: SubmitOptions & { json: boolean }): Promise<SubmitFact> {
  const last = await submitIntent(options, (fact) => {
    console.log(json ? toJson(fact) : submitLines(fact).join("\n"));
  });
  if (last.type === "reverted") process.exitCode = 3;
  if (last.type === "open") process.exitCode = 4;
  return last;
}
