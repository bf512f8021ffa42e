import { submitIntent, type SubmitOptions } from "../plugin/asking/submit.ts";
import { toJson } from "../view/json.ts";
import { type SubmitFact, submitLines } from "../view/submit.ts";

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
