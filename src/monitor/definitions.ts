type MetricType = "counter" | "gauge" | "histogram";

/** A metric, and what to make of it. The reference is made from this. */
export interface Definition<Type extends MetricType = MetricType> {
  readonly type: Type;
  /** Plain sentences; Prometheus shows them too. */
  readonly help: string;
  readonly labels: readonly string[];
  /** What to do when it looks bad. */
  readonly advice: string;
  /** Of a histogram; {@link secondsBuckets} without them. */
  readonly buckets?: readonly number[];
}

/** From a fast chain of a test to a slow one of the world. */
export const secondsBuckets = [
  0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3_600,
];

/** From a database next door to one that is stuck until its lease is over. */
const requestBuckets = [
  0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
];

function counter(
  help: string,
  advice: string,
  ...labels: readonly string[]
): Definition<"counter"> {
  return { type: "counter", help, advice, labels };
}

function gauge(
  help: string,
  advice: string,
  ...labels: readonly string[]
): Definition<"gauge"> {
  return { type: "gauge", help, advice, labels };
}

function histogram(
  help: string,
  advice: string,
  ...labels: readonly string[]
): Definition<"histogram"> {
  return { type: "histogram", help, advice, labels };
}

/**
 * All metrics of a node, by name. None has a label for groups: any peer may create groups, so the number of series would be
 * in the hands of others, and whoever scrapes would learn who works with whom. `sequencer_status` tells about single groups.
 */
export const definitions = {
  sequencer_info: gauge(
    "Always 1. The label says which node this is.",
    "If it is missing, the node does not run or cannot be reached, or this is a passive replica of it.",
    "node",
  ),
  sequencer_healthy: gauge(
    "1 while the node works, 0 after it has failed. The same as /health.",
    "It has stopped. Read the last error in its log, then start it again; what it accepted is on its disk.",
  ),
  sequencer_ready: gauge(
    "1 if the node can serve users now. The same as /ready.",
    "Ask /ready: it lists every reason.",
  ),
  sequencer_boots: gauge(
    "How often this node has started on its disk.",
    "If it grows by itself, something restarts the node; its log says why it ended.",
  ),
  sequencer_trouble: gauge(
    "What is in the node's way: 1 for the chain and for the endorsing key, for payers how many.",
    "chain: check the chain's node and its address. payer: fill the account or check its key. endorser: check the key service.",
    "kind",
  ),

  sequencer_groups: gauge(
    "Groups that this node takes part in.",
    "If it is fewer than you expect, look for groups that were refused.",
  ),
  sequencer_groups_refused_total: counter(
    "Groups that others offered and this node refused.",
    "The log says why. Often a domain is missing here, or an address is not the one in this node's directory.",
  ),
  sequencer_committees_changed_total: counter(
    "Changes of committees that this node followed, also those that a reorganisation took back.",
    "The log says whether this node is still a member, and whether it knows enough of those who endorse.",
  ),
  sequencer_own_intents: gauge(
    "Intents of this node's users that have not ended, by state, over all groups.",
    "Many that are Pending or Delegated: no coordinator serves them. Many that are Parked: users have to resume them.",
    "state",
  ),
  sequencer_blocked_intents: gauge(
    "Own intents that wait for something out of the ordinary. At most 20 of each group are counted.",
    "`sequencer_status` names them, and what they wait for.",
  ),
  sequencer_intents_accepted_total: counter(
    "Intents that this node took from its users.",
    "If it stands still, users do not reach the node.",
  ),
  sequencer_intents_settled_total: counter(
    "Own intents that ended, by outcome. One is counted again if its block was taken back.",
    "Many that are reverted: ask for their receipts, which say why.",
    "outcome",
  ),
  sequencer_intents_prepared_total: counter(
    "Own intents that were prepared for their users.",
    "Nothing: users carry them out themselves.",
  ),
  sequencer_intent_dispatch_seconds: histogram(
    "From the acceptance of an own intent to its first dispatch.",
    "Coordinator or endorsers are slow or away: look at the heartbeat, at takeovers and at peers.",
  ),
  sequencer_intent_confirm_seconds: histogram(
    "From the last dispatch of an own intent to its confirmation.",
    "The chain is slow or fees are too low: look at the coordinator's payer and at the age of the last block.",
  ),
  sequencer_intent_settle_seconds: histogram(
    "From the acceptance of an own intent to its end, by outcome.",
    "The sum of the other two; see which one is long.",
    "outcome",
  ),
  sequencer_intents_untimed_total: counter(
    "Own intents that are not in the histograms, because too many were open to time all.",
    "More intents are open than the monitor remembers. See why they do not end.",
  ),

  sequencer_coordinator_groups: gauge(
    "Groups by the state of this node as their coordinator.",
    "Elect, Prepared or Flush for long: a handover does not end. Look at the peers.",
    "state",
  ),
  sequencer_coordinated_transactions: gauge(
    "Transactions that this node coordinates, by state, over all groups.",
    "Many in Endorsement_Gathering: endorsers do not answer. Many in Submitted: the chain does not take them.",
    "state",
  ),
  sequencer_coordinator_heartbeat_age_seconds: gauge(
    "Age of the last heartbeat of another coordinator, the oldest over groups with own intents.",
    "Above a few heartbeats, that coordinator is silent. Another should take over; if none does, look at the peers.",
  ),
  sequencer_groups_without_coordinator: gauge(
    "Groups with own intents in which nobody is seen coordinating.",
    "For more than some seconds: too few members are up, or this node is cut off.",
  ),
  sequencer_takeovers_total: counter(
    "How often this node became a coordinator: start if nobody was, handover from another, failover if another is silent.",
    "Many failovers: nodes crash, or do not hear each other. Look at the peers and at the event loop's delay.",
    "cause",
  ),
  sequencer_handovers_given_total: counter(
    "How often this node gave the role of coordinator away.",
    "A steady rate is the rotation. More than that: nodes disagree about the height of the chain.",
  ),
  sequencer_bundles_dispatched_total: counter(
    "Bundles that this node sent to the ledger as coordinator. One may be counted again after a restart.",
    "If it stands still while transactions are coordinated, look at their states.",
  ),
  sequencer_intents_dispatched_total: counter(
    "Intents in those bundles.",
    "Few for each bundle: there is little load, or intents of different senders block each other.",
  ),
  sequencer_submissions_failed_total: counter(
    "Bundles that did not happen on the ledger, by failure: reverted, expired or rejected.",
    "reverted: another coordinator was faster, or endorsers know another state. expired: the chain is slow or fees are too low. rejected: the chain's node refuses.",
    "failure",
  ),
  sequencer_open_public_transactions: gauge(
    "Users' transactions of the base ledger that have not ended.",
    "Their payers have no money, or the chain does not take them. `ptx_queryPendingTransactions` lists them.",
  ),

  sequencer_outbox_messages: gauge(
    "What is repeated until somebody acknowledges it, by kind, over all groups.",
    "Growing: the receivers are away. Look at the peers.",
    "kind",
  ),
  sequencer_missing_states: gauge(
    "States on the ledger whose content this node waits for.",
    "No member tells them: too few are up, or this node is cut off. Only what uses them waits, and intents that fail are tried again.",
  ),
  sequencer_messages_dropped_total: counter(
    "Messages from peers that were dropped, by reason, and own ones that are too large to send.",
    "forged or unknown-sender: keys differ, or somebody attacks. too many: this node is overloaded. A few replayed ones are normal.",
    "reason",
  ),
  sequencer_peer_connected: gauge(
    "1 if this node is connected with the peer.",
    "Check whether the peer runs, its address, and the network between.",
    "peer",
  ),
  sequencer_peer_queued_messages: gauge(
    "Messages that wait to be sent to the peer.",
    "The peer is away or slow.",
    "peer",
  ),
  sequencer_peer_lost_messages_total: counter(
    "Messages to the peer that were given up because too many waited. The protocol repeats what matters.",
    "The peer was away for long. It should end when the peer is back.",
    "peer",
  ),
  sequencer_jobs_waiting: gauge(
    "Jobs that wait for their turn in the node's loop.",
    "For long above some hundreds: the disk or the processor is too slow.",
  ),

  sequencer_chain_requests_total: counter(
    "Requests to the chain, by method. For requests per hour: `sum(increase(sequencer_chain_requests_total[1h]))`.",
    "A node without work asks a chain with a block every 12 seconds about 800 times an hour. Set `webSocketUrl` or a longer `pollMs` if that is too often for the endpoint.",
    "method",
  ),
  sequencer_chain_rate_limited_total: counter(
    "Requests that the chain's endpoint refused because there were too many.",
    "The node pauses by itself. If it grows for long, choose a plan with more requests, or let fewer nodes share the endpoint.",
  ),
  sequencer_block_height: gauge(
    "The last block that this node has indexed.",
    "Compare it with the head of the chain.",
  ),
  sequencer_chain_head_height: gauge(
    "The head of the chain, as this node saw it last.",
    "If it stands still, the chain or its node does.",
  ),
  sequencer_blocks_behind: gauge(
    "Blocks that could be indexed and are not.",
    "After a start it falls. Later it should be near 0; otherwise the chain's node is too slow.",
  ),
  sequencer_block_age_seconds: gauge(
    "Time since this node indexed a block, or since it started.",
    "On a chain with regular blocks: the chain stands still, or its node does. On others it means nothing.",
  ),
  sequencer_blocks_reverted_total: counter(
    "How often the chain took blocks back.",
    "Often: ask for more confirmations in the configuration.",
  ),

  sequencer_replica_role: gauge(
    "1 for the role that this replica has now: passive, activating, active or stopped.",
    "The sum of those that are active, over all replicas of a node, must be 1. If none is: read the logs of all of them. Activating for long: the chain or a peer holds the start of the node up.",
    "role",
  ),
  sequencer_replica_epoch: gauge(
    "How often replicas of this node have taken the lease, as this replica saw it last.",
    "If it grows by itself, replicas lose the lease: look at the causes of their steps down.",
  ),
  sequencer_replica_lease_age_seconds: gauge(
    "Time since the database last proved that the lease is this replica's. Only the one that has the lease tells it.",
    "Above 0.8 times the smaller of `leaseMs` and `graceMs` it answers no users. Look at the database, the network between, and the event loop's delay.",
  ),
  sequencer_replica_append_seconds: {
    ...histogram(
      "Time until turns were durable in the database, for each request.",
      "Everything that this node does waits for it. The database, its synchronous stand-by or the network between is slow.",
    ),
    buckets: requestBuckets,
  },
  sequencer_replica_appended_turns_total: counter(
    "Turns that this replica has appended to the log.",
    "If it stands still at the active replica although users send intents, look at `sequencer_replica_trouble`.",
  ),
  sequencer_replica_appended_bytes_total: counter(
    "Bytes of those turns.",
    "The database keeps up to about twice `snapshotBytes` of them, and the snapshots besides. See that it has room.",
  ),
  sequencer_replica_lag_turns: gauge(
    "Turns of the log that a passive replica has not applied yet, as far as it knows.",
    "Growing: its machine is slower than the active one. It would have to catch up before it can take over.",
  ),
  sequencer_replica_lag_seconds: gauge(
    "Time since a passive replica was known to have all turns of the log.",
    "Above some times `pollMs`: it does not reach the database, or cannot use the log. Its log says which.",
  ),
  sequencer_replica_takeovers_total: counter(
    "How often this replica has taken the lease: start if no replica ever had it, handover if the last one gave it up, failover if that one did not, return if this one had lost it itself.",
    "Failovers: the other one died, was frozen, or was cut off from the database. Its log or its machine says why.",
    "cause",
  ),
  sequencer_replica_step_downs_total: counter(
    "How often this replica lost the lease or gave it up: lease-lost, node-failed, promotion of another one, revoked by an operator or a supervisor, or stopped.",
    "lease-lost: the database or the network failed for longer than the lease, or this process was frozen. node-failed: the error is in its log.",
    "cause",
  ),
  sequencer_replica_rebuilds_total: counter(
    "How often this replica made its store anew from a snapshot or from the first turn.",
    "Once at its first start is normal. Otherwise `replica-rebuilt` in its log says why; often a disk is damaged.",
  ),
  sequencer_replica_snapshots_total: counter(
    "Snapshots, by outcome: those that this replica made, those that it failed to make, and those of the database that it could not use.",
    "failed: turns are kept until one is made, so the database grows. refused: an older one was used; look for damage in the database.",
    "outcome",
  ),
  sequencer_replica_trouble: gauge(
    "1 for what is in the way of this replica: the database or its log, or that a newer version writes the log.",
    "database: the reason is in its log. outdated: update this replica; until then it cannot take over.",
    "kind",
  ),

  sequencer_database_bytes: gauge(
    "Size of the node's database on this machine, with its journal.",
    "See that the disk has room for its growth.",
  ),
  sequencer_log_lines_lost_total: counter(
    "Lines of the log that nobody took.",
    "Whatever reads the log is too slow, or gone.",
  ),
  sequencer_monitor_errors_total: counter(
    "What the monitor could not read or count, by part. Metrics of that part are missing from the answer.",
    "After a node has stopped this is normal. Otherwise please report it.",
    "part",
  ),
} as const satisfies Readonly<Record<string, Definition>>;

export type MetricName = keyof typeof definitions;

/** The names of all metrics of one type. */
export type NameOf<Type extends MetricType> = {
  [Name in MetricName]: (typeof definitions)[Name]["type"] extends Type
    ? Name
    : never;
}[MetricName];
