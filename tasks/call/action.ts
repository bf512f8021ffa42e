import { toJson } from "../../src/view/json.ts";
import { type AnswerFact, askDomain, type CallOptions } from "./ask-domain.ts";
import { answerLines } from "./format.ts";

/** The action of `sequencer:call`. */
export default async function call({
  json,
  ...options
}: CallOptions & { json: boolean }): Promise<AnswerFact> {
  const fact = await askDomain(options);
  console.log(json ? toJson(fact) : answerLines(fact).join("\n"));
  return fact;
}
