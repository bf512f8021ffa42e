import { toJson } from "../../src/view/json.ts";
import {
  explainLines,
  explainTransaction,
  type ExplainFact,
  type ExplainOptions,
} from "./explain-transaction.ts";

/** The action of `sequencer:explain`. */
export default async function explain({
  json,
  ...options
}: ExplainOptions & { json: boolean }): Promise<ExplainFact> {
  const fact = await explainTransaction(options);
  console.log(json ? toJson(fact) : explainLines(fact).join("\n"));
  return fact;
}
