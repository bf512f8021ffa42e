import type { Evidence } from "../evidence/evidence.ts";
import { checkAcceptance } from "./acceptance.ts";
import { checkBalances } from "./balances.ts";
import { checkBooks } from "./books.ts";
import { checkLedger } from "./ledger.ts";
import { checkProcesses } from "./processes.ts";
import { checkPromises, checkSettlement } from "./settlement.ts";
import { checkStrangers } from "./strangers.ts";
import type { Check, Violation } from "./violation.ts";

const checks: readonly Check[] = [
  checkLedger,
  checkAcceptance,
  checkSettlement,
  checkPromises,
  checkBooks,
  checkBalances,
  checkStrangers,
  checkProcesses,
  ({ leaks }) =>
    leaks.map(({ secret, file }) => ({
      property: "secrets",
      what: `${secret} is in ${file}`,
    })),
  ({ unfinished }) =>
    unfinished === "" ? [] : [{ property: "L2", what: unfinished }],
];

/** Everything that does not hold. */
export function check(evidence: Evidence): readonly Violation[] {
  return checks.flatMap((one) => one(evidence));
}
