import { randomUUID } from "node:crypto";

import type { ChainClient } from "../ports.ts";
import type { NodeService } from "../service.ts";
import { AbiLibrary } from "../users/abi-library.ts";
import { BaseLedger } from "../users/base-ledger.ts";
import { BaseTransactions } from "../users/base-transactions.ts";
import type { UserBook } from "../users/book.ts";
import { Calls } from "../users/calls.ts";
import { GroupCalls } from "../users/group-calls.ts";
import { Groups } from "../users/groups.ts";
import { Listeners } from "../users/listeners.ts";
import { Preparations } from "../users/preparations.ts";
import { Records } from "../users/records.ts";
import { Submissions } from "../users/submissions.ts";
import { Verifiers } from "../users/verifiers.ts";

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
  /** Takes up what was under way, and listens to the node. */
  readonly start: () => void;
  readonly stop: () => void;
}

/** Puts together what a node does for its users. Nothing runs yet. */
export function createApi(ports: {
  readonly service: NodeService;
  readonly book: UserBook;
  readonly chain?: ChainClient | undefined;
  readonly report: (error: unknown) => void;
}): Api {
  const { service, book, report } = ports;
  const newId = (): string => randomUUID();
  const abis = new AbiLibrary({ book });
  const records = new Records({ book, service });
  const base = new BaseTransactions({ service, abis, chain: ports.chain });
  const submissions = new Submissions({ service, book, abis, base, newId });
  const calls = new Calls({ service, abis, base });
  const listeners = new Listeners({
    book,
    records,
    onSettled: (listener) => service.onSettled(listener),
    report,
  });
  const groups = new Groups({
    service,
    book,
    abis,
    submissions,
    newId,
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
