import type { NodeFact } from "../node/ports.ts";
import { publicText } from "./public-text.ts";

export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

/** What is told besides the event. */
export type LogFields = Readonly<
  Record<string, string | number | boolean | undefined>
>;

/** One line of a log. */
export interface LogLine {
  readonly level: LogLevel;
  readonly event: string;
  readonly fields: LogFields;
}

/** What a log says of a fact. What happens with every intent or block is for those who look for something. */
export function logLineOf(fact: NodeFact): LogLine {
  switch (fact.type) {
    case "Started":
      return line("info", "started", { height: fact.height });
    case "SignaturesSlow":
      return line("warn", "signatures-slow", {
        reason: publicText(fact.reason),
      });
    case "BlockSeen":
      return line("debug", "block-seen", { height: fact.height });
    case "BlocksReverted":
      return line("warn", "blocks-reverted", { height: fact.height });
    case "ChainTrouble":
      return trouble("chain-trouble", fact.reason);
    case "PayerTrouble":
      return trouble("payer-trouble", fact.reason, { payer: fact.payer });
    case "EndorserTrouble":
      return trouble("endorser-trouble", fact.reason);
    case "DomainFailed": {
      const { domain, method, error, reason, stack } = fact;
      return line("error", "domain-failed", {
        domain,
        method,
        error: publicText(error),
        reason: publicText(reason),
        stack: stack.join("\n"),
      });
    }
    case "GroupJoined":
      return line("info", "group-joined", { group: fact.group });
    case "GroupRefused": {
      const { group, reason } = fact;
      return line("warn", "group-refused", {
        group,
        reason: publicText(reason),
      });
    }
    case "GroupMissing": {
      const { group, reason } = fact;
      return line("warn", "group-missing", {
        group,
        reason: publicText(reason),
      });
    }
    case "CommitteeChanged": {
      const { group, epoch, members, threshold, isMember, trouble } = fact;
      const level = isMember && trouble === undefined ? "info" : "warn";
      return line(level, "committee-changed", {
        group,
        epoch: Number(epoch),
        members,
        threshold,
        isMember,
        reason: trouble && publicText(trouble),
      });
    }
    case "Accepted":
      return line("debug", "intent-accepted", { intent: fact.id });
    case "IntentDispatched":
      return line("debug", "intent-dispatched", {
        group: fact.group,
        intent: fact.id,
      });
    case "Dispatched": {
      const { group, digest: bundle, intents } = fact;
      return line("info", "bundle-dispatched", { group, bundle, intents });
    }
    case "SubmissionFailed": {
      const { group, failure, reason } = fact;
      return line("warn", "submission-failed", {
        group,
        failure,
        reason: publicText(reason),
      });
    }
    case "Settled": {
      const { group, intentId: intent, outcome } = fact.settlement;
      // Why a domain reverts is between it and its user.
      return outcome.type === "Confirmed"
        ? line("debug", "intent-confirmed", {
            group,
            intent,
            block: outcome.block,
            transaction: outcome.transactionHash,
          })
        : line("info", "intent-reverted", { group, intent });
    }
    case "Prepared":
      return line("debug", "intent-prepared", {
        group: fact.group,
        intent: fact.id,
      });
    case "CoordinatorChanged": {
      const { group, from, to, takeover } = fact;
      const level = takeover === "failover" ? "warn" : "info";
      return line(level, "coordinator-changed", { group, from, to, takeover });
    }
  }
}

function line(level: LogLevel, event: string, fields: LogFields): LogLine {
  return { level, event, fields };
}

/** No reason: it is over. */
function trouble(
  event: string,
  reason: string | undefined,
  fields: LogFields = {},
): LogLine {
  return reason === undefined
    ? line("info", `${event}-over`, fields)
    : line("warn", event, { ...fields, reason: publicText(reason) });
}
