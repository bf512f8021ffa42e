import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import {
  parseBytes32,
  parseStateId as parseLedgerId,
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
import { openStore, type Store } from "../../src/runtime/store/store.ts";

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

/** Runs the same tests against a store in a file and a store in memory, each test with a new one. */
export function withEachStore(tests: (store: () => Store) => void): void {
  for (const kind of ["file", "memory"] as const)
    describe(kind === "file" ? "in a file" : "in memory", () => {
      let store: Store | undefined;
      let directory: ReturnType<typeof temporaryDirectory> | undefined;
      beforeEach(() => {
        directory = temporaryDirectory();
        store = openStore({
          file: kind === "file" ? join(directory.path, "node.db") : ":memory:",
        });
      });
      afterEach(() => {
        store?.close();
        directory?.remove();
      });
      tests(() => {
        if (store === undefined) throw new Error("There is no store yet.");
        return store;
      });
    });
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
