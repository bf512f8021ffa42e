import { randomUUID } from "node:crypto";

import { machineTimers, type Timers } from "../../async/timers.ts";
import type { ChainClient } from "../../chain/ports.ts";
import type { NodeService } from "../../node/service.ts";
import { AbiLibrary } from "../abi-library.ts";
import { BaseLedger } from "../base-ledger.ts";
import { BaseTransactions } from "../base-transactions.ts";
import type { UserBook } from "../book.ts";
import { Calls } from "../calls.ts";
import { GroupCalls } from "../group-calls.ts";
import { Groups } from "../groups.ts";
import { Listeners } from "../listeners.ts";
import { Preparations } from "../preparations.ts";
import { Records } from "../records.ts";
import { Submissions } from "../submissions.ts";
import { Verifiers } from "../verifiers.ts";

/** What methods are made of. */
export interface Api {
  readonly service: NodeService;
  readonly abis: AbiLibrary;
  readonly submissions: Submissions;
  readonly calls: Calls;
  readonly records: Records;
  readonly preparations: Preparations;
  readonly listeners: Listeners;
  readonly groups: Groups;
  readonly groupCalls: GroupCalls;
  readonly baseLedger: BaseLedger;
  readonly verifiers: Verifiers;
  /** Resolves when all that can be read now is durable. */
  readonly settled: () => Promise<void>;
  /** Takes up what was under way, and listens to the node. */
  readonly start: () => void;
  readonly stop: () => void;
}

/** Puts together what a node does for its users. Nothing runs yet. */
export function createApi(ports: {
  readonly service: NodeService;
  readonly book: UserBook;
  readonly chain?: ChainClient | undefined;
  /** Without them, those of this machine. */
  readonly timers?: Timers | undefined;
  /** A new UUID. Without it, one that is drawn at random. */
  readonly newId?: (() => string) | undefined;
  readonly report: (error: unknown) => void;
}): Api {
  const { service, book, report } = ports;
  const { timers = machineTimers, newId = (): string => randomUUID() } = ports;
  const abis = new AbiLibrary({ book });
  const records = new Records({ book, service });
  const base = new BaseTransactions({ service, abis, chain: ports.chain });
  const submissions = new Submissions({ service, book, abis, base, newId });
  const calls = new Calls({ service, abis, base });
  const listeners = new Listeners({
    book,
    records,
    timers,
    onSettled: (listener) => service.onSettled(listener),
    report,
  });
  const groups = new Groups({
    service,
    book,
    abis,
    submissions,
    newId,
    timers,
    report,
    onChange: () => {
      listeners.pump();
    },
  });
  return {
    service,
    abis,
    submissions,
    calls,
    records,
    preparations: new Preparations({ book, service, abis }),
    listeners,
    groups,
    groupCalls: new GroupCalls({ service, groups, submissions, calls }),
    baseLedger: new BaseLedger({
      chain: ports.chain,
      height: () => service.height(),
    }),
    verifiers: new Verifiers({ service }),
    settled: async () => {
      await book.database.settled();
    },
    start: () => {
      listeners.start();
      groups.start();
    },
    stop: () => {
      groups.stop();
      listeners.stop();
    },
  };
}
