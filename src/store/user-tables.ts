import { publicTransactionsTable } from "./public-transactions.ts";
import { receiptListenersTable } from "./receipt-listeners.ts";
import { storedAbisTable } from "./stored-abis.ts";
import { userGroupsTable } from "./user-groups.ts";
import { userReceiptsTable } from "./user-receipts.ts";
import { userTransactionsTable } from "./user-transactions.ts";

/** What a node keeps for its users. */
export const userTables: readonly string[] = [
  userTransactionsTable,
  userReceiptsTable,
  storedAbisTable,
  receiptListenersTable,
  userGroupsTable,
  publicTransactionsTable,
];
