import { counted, digits, printable, seconds } from "../../src/view/text.ts";
import type {
  DatabaseCheckFact,
  ImportFact,
  RestoreFact,
  SnapshotFact,
  StatementFact,
  TurnFact,
} from "./facts.ts";

/** Everything that the subtasks of `sequencer:database` tell. */
export type DatabaseFact =
  DatabaseCheckFact | SnapshotFact | RestoreFact | ImportFact | TurnFact;

/** A fact for people. */
export function databaseLines(fact: DatabaseFact): string[] {
  const lines = fact.type === "turn" ? turnLines(fact) : [lineOf(fact)];
  return lines.map(printable);
}

function lineOf(fact: Exclude<DatabaseFact, TurnFact>): string {
  switch (fact.type) {
    case "server-checked":
      return `Server: PostgreSQL ${fact.version} at ${fact.host}, as ${fact.user}`;
    case "tables-checked":
      return `Tables: ${counted(fact.tables, "table")} of the schema ${fact.schema} can be used`;
    case "check-progress":
      return fact.part === "turns"
        ? `Read ${digits(fact.done)} of ${counted(fact.of, "turn")}`
        : `Read ${digits(fact.done)} of ${counted(fact.of, "part")} of a snapshot`;
    case "turns-checked":
      return fact.first === null
        ? `Turns: none, the log is at turn ${digits(fact.head)}`
        : `Turns: ${digits(fact.first)} to ${digits(fact.head)}, ${counted(fact.bytes, "byte")}`;
    case "statements-checked":
      return `Statements: ${digits(fact.statements)}`;
    case "snapshot-checked":
      return `Snapshot: complete, at turn ${digits(fact.sequence)}, ${counted(fact.bytes, "byte")}`;
    case "damage":
      return `DAMAGED: ${fact.problem}`;
    case "database-checked":
      return `${fact.node}: ${fact.problems === 0 ? "nothing is damaged" : counted(fact.problems, "problem")}, after ${seconds(fact.elapsedMs)}`;
    case "rebuild-progress":
      return `The store is at turn ${digits(fact.turn)} of ${digits(fact.head)}`;
    case "snapshot-made":
      return `Made a snapshot at turn ${digits(fact.sequence)}, ${counted(fact.bytes, "byte")}; deleted ${counted(fact.trimmed, "turn")} that older snapshots have`;
    case "snapshot-present":
      return `There is a snapshot at the end of the log already, turn ${digits(fact.sequence)}`;
    case "store-restored":
      return `Wrote the store as of turn ${digits(fact.turn)} to ${fact.file}, ${counted(fact.bytes, "byte")}`;
    case "store-imported":
      return fact.wasThere
        ? `The log of ${fact.node} had this store already, and it has its place in the log now: ${fact.file}`
        : `The log of ${fact.node} begins with the store ${fact.file}, ${counted(fact.bytes, "byte")}. Start its replicas`;
  }
}

function turnLines(fact: TurnFact): string[] {
  const { sequence, epoch, hash, bytes, statements } = fact;
  return [
    `turn ${digits(sequence)}, epoch ${digits(epoch)}, ${counted(bytes, "byte")}, hash ${hash}`,
    ...statements.flatMap(statementLines),
  ];
}

function statementLines({ sql, changes, values }: StatementFact): string[] {
  const text = sql.replace(/\s+/g, " ").trim();
  const rows = changes === null ? "script" : counted(changes, "row");
  return [
    `  ${rows}: ${text}`,
    ...(values === undefined ? [] : [`    ${JSON.stringify(values)}`]),
  ];
}
