import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import {
  parseAddress,
  parseBytes32,
  parseStateId as parseLedgerId,
  parseUint64,
  type Bytes32,
  type StateId as LedgerId,
} from "../../src/ledger/index.ts";
import {
  parseGroupAddress,
  parseIntentId,
  parseNodeName,
  parseStateId,
  type GroupAddress,
  type IntentId,
  type NodeName,
  type StateId,
} from "../../src/protocol/ids.ts";
import type { IntentRecord } from "../../src/protocol/records.ts";
import { RecordedDisks } from "./recorded-disk.ts";
import type { Database } from "../../src/store/database.ts";
import type { StoredGroup } from "../../src/store/groups.ts";
import { openStore, type Store } from "../../src/store/store.ts";

/** Makes a directory for one test; gives what removes it. */
export function temporaryDirectory(): {
  readonly path: string;
  readonly remove: () => void;
} {
  const path = mkdtempSync(join(tmpdir(), "hardhat-sequencer-"));
  return {
    path,
    remove: () => {
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Methods of tables that change something. */
const WRITES =
  /^(save|saveStep|saveContent|erase|add|setGenesis|backfill|revertTo|prune|created|spent|markForeign|unmarkForeign)$/;

/** The same table, for tests: every change that is not part of a write is a write of its own. */
export function writingAtOnce<Tables extends object>(
  database: Database,
  tables: Tables,
): Tables {
  return new Proxy(tables, {
    get: (target, name): unknown => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value === "function" && WRITES.test(String(name)))
        return (...values: unknown[]): unknown => {
          const call = (): unknown =>
            Reflect.apply(value as () => unknown, target, values);
          return database.isWriting ? call() : database.write(call);
        };
      return typeof value === "function"
        ? (value.bind(target) as unknown)
        : value;
    },
  });
}

/**
 * Runs the same tests against a store in a file and a store in memory, each test with a new one. After each test, the log of the store
 * rebuilds it.
 */
export function withEachStore(tests: (store: () => Store) => void): void {
  for (const kind of ["file", "memory"] as const)
    describe(kind === "file" ? "in a file" : "in memory", () => {
      let store: Store | undefined;
      let directory: ReturnType<typeof temporaryDirectory> | undefined;
      beforeEach(() => {
        directory = temporaryDirectory();
        store = openStore(
          {
            file:
              kind === "file" ? join(directory.path, "node.db") : ":memory:",
          },
          { randomBytes, openDisk: new RecordedDisks().openDisk },
        );
      });
      afterEach(() => {
        store?.close();
        directory?.remove();
      });
      tests(() => {
        if (store === undefined) throw new Error("There is no store yet.");
        return withWritingTables(store);
      });
    });
}

/** A store whose tables write at once. */
export function withWritingTables(store: Store): Store {
  const { database } = store;
  return {
    ...store,
    records: writingAtOnce(database, store.records),
    bundles: writingAtOnce(database, store.bundles),
    blocks: writingAtOnce(database, store.blocks),
    states: writingAtOnce(database, store.states),
    infos: writingAtOnce(database, store.infos),
    groups: writingAtOnce(database, store.groups),
    missingGroups: writingAtOnce(database, store.missingGroups),
    peers: writingAtOnce(database, store.peers),
  };
}

function made<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("A test made nonsense.");
  return value;
}

/** 32 bytes that stand for a number. */
export const word = (n: number): Bytes32 =>
  parseBytes32(`0x${n.toString(16).padStart(64, "0")}`);
export const intentId = (n: number): IntentId => made(parseIntentId(word(n)));
export const stateId = (n: number): StateId => made(parseStateId(word(n)));
export const ledgerId = (n: number): LedgerId => parseLedgerId(word(n));
export const nodeName = (name: string): NodeName => made(parseNodeName(name));
export const groupAt = (n: number): GroupAddress =>
  made(parseGroupAddress(`0x${n.toString(16).padStart(40, "0")}`));

/** A group whose past is indexed, unless told otherwise. */
export function aStoredGroup(
  n: number,
  changes: Partial<StoredGroup> = {},
): StoredGroup {
  return {
    id: word(n),
    address: groupAt(n),
    name: `group ${n}`,
    domain: "coins",
    members: [nodeName("bob"), nodeName("carol"), nodeName("alice")],
    committee: [
      { name: nodeName("bob"), endorser: parseAddress(groupAt(21)) },
      { name: nodeName("alice"), endorser: parseAddress(groupAt(22)) },
    ],
    threshold: 2,
    since: 12,
    earlier: [],
    mode: "elected",
    policy: "sticky",
    configuration: { issuer: "alice", ["__proto__"]: "harmless" },
    epoch: parseUint64(2n ** 60n),
    createdBlock: 12,
    historyThrough: undefined,
    genesis: {
      factory: parseAddress(groupAt(31)),
      creator: parseAddress(groupAt(32)),
      salt: word(33),
      externalCalls: false,
      transactionHash: undefined,
    },
    ...changes,
  };
}

/** An open intent, unless told otherwise. */
export function anIntentRecord(
  n: number,
  changes: Partial<IntentRecord> = {},
): IntentRecord {
  return {
    kind: "intent",
    intent: {
      id: intentId(n),
      laneSalt: "",
      payload: `payload ${n}`,
      dependsOn: [],
      touches: undefined,
      isPrepareOnly: false,
    },
    sequence: n,
    retries: 0,
    parked: undefined,
    permission: undefined,
    permitted: [],
    liveUntil: 0,
    fulfilment: undefined,
    isDispatched: false,
    reason: undefined,
    isDoomed: false,
    prepared: undefined,
    receipt: undefined,
    ...changes,
  };
}

/** An intent that was confirmed in a block. */
export const aConfirmedRecord = (n: number, block: number): IntentRecord =>
  anIntentRecord(n, {
    receipt: { type: "Confirmed", id: intentId(n), block },
  });

/** An intent that will never be fulfilled. */
export const aRevertedRecord = (n: number): IntentRecord =>
  anIntentRecord(n, {
    receipt: { type: "Reverted", id: intentId(n), reason: "no funds" },
  });
