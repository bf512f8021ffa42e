import type { GroupStatus, NodeStatus } from "../../src/node/service.ts";
import type { RunFact, RunSummary } from "../../src/view/facts.ts";
import {
  parseGroupAddress,
  parseNodeName,
  type GroupAddress,
  type NodeName,
} from "../../src/protocol/ids.ts";

export const group = `0x${"ab".repeat(20)}`;

export function aNode(text: string): NodeName {
  const name = parseNodeName(text);
  if (name === undefined) throw new Error(`${text} is no name`);
  return name;
}

function anAddress(): GroupAddress {
  const address = parseGroupAddress(group);
  if (address === undefined) throw new Error("no address");
  return address;
}

export function aGroupStatus(changes: Partial<GroupStatus> = {}): GroupStatus {
  return {
    address: anAddress(),
    name: "main",
    domain: "group-token",
    isMember: true,
    epoch: "0",
    endorsers: ["bob", "alice", "carol"].map(aNode),
    threshold: 2,
    trouble: undefined,
    sender: "Idle",
    coordinator: "Idle",
    active: undefined,
    heartbeatAgeMs: undefined,
    ranking: ["bob", "alice", "carol"].map(aNode),
    range: 2,
    rangeStart: 100,
    rangeEnd: 149,
    own: {},
    coordinated: {},
    blocked: [],
    missingStates: 0,
    ...changes,
  };
}

export function aStatus(
  name: string,
  changes: Partial<GroupStatus> = {},
): NodeStatus {
  return {
    name: aNode(name),
    height: 124,
    boot: 1,
    groups: [aGroupStatus(changes)],
    groupsAside: 0,
    rejoining: [],
    openTransactions: 0,
    dropped: {},
  };
}

export function aSummary(changes: Partial<RunSummary> = {}): RunSummary {
  return {
    type: "summary",
    reason: "done",
    workload: 200,
    intents: { confirmed: 200, reverted: 0, open: 0 },
    ledger: {
      transactions: 18,
      reverted: 0,
      gasUsed: "6000000",
      gasPerIntent: 30_000,
    },
    bundles: 18,
    rotations: 1,
    elapsedMs: 2_000,
    intentsPerSecond: 100,
    ...changes,
  };
}

/** What a run tells until everything is up. */
export const opening: readonly RunFact[] = [
  {
    type: "network",
    network: "default",
    chainId: 31_337,
    factory: `0x${"cd".repeat(20)}`,
    isTemporary: true,
    dataDir: null,
  },
  {
    type: "group",
    group,
    id: `0x${"01".repeat(32)}`,
    name: "main",
    domain: "group-token",
    members: ["alice", "bob", "carol"],
    threshold: 2,
    policy: "rotating",
    isNew: true,
  },
  {
    type: "node",
    node: "alice",
    account: `0x${"ef".repeat(20)}`,
    url: "http://127.0.0.1:8550",
    webSocketUrl: "ws://127.0.0.1:8551",
  },
  { type: "ready" },
];
