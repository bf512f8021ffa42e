import { Writable } from "node:stream";

import type { NodeFact } from "../../../src/node/ports.ts";
import type { SocketFact } from "../../../src/network/socket/facts.ts";
import type { ReplicaFact } from "../../../src/replica/options.ts";
import { jsonReporter } from "../../../tasks/node/reporter.ts";
import {
  bob as peer,
  digestAt,
  group,
  intentAt,
  payer,
  settled,
} from "../../helpers/monitor/fixture.ts";

/** Facts of every type. The compiler refuses to leave one out. */
type FactsOf<Fact extends { readonly type: string }> = {
  readonly [Type in Fact["type"]]: readonly Extract<
    Fact,
    { readonly type: Type }
  >[];
};

const reason = "a reason";
const intent = intentAt(1);

const nodeFacts: FactsOf<NodeFact> = {
  Started: [{ type: "Started", height: 1 }],
  BlockSeen: [{ type: "BlockSeen", height: 1 }],
  BlocksReverted: [{ type: "BlocksReverted", height: 1 }],
  ChainTrouble: [
    { type: "ChainTrouble", reason },
    { type: "ChainTrouble", reason: undefined },
  ],
  PayerTrouble: [
    { type: "PayerTrouble", payer, reason },
    { type: "PayerTrouble", payer, reason: undefined },
  ],
  EndorserTrouble: [
    { type: "EndorserTrouble", reason },
    { type: "EndorserTrouble", reason: undefined },
  ],
  SignaturesSlow: [{ type: "SignaturesSlow", reason }],
  DomainFailed: [
    {
      type: "DomainFailed",
      domain: "own",
      method: "assemble",
      error: "TypeError",
      reason,
      stack: ["at assemble"],
    },
  ],
  GroupJoined: [{ type: "GroupJoined", group }],
  GroupRefused: [{ type: "GroupRefused", group, reason }],
  GroupMissing: [{ type: "GroupMissing", group, reason }],
  CommitteeChanged: [
    {
      type: "CommitteeChanged",
      group,
      epoch: 1n,
      members: 3,
      threshold: 2,
      isMember: true,
      trouble: reason,
    },
  ],
  Accepted: [{ type: "Accepted", id: "1" }],
  IntentDispatched: [{ type: "IntentDispatched", group, id: intent }],
  Dispatched: [{ type: "Dispatched", group, digest: digestAt(1), intents: 1 }],
  SubmissionFailed: [
    { type: "SubmissionFailed", group, failure: "reverted", reason },
  ],
  Settled: [settled(intent, "Confirmed"), settled(intent, "Reverted", reason)],
  Prepared: [{ type: "Prepared", group, id: intent }],
  CoordinatorChanged: [
    {
      type: "CoordinatorChanged",
      group,
      from: "Elect",
      to: "Active",
      takeover: "handover",
    },
  ],
};

const error = new Error(reason);
const replicaFacts: FactsOf<ReplicaFact> = {
  Trouble: [
    { type: "Trouble", error },
    { type: "Trouble", error: undefined },
  ],
  Rebuilt: [{ type: "Rebuilt", reason, snapshot: 1 }],
  SnapshotMade: [{ type: "SnapshotMade", sequence: 1 }],
  SnapshotFailed: [{ type: "SnapshotFailed", error }],
  SnapshotRefused: [{ type: "SnapshotRefused", sequence: 1, error }],
  Outdated: [{ type: "Outdated", error }],
};

/** The names of the fields of every line that a node's log can have, by its event: all facts are given to a real log. */
export function nodeLogEvents(): Readonly<Record<string, readonly string[]>> {
  const socketFacts: FactsOf<SocketFact> = {
    connected: [{ type: "connected", peer, way: "out", address: "bob:1" }],
    lost: [{ type: "lost", peer, way: "in", reason: "closed" }],
    "not-connected": [
      { type: "not-connected", peer, reason: "timeout", address: "bob:1" },
    ],
    refused: [{ type: "refused", reason: "unknown-key" }],
  };
  const events: Record<string, readonly string[]> = {};
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      const { time, level, node, event, ...fields } = JSON.parse(
        chunk.toString(),
      ) as { readonly [name: string]: unknown; readonly event: string };
      if ([time, level, node].includes(undefined))
        throw new Error(`${event} lacks a field.`);
      events[event] = Object.keys(fields);
      done();
    },
  });
  const reporter = jsonReporter({ node: "alice", level: "debug" }, { stream });
  for (const fact of Object.values(nodeFacts).flat()) reporter.see(fact);
  for (const fact of Object.values(socketFacts).flat()) reporter.seePeer(fact);
  reporter.seeRole("passive", {
    cause: "promotion",
    epoch: 1,
    head: { sequence: 1, hash: "" },
    heir: "r2",
    error: new Error(reason),
  });
  for (const fact of Object.values(replicaFacts).flat())
    reporter.seeReplica(fact);
  reporter.ready({
    network: "sepolia",
    chainId: 1,
    factory: group,
    directory: "nodes/alice",
    account: payer,
    payer,
    address: { host: "127.0.0.1", port: 1 },
    url: "http://127.0.0.1:2",
    webSocketUrl: "ws://127.0.0.1:3",
    statusUrl: "http://127.0.0.1:4",
    operatorUrl: "http://127.0.0.1:5",
  });
  reporter.report(Object.assign(new Error(reason), { code: "ENOENT" }));
  // Nobody reads until a line is lost.
  stream.cork();
  while (reporter.linesLost() === 0) reporter.stopping();
  stream.uncork();
  reporter.stopping();
  return events;
}
