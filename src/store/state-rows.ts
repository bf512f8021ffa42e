import type { Hex, StateId as LedgerId } from "../ledger/index.ts";
import { Columns } from "./columns.ts";
import { readContent, type StateContent } from "./contents.ts";
import type { Row } from "./database.ts";
import { hex, ledgerId } from "./shapes.ts";

/** A state, as the ledger created it. */
export interface LedgerState {
  readonly ledgerId: LedgerId;
  /** In which it was created. */
  readonly block: number;
  /** Over the intents of its transition, and which of the outputs it is. */
  readonly intentsHash: Hex;
  readonly index: number;
  /** An output without content, which keeps a register for later. */
  readonly isVacancy: boolean;
}

/** A state of the ledger whose content this node has. */
export interface UnspentState extends LedgerState, StateContent {}

export function readLedgerState(row: Row): LedgerState {
  const columns = new Columns(row, {
    table: "states",
    key: String(row["ledger_id"]),
  });
  return {
    ledgerId: columns.read("ledger_id", ledgerId),
    block: columns.count("block"),
    intentsHash: columns.read("intents_hash", hex),
    index: columns.count("output_index"),
    isVacancy: columns.flag("is_vacancy"),
  };
}

export function readKnownState(row: Row): UnspentState {
  return { ...readLedgerState(row), ...readContent(row) };
}
