import type { SupervisorFact } from "../../src/supervisor/facts.ts";
import { digits, printable, seconds } from "../../src/view/text.ts";
import type { SuperviseFact } from "./facts.ts";

/** What a supervisor tells, for lines. */
export function factOf(fact: SupervisorFact): SuperviseFact {
  switch (fact.type) {
    case "Duty":
      return { type: "duty", isOn: fact.isOn };
    case "Waiting":
      return { type: "waiting", reason: fact.reason };
    case "Probe": {
      const { replica, problem = null } = fact;
      return { type: "probe", replica, problem };
    }
    case "Found":
      return { ...fact, type: "found" };
    case "Revoked": {
      const { master = null, reason, isPolite, head } = fact;
      const elapsedMs = Math.round(fact.ms);
      const { sequence: turn, hash } = head;
      return {
        type: "revoked",
        master,
        reason,
        turn,
        hash,
        isPolite,
        elapsedMs,
      };
    }
    case "Granted": {
      const { replica, reason, problem = null } = fact;
      const elapsedMs = Math.round(fact.ms);
      return { type: "granted", replica, reason, problem, elapsedMs };
    }
    case "Refused":
      return { ...fact, type: "refused" };
    case "Trouble": {
      const { error } = fact;
      const reason = error instanceof Error ? error.message : null;
      return { type: "database-trouble", reason };
    }
  }
}

/** What a supervisor waits for, for people. */
const waits = {
  "master-works": "The active replica works",
  "lease-is-free": "No replica is active; one takes the lease after the grace",
  "elections-are-stopped": "Elections are stopped",
  "nobody-may-begin":
    "WARNING: the log is stopped, and elections are, so no replica becomes active",
  "tenure-is-short":
    "The active replica is unhealthy, and has been active for too short a time",
  "nobody-else-is-healthy":
    "WARNING: the active replica is unhealthy, and so are all others",
  "last-master-may-answer":
    "The log is stopped; the last active replica may still answer for a moment",
  "candidates-catch-up": "The log is stopped; replicas catch up",
  "nobody-qualifies":
    "WARNING: the log is stopped, and no healthy replica has its last turn",
} as const satisfies Record<
  (SuperviseFact & { readonly type: "waiting" })["reason"],
  string
>;

/** A line for people. */
export function superviseLine(fact: SuperviseFact): string {
  return printable(lineOf(fact));
}

function lineOf(fact: SuperviseFact): string {
  switch (fact.type) {
    case "ready": {
      const { supervisor, node, url, readsUrl } = fact;
      const reads =
        readsUrl === null ? "" : `, forwards reads of users at ${readsUrl}`;
      return `${supervisor} supervises ${node}: operators at ${url}${reads}. Ctrl-C stops.`;
    }
    case "duty":
      return fact.isOn
        ? "This supervisor is on duty"
        : "This supervisor is not on duty";
    case "waiting":
      return waits[fact.reason];
    case "probe":
      return `${fact.replica}: ${fact.problem ?? "nothing is wrong any more"}`;
    case "found":
      return `${fact.master} is active in epoch ${digits(fact.epoch)}`;
    case "revoked": {
      const { master, reason, turn, isPolite, elapsedMs } = fact;
      const way = isPolite ? "politely" : "by the fence";
      return `The log is stopped at turn ${digits(turn)} (${reason}); ${master ?? "nobody"} was active and was stopped ${way}, in ${seconds(elapsedMs)}`;
    }
    case "granted": {
      const { replica, reason, problem, elapsedMs } = fact;
      return problem === null
        ? `${replica} has the lease (${reason}), after ${seconds(elapsedMs)}`
        : `${replica} was granted the lease (${reason}), and did not take it: ${problem}`;
    }
    case "refused":
      return `${fact.replica} does not become active: ${fact.problem}`;
    case "database-trouble":
      return fact.reason === null
        ? "The database answers again"
        : `WARNING: the database does not answer: ${fact.reason}`;
    case "stopping":
      return "Stopping";
  }
}
