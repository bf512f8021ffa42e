import { parseAddress } from "../../../src/ledger/index.ts";
import {
  type Digest,
  type IntentId,
  parseDigest,
  parseGroupAddress,
  parseIntentId,
  parseNodeName,
} from "../../../src/protocol/ids.ts";
import { Monitor, type MonitorOptions } from "../../../src/monitor/monitor.ts";
import type { MonitorPorts } from "../../../src/monitor/ports.ts";
import type { NodeLoad } from "../../../src/node/load.ts";
import type { NodeFact } from "../../../src/node/ports.ts";
import type { GroupStatus, NodeStatus } from "../../../src/node/service.ts";
import { parseExposition, type Scrape } from "./exposition.ts";

export const alice = must(parseNodeName("alice"));
export const bob = must(parseNodeName("bob"));
export const group = must(parseGroupAddress(`0x${"ab".repeat(20)}`));
export const payer = parseAddress(`0x${"cd".repeat(20)}`);

/** The intent with this number. */
export function intentAt(number: number): IntentId {
  return must(parseIntentId(hexOf(number)));
}

export function digestAt(number: number): Digest {
  return must(parseDigest(hexOf(number)));
}

/** A group in which nothing happens, except for what is told. */
export function aGroup(changes: Partial<GroupStatus> = {}): GroupStatus {
  return {
    address: group,
    name: "a name that nobody may see",
    domain: "group-token",
    isMember: true,
    epoch: "0",
    endorsers: [alice, bob],
    threshold: 2,
    trouble: undefined,
    sender: "Idle",
    coordinator: "Idle",
    active: undefined,
    heartbeatAgeMs: undefined,
    ranking: [alice, bob],
    range: 0,
    rangeStart: 0,
    rangeEnd: 49,
    own: {},
    coordinated: {},
    blocked: [],
    missingStates: 0,
    ...changes,
  };
}

export function aStatus(changes: Partial<NodeStatus> = {}): NodeStatus {
  return {
    name: alice,
    height: 7,
    boot: 3,
    groups: [],
    groupsAside: 0,
    rejoining: [],
    openTransactions: 0,
    dropped: {},
    ...changes,
  };
}

export function aLoad(changes: Partial<NodeLoad> = {}): NodeLoad {
  return {
    head: 7,
    behindBlocks: 0,
    jobs: 0,
    outbox: { delegation: 0, assembly: 0, bundle: 0, dispatch: 0, handover: 0 },
    ...changes,
  };
}

export function settled(
  intentId: IntentId,
  type: "Confirmed" | "Reverted" = "Confirmed",
  reason = "no",
): Extract<NodeFact, { readonly type: "Settled" }> {
  const outcome =
    type === "Reverted"
      ? { type, reason }
      : {
          type,
          block: 8,
          transactionHash: hexOf(1),
          transactionIndex: 0,
          logIndex: 0,
        };
  return { type: "Settled", settlement: { group, intentId, outcome } };
}

/** A monitor with a node that the test makes up, and a clock that it moves. */
export class MonitorRig {
  status: () => NodeStatus = () => aStatus();
  load: () => NodeLoad = () => aLoad();
  isStoreOpen = true;
  nowMs = 1_000;
  readonly monitor: Monitor;

  constructor(options: MonitorOptions = {}, ports: Partial<MonitorPorts> = {}) {
    this.monitor = new Monitor(
      { reuseMs: 0, ...options },
      {
        status: () => this.status(),
        load: () => this.load(),
        isStoreOpen: () => this.isStoreOpen,
        now: () => this.nowMs,
        ...ports,
      },
    );
  }

  see(...facts: readonly NodeFact[]): void {
    for (const fact of facts) this.monitor.see(fact);
  }

  async scrape(): Promise<Scrape> {
    return parseExposition(await this.monitor.text());
  }
}

function hexOf(number: number): string {
  return `0x${number.toString(16).padStart(64, "0")}`;
}

function must<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("This is no value.");
  return value;
}
