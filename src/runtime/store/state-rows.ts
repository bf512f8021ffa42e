import type { Hex, StateId as LedgerId } from "../../ledger/index.ts";
import { Columns } from "./columns.ts";
import { readContent, type StateContent } from "./contents.ts";
import type { Row } from "./database.ts";
import { hex, ledgerId } from "./shapes.ts";

/** A state, as the ledger created it. */
export interface LedgerState {
  readonly ledgerId: LedgerId;
  /** In which it was created, and by which transition. */
  readonly block: number;
  readonly createdBy: Hex;
  /** Over the intents of that transition, and which of its outputs it is. */
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
    createdBy: columns.read("created_by", hex),
    intentsHash: columns.read("intents_hash", hex),
    index: columns.count("output_index"),
    isVacancy: columns.flag("is_vacancy"),
  };
}

export function readKnownState(row: Row): UnspentState {
  return { ...readLedgerState(row), ...readContent(row) };
}
