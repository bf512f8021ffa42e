import { toJson } from "../../src/view/json.ts";
import { databaseLines, type DatabaseFact } from "./format.ts";

/** Prints facts as they come: for people, or one JSON object per line. */
export function printerOf(json: boolean): (fact: DatabaseFact) => void {
  return (fact) => {
    console.log(json ? toJson(fact) : databaseLines(fact).join("\n"));
  };
}
