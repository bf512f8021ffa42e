import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import { SequencerError } from "../../src/plugin/errors.ts";
import {
  readRange,
  readStatements,
  readTurns,
  type StoredTurn,
} from "../../src/replica/turns.ts";
import {
  decodeTurn,
  type StatementId,
  type Turn,
} from "../../src/store/log/turn.ts";
import type { Value } from "../../src/store/database.ts";
import { databaseOf, withSession } from "../shared/database.ts";
import { requireNodeName } from "../shared/node-home.ts";
import { parseNumber } from "../shared/parse-option.ts";
import type { NodeOptions } from "./check-database.ts";
import type { StatementFact, TurnFact } from "./facts.ts";

/** What the user asks for, as typed. */
export interface TurnsOptions extends NodeOptions {
  readonly from?: string | undefined;
  readonly count?: string | undefined;
  readonly values: boolean;
}

const COUNT = 20;
/** Turns in one request: their bodies are in memory at once. */
const TURNS_MAX = 100;

/** Shows turns of the log of a node, oldest first. */
export async function showTurns(
  hre: HardhatRuntimeEnvironment,
  options: TurnsOptions,
  tell: (fact: TurnFact) => void,
): Promise<void> {
  const node = requireNodeName(options.name);
  const asked = parseNumber("--from", options.from, {
    min: 1,
    max: 9_999_999_999,
  });
  const count =
    parseNumber("--count", options.count, { min: 1, max: 1_000_000 }) ?? COUNT;
  const database = await databaseOf(hre, node);
  await withSession(database, async (client) => {
    const { head, first } = await readRange(client, database);
    const last = head.sequence;
    if (asked !== undefined && (asked < (first ?? Infinity) || asked > last))
      throw new SequencerError("DATABASE_TURN_UNKNOWN", {
        node,
        turn: asked,
        first,
        last,
      });
    let from = asked ?? Math.max(first ?? 1, last - count + 1);
    const end = Math.min(last, from + count - 1);
    while (from <= end) {
      const turnsMax = Math.min(TURNS_MAX, end - from + 1);
      const turns = await readTurns(client, { ...database, from, turnsMax });
      const { known } = await readStatements(client, database);
      for (const turn of turns) tell(factOf(turn, { ...options, known }));
      // Others may have trimmed the log meanwhile.
      const read = turns.at(-1);
      if (read === undefined) return;
      from = read.sequence + 1;
    }
  });
}

function factOf(
  { sequence, epoch, hash, body }: StoredTurn,
  {
    values,
    known,
  }: {
    readonly values: boolean;
    readonly known: ReadonlyMap<StatementId, string>;
  },
): TurnFact {
  const statements = decode(sequence, body, known).map(
    (one): StatementFact => ({
      sql: one.sql,
      changes: one.values === undefined ? null : one.changes,
      ...(values && { values: (one.values ?? []).map(shown) }),
    }),
  );
  const bytes = body.length;
  return { type: "turn", sequence, epoch, hash, bytes, statements };
}

function decode(
  sequence: number,
  body: Uint8Array,
  known: ReadonlyMap<StatementId, string>,
): Turn {
  try {
    return decodeTurn(body, (id) => known.get(id));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new SequencerError(
      "DATABASE_DAMAGED",
      {
        reason: `Turn ${sequence} cannot be read: ${error.message} Look for all that is damaged with npx hardhat sequencer:database check.`,
      },
      error,
    );
  }
}

function shown(value: Value): string | number | null {
  if (typeof value === "bigint") return value.toString();
  return value instanceof Uint8Array
    ? `0x${Buffer.from(value).toString("hex")}`
    : value;
}
