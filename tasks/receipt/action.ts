import { toJson } from "../../src/view/json.ts";
import { receiptLines } from "./format.ts";
import {
  type ReceiptFact,
  type ReceiptOptions,
  showReceipt,
} from "./show-receipt.ts";

/** The action of `sequencer:receipt`. */
export default async function receipt({
  json,
  ...options
}: ReceiptOptions & { json: boolean }): Promise<ReceiptFact> {
  const fact = await showReceipt(options);
  console.log(json ? toJson(fact) : receiptLines(fact).join("\n"));
  if (fact.type === "reverted") process.exitCode = 3;
  if (fact.type === "open") process.exitCode = 4;
  return fact;
}
