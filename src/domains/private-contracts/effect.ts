import {
  accountState,
  isSameAccount,
  noAccount,
  type PrivateAccount,
} from "./account.ts";
import type { Changes } from "./changes.ts";
import { accounts } from "./directory.ts";
import { Draft, type Effect } from "./draft.ts";
import { groupBy } from "./group-by.ts";
import { pageOf, pageState, type Slots, storageName } from "./page.ts";
import type { Reader } from "./reader.ts";

/** What changes mean in states, given what the transaction read. The same for everybody who executes it. */
export function effectOf(changes: Changes, reader: Reader): Effect {
  const draft = new Draft(reader);
  const addresses = new Set([
    ...changes.accounts.keys(),
    ...changes.storages.keys(),
  ]);
  for (const address of addresses)
    settleAccount(address, { changes, reader, draft });
  return draft.finish();
}

interface Context {
  readonly changes: Changes;
  readonly reader: Reader;
  readonly draft: Draft;
}

function settleAccount(address: string, context: Context): void {
  const { changes, reader, draft } = context;
  const found = reader.account(address);
  const before = found?.value ?? noAccount;
  const facts = changes.accounts.has(address)
    ? changes.accounts.get(address)
    : before;
  const isCleared = changes.cleared.has(address) && before.hasStorage;
  const kept: PrivateAccount = {
    ...noAccount,
    ...facts,
    storage: before.storage + (isCleared ? 1 : 0),
    hasStorage: before.hasStorage && !isCleared,
  };
  // What is gone has no storage, whatever it wrote before.
  const isWritten =
    facts !== undefined && settleStorage(address, kept, context);
  const after = { ...kept, hasStorage: kept.hasStorage || isWritten };
  if (isSameAccount(before, after)) return;
  draft.replace(found?.state, accountState(address, after));
  if (found === undefined) draft.addName(accounts, address);
  const code = after.codeHash && changes.codes.get(after.codeHash);
  if (after.codeHash && code) draft.keepCode(after.codeHash, code);
}

/** Whether anything is there that was not there before. */
function settleStorage(
  address: string,
  account: PrivateAccount,
  { changes, reader, draft }: Context,
): boolean {
  const directory = storageName(address, account.storage);
  const written = changes.storages.get(address) ?? new Map<bigint, bigint>();
  let isWritten = false;
  for (const [page, slots] of groupBy(written, ([slot]) => pageOf(slot))) {
    const [[first] = [0n]] = slots;
    const found = reader.page(address, account, first);
    const before: Slots = found?.value ?? new Map<bigint, bigint>();
    if (slots.every(([slot, value]) => value === (before.get(slot) ?? 0n)))
      continue;
    const after = new Map([...before, ...slots]);
    draft.replace(found?.state, pageState(`${directory}/${page}`, after));
    if (found === undefined) draft.addName(directory, page);
    isWritten = true;
  }
  if (isWritten && !account.hasStorage) draft.openDirectory(directory);
  return isWritten;
}
