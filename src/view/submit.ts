import { digits, printable } from "./text.ts";

/** What `sequencer:submit` tells. */
export type SubmitFact =
  | {
      readonly type: "submitted";
      readonly id: string;
      readonly url: string;
      /** The address of the group. */
      readonly group: string;
      /** As in `transfer(string,string,uint256)`. */
      readonly function: string;
    }
  | {
      readonly type: "confirmed";
      readonly id: string;
      readonly block: number | null;
      readonly transaction: string | null;
    }
  | { readonly type: "reverted"; readonly id: string; readonly reason: string }
  /** It was not waited for any longer. */
  | {
      readonly type: "open";
      readonly id: string;
      readonly why: string | null;
    };

/** A fact for people. */
export function submitLines(fact: SubmitFact): string[] {
  switch (fact.type) {
    case "submitted":
      return [`${fact.url} took it as ${fact.id}`];
    case "confirmed":
      return [
        `Confirmed in block ${digits(fact.block ?? 0)}, transaction ${fact.transaction ?? "unknown"}`,
      ];
    case "reverted":
      return [`Reverted: ${printable(fact.reason)}`];
    case "open":
      return [
        `Still open: ${printable(fact.why ?? "it does not wait for anything")}`,
      ];
  }
}
