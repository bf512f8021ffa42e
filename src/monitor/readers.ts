import type { GroupStatus } from "../node/service.ts";
import type { MetricName, NameOf } from "./definitions.ts";
import type { Role } from "../replica/options.ts";
import { monitorLimits } from "./limits.ts";
import type { Metrics } from "./metrics.ts";
import type { MonitorPorts } from "./ports.ts";

/** Metrics that are read together when somebody asks: all of them, or none if that fails. */
export interface Reader {
  readonly part: string;
  readonly names: readonly MetricName[];
  /** Asks the node, which a passive replica does not have. */
  readonly isOfNode?: true;
  readonly read: (metrics: Metrics, ports: MonitorPorts) => void;
}

const status: Reader = {
  part: "status",
  isOfNode: true,
  names: [
    "sequencer_info",
    "sequencer_boots",
    "sequencer_groups",
    "sequencer_own_intents",
    "sequencer_blocked_intents",
    "sequencer_coordinator_groups",
    "sequencer_coordinated_transactions",
    "sequencer_coordinator_heartbeat_age_seconds",
    "sequencer_groups_without_coordinator",
    "sequencer_open_public_transactions",
    "sequencer_missing_states",
    "sequencer_messages_dropped_total",
    "sequencer_block_height",
  ],
  read: (metrics, ports) => {
    const {
      name,
      boot,
      groups,
      groupsAside,
      height,
      openTransactions,
      dropped,
    } = ports.status();
    const busy = groups.filter(hasWork);
    metrics.set("sequencer_info", 1, name);
    metrics.set("sequencer_boots", boot);
    metrics.set("sequencer_block_height", height);
    metrics.set("sequencer_open_public_transactions", openTransactions);
    metrics.setCounts(
      "sequencer_messages_dropped_total",
      Object.entries(dropped),
    );
    metrics.set("sequencer_groups", groups.length + groupsAside);
    metrics.setAll(
      "sequencer_own_intents",
      groups.flatMap(({ own }) => Object.entries(own)),
    );
    metrics.setAll(
      "sequencer_coordinated_transactions",
      groups.flatMap(({ coordinated }) => Object.entries(coordinated)),
    );
    metrics.setAll("sequencer_coordinator_groups", [
      ...groups.map(({ coordinator }) => [coordinator, 1] as const),
      ["Idle", groupsAside],
    ]);
    metrics.set(
      "sequencer_blocked_intents",
      sum(groups.map(({ blocked }) => blocked.length)),
    );
    metrics.set(
      "sequencer_missing_states",
      sum(groups.map(({ missingStates }) => missingStates)),
    );
    metrics.set(
      "sequencer_coordinator_heartbeat_age_seconds",
      Math.max(0, ...busy.map(({ heartbeatAgeMs }) => heartbeatAgeMs ?? 0)) /
        1_000,
    );
    metrics.set(
      "sequencer_groups_without_coordinator",
      busy.filter(({ active }) => active === undefined).length,
    );
  },
};

const load: Reader = {
  part: "load",
  isOfNode: true,
  names: [
    "sequencer_outbox_messages",
    "sequencer_jobs_waiting",
    "sequencer_chain_head_height",
    "sequencer_blocks_behind",
  ],
  read: (metrics, ports) => {
    if (ports.load === undefined) return;
    const { head, behindBlocks, jobs, outbox } = ports.load();
    metrics.setAll("sequencer_outbox_messages", Object.entries(outbox));
    metrics.set("sequencer_jobs_waiting", jobs);
    if (head !== undefined) metrics.set("sequencer_chain_head_height", head);
    if (behindBlocks !== undefined)
      metrics.set("sequencer_blocks_behind", behindBlocks);
  },
};

const peers: Reader = {
  part: "peers",
  names: [
    "sequencer_peer_connected",
    "sequencer_peer_queued_messages",
    "sequencer_peer_lost_messages_total",
  ],
  read: (metrics, ports) => {
    const known = ports.peers?.().slice(0, monitorLimits.peers) ?? [];
    for (const { name, isConnected, queued } of known) {
      metrics.set("sequencer_peer_connected", isConnected ? 1 : 0, name);
      metrics.set("sequencer_peer_queued_messages", queued, name);
    }
    metrics.setCounts(
      "sequencer_peer_lost_messages_total",
      known.map(({ name, lost }) => [name, lost] as const),
    );
  },
};

const roles = [
  "passive",
  "activating",
  "active",
  "stopped",
] as const satisfies readonly Role[];

const replica: Reader = {
  part: "replica",
  names: [
    "sequencer_replica_role",
    "sequencer_replica_epoch",
    "sequencer_replica_lease_age_seconds",
    "sequencer_replica_lag_turns",
    "sequencer_replica_lag_seconds",
  ],
  read: (metrics, ports) => {
    const sample = ports.replica?.();
    if (sample === undefined) return;
    const { role, epoch, leaseAgeMs, lagTurns, lagMs } = sample;
    for (const one of roles)
      metrics.set("sequencer_replica_role", one === role ? 1 : 0, one);
    const tell = (name: NameOf<"gauge">, value: number | undefined): void => {
      if (value !== undefined) metrics.set(name, value);
    };
    tell("sequencer_replica_epoch", epoch);
    tell("sequencer_replica_lag_turns", lagTurns);
    tell("sequencer_replica_lease_age_seconds", secondsOf(leaseAgeMs));
    tell("sequencer_replica_lag_seconds", secondsOf(lagMs));
  },
};

const database: Reader = {
  part: "database",
  names: ["sequencer_database_bytes"],
  read: (metrics, ports) => {
    const bytes = ports.databaseBytes?.();
    if (bytes !== undefined) metrics.set("sequencer_database_bytes", bytes);
  },
};

const chain: Reader = {
  part: "chain",
  names: [
    "sequencer_chain_requests_total",
    "sequencer_chain_rate_limited_total",
  ],
  read: (metrics, ports) => {
    const requests = ports.chainRequests?.();
    if (requests === undefined) return;
    metrics.setCounts("sequencer_chain_requests_total", [...requests.sent]);
    metrics.setCount(
      "sequencer_chain_rate_limited_total",
      requests.rateLimited,
    );
  },
};

const log: Reader = {
  part: "log",
  names: ["sequencer_log_lines_lost_total"],
  read: (metrics, ports) => {
    const lost = ports.logLinesLost?.();
    if (lost !== undefined)
      metrics.setCount("sequencer_log_lines_lost_total", lost);
  },
};

export const readers: readonly Reader[] = [
  status,
  load,
  peers,
  replica,
  database,
  chain,
  log,
];

/** Users of this node wait for something in this group. */
function hasWork({ own }: GroupStatus): boolean {
  return Object.values(own).some((count) => count > 0);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function secondsOf(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1_000;
}
