import { counted, digits, printable } from "../../src/view/text.ts";
import type { ReceiptFact } from "./show-receipt.ts";

/** A receipt for people. */
export function receiptLines(fact: ReceiptFact): string[] {
  return linesOf(fact).map(printable);
}

function linesOf(fact: ReceiptFact): string[] {
  switch (fact.type) {
    case "confirmed": {
      const { block, transaction, contract, effect, states } = fact;
      const { spent, read, confirmed } = states;
      const place = block === null ? "" : ` in block ${digits(block)}`;
      const hash = transaction === null ? "" : `, transaction ${transaction}`;
      const lines = [`Confirmed${place}${hash}`];
      if (contract !== null) lines.push(`Created ${contract}`);
      if (spent.length + read.length + confirmed.length > 0)
        lines.push(
          `Spent ${counted(spent.length, "state")}, read ${digits(read.length)}, made ${digits(confirmed.length)}`,
        );
      if (effect !== null) lines.push(`Effect: ${JSON.stringify(effect)}`);
      return lines;
    }
    case "reverted":
      return [`Reverted: ${fact.reason}`];
    case "open":
      return [`Still open: ${fact.why ?? "it does not wait for anything"}`];
  }
}
