import { printable } from "../../src/view/text.ts";
import type { AnswerFact } from "./ask-domain.ts";

/** An answer for people: one line for each output. */
export function answerLines({ function: name, outputs }: AnswerFact): string[] {
  const entries = Object.entries(outputs);
  if (entries.length === 0) return [`${name} has no outputs`];
  return entries.map(([key, value]) =>
    printable(
      `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
    ),
  );
}
