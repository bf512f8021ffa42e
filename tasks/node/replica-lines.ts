import type { LogLevel } from "../../src/monitor/log-lines.ts";
import type {
  ReplicaFact,
  Role,
  RoleDetails,
} from "../../src/replica/options.ts";

/** What is written down of a change of the role. */
export function roleLineOf(
  role: Role,
  { cause, takeover, epoch, head, heir, error }: RoleDetails,
): {
  readonly level: LogLevel;
  readonly fields: {
    readonly role: Role;
    readonly cause: RoleDetails["cause"];
    readonly takeover?: RoleDetails["takeover"];
    readonly epoch?: number;
    readonly turn?: number;
    readonly heir?: string;
    readonly reason?: string;
  };
} {
  return {
    level: error === undefined ? "info" : "warn",
    fields: {
      role,
      cause,
      ...(takeover !== undefined && { takeover }),
      ...(epoch !== undefined && { epoch }),
      ...(head !== undefined && { turn: head.sequence }),
      ...(heir !== undefined && { heir }),
      ...(error !== undefined && { reason: reasonOf(error) }),
    },
  };
}

/** What is written down of something that a replica met. */
export function replicaLineOf(fact: ReplicaFact): {
  readonly level: LogLevel;
  readonly event: string;
  readonly fields: Readonly<Record<string, string | number>>;
} {
  switch (fact.type) {
    case "Trouble":
      return fact.error === undefined
        ? { level: "info", event: "database-trouble-over", fields: {} }
        : {
            level: "warn",
            event: "database-trouble",
            fields: { reason: reasonOf(fact.error) },
          };
    case "Rebuilt": {
      const { reason, snapshot } = fact;
      return {
        level: "warn",
        event: "replica-rebuilt",
        fields: { reason, ...(snapshot !== undefined && { turn: snapshot }) },
      };
    }
    case "SnapshotMade":
      return {
        level: "info",
        event: "snapshot-made",
        fields: { turn: fact.sequence },
      };
    case "SnapshotFailed":
      return {
        level: "warn",
        event: "snapshot-failed",
        fields: { reason: reasonOf(fact.error) },
      };
    case "SnapshotRefused":
      return {
        level: "warn",
        event: "snapshot-refused",
        fields: { turn: fact.sequence, reason: reasonOf(fact.error) },
      };
    case "Outdated":
      return {
        level: "warn",
        event: "replica-outdated",
        fields: { reason: reasonOf(fact.error) },
      };
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
