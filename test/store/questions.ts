import { expect } from "chai";

import { parseDigest } from "../../src/protocol/ids.ts";
import { Blocks } from "../../src/store/blocks.ts";
import { Bundles } from "../../src/store/bundles.ts";
import { Database, type Row, type Value } from "../../src/store/database.ts";
import { Records } from "../../src/store/records.ts";
import { migrations } from "../../src/store/schema.ts";
import { States } from "../../src/store/states.ts";
import {
  groupAt,
  intentId,
  ledgerId,
  stateId,
  word,
} from "../helpers/stores.ts";

const digest = parseDigest(word(1));
if (digest === undefined) throw new Error("The digest is malformed.");

const seen = new Set<string>();

/** Remembers what it was asked. */
class WatchedDatabase extends Database {
  override run(sql: string, ...values: readonly Value[]): number {
    seen.add(sql);
    return super.run(sql, ...values);
  }

  override get(sql: string, ...values: readonly Value[]): Row | undefined {
    seen.add(sql);
    return super.get(sql, ...values);
  }

  override all(sql: string, ...values: readonly Value[]): readonly Row[] {
    seen.add(sql);
    return super.all(sql, ...values);
  }
}

/** How SQLite would answer a question, in its own words. */
function planOf(database: Database, sql: string): string {
  return database
    .all(`EXPLAIN QUERY PLAN ${sql}`)
    .map((row) => String(row["detail"]))
    .join("; ");
}

describe("the questions to a store", () => {
  it("are answered with an index, however long the past is", () => {
    const watched = new WatchedDatabase({ file: ":memory:" }, { migrations });
    const group = groupAt(1);
    const bundles = new Bundles(watched);
    const records = new Records(watched, bundles);
    const blocks = new Blocks(watched);
    const states = new States(watched);
    records.open(group);
    records.intent(group, intentId(1));
    records.confirmedAbove(group, 1);
    records.isReverted(group, intentId(1));
    records.lastReverted(group, 10);
    bundles.find(group, digest);
    bundles.has(group, digest);
    bundles.endorsed(group, 1);
    bundles.permitted(group, digest);
    watched.write(() => {
      bundles.prune(1);
      blocks.revertTo(1);
      blocks.prune(1);
      states.revertTo(1);
    });
    blocks.knownAt(1);
    blocks.head();
    blocks.hashAt(1);
    blocks.fulfilment(group, intentId(1));
    blocks.transitionOf(group, intentId(1));
    states.unspent(group);
    states.vacancies(group);
    states.missing(group);
    states.content(group, stateId(1));
    states.byLedgerId(group, ledgerId(1));
    const asked = [...seen].filter((sql) => !sql.startsWith("PRAGMA"));
    expect(asked.length).to.be.greaterThan(15);
    for (const sql of asked) {
      // The greatest number is at the end of the tree: SQLite calls it a scan, and stops at the first row.
      const plan = planOf(watched, sql).replaceAll(/SCAN blocks(?=$|;)/g, "");
      expect(plan, sql).to.not.include("SCAN");
    }
    const openPlan = asked.find((sql) => sql.includes("outcome = 'open'"));
    expect(planOf(watched, openPlan ?? "")).to.include("records_open");
    const missingPlan = asked.find((sql) => sql.includes("has_content = 0"));
    expect(planOf(watched, missingPlan ?? "")).to.include("states_missing");
    watched.close();
  });
});
