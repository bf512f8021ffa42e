import type { Writable } from "node:stream";

import type { LogLevel } from "../../src/monitor/log-lines.ts";
import { NodeLog } from "../../src/monitor/log.ts";
import type { NodeFact } from "../../src/node/ports.ts";
import {
  type PeerAddress,
  showAddress,
} from "../../src/network/socket/address.ts";
import type { SocketFact } from "../../src/network/socket/facts.ts";
import { runFactOf } from "../../src/view/facts.ts";
import { toLines } from "../../src/view/plain.ts";
import type {
  ReplicaFact,
  Role,
  RoleDetails,
} from "../../src/replica/options.ts";
import { replicaLineOf, roleLineOf } from "./replica-lines.ts";

/** A node that is up, and where it can be reached. */
export interface Reachable {
  readonly network: string;
  readonly chainId: number;
  readonly factory: string;
  readonly directory: string;
  /** The address with which it endorses. */
  readonly account: string;
  /** The address with which it pays. */
  readonly payer: string;
  /** Where it listens to other nodes. */
  readonly address: PeerAddress;
  readonly url: string;
  readonly webSocketUrl: string;
  /** Where its health and its metrics are. */
  readonly statusUrl: string;
  /** Where operators reach it, if it is a replica that they reach. */
  readonly operatorUrl?: string | undefined;
}

/** Writes down what a node does, for who runs it. Nothing private, and never a key. */
export interface NodeReporter {
  readonly see: (fact: NodeFact) => void;
  readonly seePeer: (fact: SocketFact) => void;
  /** Which role a replica has now, and what it met. */
  readonly seeRole: (role: Role, details: RoleDetails) => void;
  readonly seeReplica: (fact: ReplicaFact) => void;
  readonly ready: (where: Reachable) => void;
  readonly stopping: () => void;
  /** An error that users of the node are not told. */
  readonly report: (error: unknown) => void;
  /** Lines that nobody took. */
  readonly linesLost: () => number;
}

/** One JSON object per line, with the time and a level. */
export function jsonReporter(
  options: { readonly node: string; readonly level: LogLevel },
  ports: { readonly stream: Writable },
): NodeReporter {
  const log = new NodeLog(options, ports);
  return {
    see: log.see,
    seePeer: (fact) => {
      const { type, ...fields } = fact;
      // Strangers decide how often they are refused: that is only counted.
      if (type === "refused") log.note("debug", "peer-refused", fields);
      else
        log.note(
          type === "connected" ? "info" : "warn",
          `peer-${type}`,
          fields,
        );
    },
    seeRole: (role, details) => {
      const { level, fields } = roleLineOf(role, details);
      log.note(level, "replica-role", fields);
    },
    seeReplica: (fact) => {
      const { level, event, fields } = replicaLineOf(fact);
      log.note(level, event, fields);
    },
    ready: ({ address, ...where }) => {
      log.note("info", "ready", { ...where, address: showAddress(address) });
    },
    stopping: () => {
      log.note("info", "stopping");
    },
    report: (error) => {
      log.fail("error", error);
    },
    linesLost: () => log.linesLost,
  };
}

/** Lines for people. */
export function plainReporter(
  { node }: { readonly node: string },
  ports: {
    readonly write: (line: string) => void;
    readonly report: (error: unknown) => void;
  },
): NodeReporter {
  const write = (...lines: readonly string[]): void => {
    for (const line of lines) ports.write(line);
  };
  return {
    see: (fact) => {
      const seen = runFactOf(node, fact);
      if (seen !== undefined) write(...toLines(seen));
    },
    seePeer: (fact) => {
      if (fact.type === "connected" && fact.way === "out")
        write(`Connected with ${fact.peer}${placeOf(fact)}`);
      if (fact.type === "lost" && fact.way === "out")
        write(`Lost the connection with ${fact.peer}: ${fact.reason}`);
      if (fact.type === "not-connected")
        write(
          `No connection with ${fact.peer}${placeOf(fact)}: ${fact.reason}`,
        );
    },
    seeRole: (role, details) => {
      const { fields } = roleLineOf(role, details);
      const { cause, reason } = fields;
      write(
        `This replica is ${role} (${cause})${reason === undefined ? "" : `: ${reason}`}`,
      );
    },
    seeReplica: (fact) => {
      const { event, fields } = replicaLineOf(fact);
      const values = Object.values(fields).join(", ");
      write(
        `${event.replaceAll("-", " ")}${values === "" ? "" : `: ${values}`}`,
      );
    },
    ready: ({ address, ...where }) => {
      write(
        `Network "${where.network}", chain ${where.chainId}, factory ${where.factory}`,
        `${node} ${rolesOf(where)}, and keeps everything in ${where.directory}`,
        `  users       ${where.url}  ${where.webSocketUrl}`,
        `  other nodes ${showAddress(address)}`,
        `  watchers    ${where.statusUrl}/health  /ready  /metrics`,
        ...(where.operatorUrl === undefined
          ? []
          : [`  operators   ${where.operatorUrl}`]),
        "Ready. Ctrl-C stops.",
      );
    },
    stopping: () => {
      write("Stopping");
    },
    report: ports.report,
    linesLost: () => 0,
  };
}

/** Which address of a peer, if it has several. */
function placeOf({ address }: { readonly address?: string }): string {
  return address === undefined ? "" : ` at ${address}`;
}

function rolesOf({
  account,
  payer,
}: Pick<Reachable, "account" | "payer">): string {
  return account === payer
    ? `endorses and pays as ${account}`
    : `endorses as ${account}, pays as ${payer}`;
}
