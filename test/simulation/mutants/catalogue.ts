import type { SimulationOptions } from "../../../src/simulation/settings.ts";

/** One line of the protocol made wrong, and what shall notice it. */
export interface Mutant {
  /** What the protocol does wrong, as a sentence. */
  readonly name: string;
  /** Below `src/protocol`. */
  readonly file: string;
  /** Is there exactly once. */
  readonly find: string;
  readonly replace: string;
  /** Properties that may report it. */
  readonly properties: readonly string[];
  /** The runs that find it soonest. */
  readonly runs: Omit<SimulationOptions, "seed" | "transcript">;
}

/** Permissions, and what is durable when. */
const permissions: Mutant[] = [
  {
    name: "permits whoever asks",
    file: "sender/assembly.ts",
    find: `if (sentTo !== from) return "not-delegate";`,
    replace: "",
    properties: ["S16"],
    runs: { faults: "network" },
  },
  {
    name: "sends a permission that is not saved",
    file: "sender/transaction/actions.ts",
    find: "save(transaction, undefined, turn);",
    replace: "",
    properties: ["S15"],
    runs: { faults: "none" },
  },
  {
    name: "does not count permissions",
    file: "sender/transaction/actions.ts",
    find: "attempt: (transaction.permission?.attempt ?? 0) + 1,",
    replace: "attempt: 1,",
    properties: ["S18"],
    runs: { faults: "crash" },
  },
  {
    name: "accepts an intent before it is saved",
    file: "sender/transaction/table.ts",
    find: `run: [save, queue]`,
    replace: `run: [queue]`,
    properties: ["S12"],
    runs: { faults: "none" },
  },
  {
    name: "acknowledges a dispatch that is not saved",
    file: "sender/transaction/table.ts",
    find: "run: [noteDispatch]",
    replace: "run: []",
    properties: ["S19"],
    runs: { faults: "none" },
  },
  {
    name: "submits what is not saved",
    file: "coordinator/dispatch.ts",
    find: `    { type: "Save", record },\n`,
    replace: "",
    properties: ["S19"],
    runs: { faults: "none" },
  },
  {
    name: "reports a revert while a permission is live",
    file: "sender/transaction/guards.ts",
    find: "node.height >= transaction.liveUntil || transaction.permission === undefined",
    replace: "node.height >= 0",
    properties: ["S14"],
    runs: { faults: "all" },
  },
  {
    name: "forgets that a permission expires",
    file: "blocks.ts",
    find: "    expire(turn, id);\n",
    replace: "    void expire;\n",
    properties: ["L2"],
    runs: { faults: "all" },
  },
];

/** Restarts. */
const restarts: Mutant[] = [
  {
    name: "forgets dispatched work when it restarts",
    file: "restore.ts",
    find: `if (record.kind === "dispatch") restoreDispatch(turn, record);`,
    replace: "",
    properties: ["S19"],
    runs: { faults: "crash" },
  },
  {
    name: "counts retries from zero after a restart",
    file: "restore.ts",
    find: "...pickSaved(record),",
    replace: "...pickSaved(record), retries: 0,",
    properties: ["S36"],
    runs: { faults: "all" },
  },
  {
    name: "forgets open intents when it restarts",
    file: "restore.ts",
    find: "    restoreIntent(turn, record);\n",
    replace: "    void record;\n",
    properties: ["L2", "S13", "S14"],
    runs: { faults: "crash" },
  },
  {
    name: "leaves a transaction with a coordinator that has forgotten it",
    file: "sender/actions.ts",
    find: "listed.has(transaction.id)",
    replace: "true",
    properties: ["L4"],
    runs: { faults: "crash" },
  },
];

/** Handover and failover. */
const handovers: Mutant[] = [
  {
    name: "dispatches before the flush point",
    file: "coordinator/guards.ts",
    find: "    handover.flushUntil > node.height &&\n",
    replace: "    handover.flushUntil < 0 &&\n",
    properties: ["S27"],
    runs: { faults: "none" },
  },
  {
    name: "drops dispatched work when it hands over",
    file: "coordinator/handover.ts",
    find: "  coordinator.successor = to;\n",
    replace:
      "  coordinator.successor = to;\n  coordinator.dispatched.clear();\n",
    properties: ["S26", "R1", "S19", "L18"],
    runs: { faults: "none" },
  },
  {
    name: "keeps what it must return when it hands over",
    file: "coordinator/handover.ts",
    find: "  returnWork(coordinator, undefined, turn);\n",
    replace: "",
    properties: ["S28", "R1", "L2"],
    runs: { faults: "none" },
  },
  {
    name: "forgets what is returned",
    file: "sender/transaction/table.ts",
    find: "run: [dropStep, queue]",
    replace: "run: [dropStep]",
    properties: ["L4", "L2"],
    runs: { faults: "none" },
  },
  {
    name: "sends a handover only once",
    file: "time.ts",
    find: "    sendHandover(turn, work.record);\n",
    replace: "    void sendHandover;\n",
    properties: ["L18"],
    runs: { faults: "network" },
  },
  {
    name: "tells of a dispatch only once",
    file: "time.ts",
    find: "    notifyDispatched(turn, work.record);\n",
    replace: "    void notifyDispatched;\n",
    properties: ["L18"],
    runs: { faults: "network" },
  },
  {
    name: "never forgives a silent node",
    file: "sender/actions.ts",
    find: "node.silent.set(silentNode, node.tick + node.config.suspicionTicks);",
    replace: "node.silent.set(silentNode, Infinity);",
    properties: ["L3"],
    runs: { faults: "network" },
  },
  {
    name: "falls never silent",
    file: "coordinator/guards.ts",
    find: "return transactions.size === 0 && dispatched.size === 0;",
    replace: "return transactions.size < 0 && dispatched.size === 0;",
    properties: ["L17"],
    runs: { faults: "none" },
  },
];

/** Endorsements. */
const endorsements: Mutant[] = [
  {
    name: "counts an endorsement of another bundle",
    file: "coordinator/bundles.ts",
    find: "work.key === key && work.bundle.digest === digest",
    replace: "work.key === key && digest !== undefined",
    properties: ["S4"],
    runs: { faults: "byzantine" },
  },
  {
    name: "counts an endorsement twice",
    file: "coordinator/endorsements.ts",
    find: "work.endorsements.set(from, {",
    replace:
      "work.endorsements.set((from + work.endorsements.size) as NodeName, {",
    properties: ["S4"],
    runs: { faults: "network" },
  },
  {
    name: "is content with one endorsement less",
    file: "coordinator/endorsements.ts",
    find: "work.endorsements.size < config.threshold",
    replace: "work.endorsements.size + 1 < config.threshold",
    properties: ["S4"],
    runs: { faults: "none" },
  },
  {
    name: "endorses before it has seen the coordinator's blocks",
    file: "endorser.ts",
    find: "if (request.height > node.height) {",
    replace: "if (request.height > Infinity) {",
    properties: ["S29"],
    runs: { faults: "chain" },
  },
];

/** Assembly, locks, dependencies. */
const assemblies: Mutant[] = [
  {
    name: "assembles before it has seen the coordinator's blocks",
    file: "sender/assembly.ts",
    find: "assembly.request.height > height",
    replace: "assembly.request.height > Infinity",
    properties: ["S29"],
    runs: { faults: "chain" },
  },
  {
    name: "takes delegations for a range that it has not seen",
    file: "coordinator/guards.ts",
    find: "    rangeOf(node, theirHeight) === rangeOf(node, node.height) &&\n",
    replace: "",
    properties: ["S29"],
    runs: { faults: "chain" },
  },
  {
    name: "follows the heartbeat of anybody",
    file: "receive.ts",
    find: `    case "Heartbeat":\n      if (!candidates(turn.node).includes(from)) return;\n`,
    replace: `    case "Heartbeat":\n`,
    properties: ["S32"],
    runs: { faults: "byzantine", mode: "remote" },
  },
  {
    name: "takes a stale answer for an assembly",
    file: "sender/assembly.ts",
    find: "if (assembly?.request.key !== key) {",
    replace: "if (assembly === undefined) {",
    properties: ["S41", "S25", "S26"],
    runs: { faults: "all" },
  },
  {
    name: "does not lock what is spent",
    file: "coordinator/context.ts",
    find: "    spent.set(id, transaction.id);\n",
    replace: "",
    properties: ["S26"],
    runs: { faults: "none" },
  },
  {
    name: "keeps locks of a transaction that falls",
    file: "coordinator/transaction/actions.ts",
    find: "  removeFromContext(turn.node.coordinator, transaction);\n",
    replace: "  void removeFromContext;\n",
    properties: ["S26"],
    runs: { faults: "all" },
  },
  {
    name: "leaves the bundle together when a step falls",
    file: "coordinator/transaction/actions.ts",
    find: "  dissolveBundleOf(turn, transaction.id);\n",
    replace: "  void dissolveBundleOf;\n",
    properties: ["S25", "S26"],
    runs: { faults: "all" },
  },
  {
    name: "permits what is to happen after something that it has not seen",
    file: "sender/assembly.ts",
    find: "  return waitsFor.size === 0;\n",
    replace: "  return waitsFor.size >= 0;\n",
    properties: ["dependsOn"],
    runs: { faults: "chain" },
  },
  {
    name: "lets dependants of a reverted intent wait",
    file: "sequencer.ts",
    find: "        failDependants(turn, effect.receipt.id);\n",
    replace: "        void failDependants;\n",
    properties: ["L2"],
    runs: { faults: "none" },
  },
  {
    name: "keeps to itself that its intents failed",
    file: "sender/dependencies.ts",
    find: `  if (ids.length > 0) send(turn, from, { type: "DependencyFailed", ids });\n`,
    replace: "  void ids;\n",
    properties: ["L2"],
    runs: { faults: "none", nodes: 4, intents: 80 },
  },
  {
    name: "forgets a resumed intent",
    file: "sender/transaction/actions.ts",
    find: "  save(transaction, event, turn);\n  queue(transaction, event, turn);\n",
    replace: "  save(transaction, event, turn);\n",
    properties: ["L2"],
    runs: { faults: "none" },
  },
];

/** What is only to be prepared. */
const preparations: Mutant[] = [
  {
    name: "dispatches what is only to be prepared",
    file: "coordinator/transaction/actions.ts",
    find: "  if (transaction.intent.isPrepareOnly) {\n",
    replace: "  if (transaction.id.length === 0) {\n",
    properties: ["S40"],
    runs: { faults: "none" },
  },
  {
    name: "builds on what is only to be prepared",
    file: "coordinator/assembly.ts",
    find: "    if (isPrepareOnly) break;\n",
    replace: "",
    properties: ["S25", "S40"],
    runs: { faults: "network" },
  },
  {
    name: "forgets after a restart what it prepared",
    file: "restore.ts",
    find: "    restorePrepared(turn, transaction);\n",
    replace: "    sender.transactions.delete(transaction.id);\n",
    properties: ["S14"],
    runs: { faults: "crash" },
  },
];

/** Every sabotage. Each must be noticed by a property in a bounded number of seeds. */
export const mutants: readonly Mutant[] = [
  ...permissions,
  ...restarts,
  ...handovers,
  ...endorsements,
  ...assemblies,
  ...preparations,
];
