import { coordinatorTable } from "./coordinator/table.ts";
import { coordinatorTransactionTable } from "./coordinator/transaction/table.ts";
import { senderTable } from "./sender/table.ts";
import { senderTransactionTable } from "./sender/transaction/table.ts";

/**
 * The tables of all machines of a node. Actions reach them through their turn: the tables have the actions, so that the actions cannot
 * import the tables.
 */
export const tables = {
  sender: senderTable,
  senderTransaction: senderTransactionTable,
  coordinator: coordinatorTable,
  coordinatorTransaction: coordinatorTransactionTable,
} as const;

export type Tables = typeof tables;
