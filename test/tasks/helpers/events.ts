import type { DeployFact } from "../../../src/plugin/deployment/facts.ts";
import type { RunFact } from "../../../src/view/facts.ts";
import type { StatusFact } from "../../../src/view/status.ts";
import type { SubmitFact } from "../../../src/view/submit.ts";
import type { AnswerFact } from "../../../tasks/call/ask-domain.ts";
import type {
  DatabaseCheckFact,
  ImportFact,
  RestoreFact,
  SnapshotFact,
  TurnFact,
} from "../../../tasks/database/facts.ts";
import type { DrainFact } from "../../../tasks/drain/drain-node.ts";
import type { ExplainFact } from "../../../tasks/explain/explain-transaction.ts";
import type {
  CreateFact,
  GroupDetailsFact,
  GroupFact,
  GroupImportedFact,
} from "../../../tasks/group/facts.ts";
import type { IdentityFact } from "../../../tasks/identity/identity.ts";
import type { MasterFact } from "../../../tasks/master/facts.ts";
import type { ReceiptFact } from "../../../tasks/receipt/show-receipt.ts";
import type { ReplicasFact } from "../../../tasks/replicas/facts.ts";
import type { SimulateFact } from "../../../tasks/simulate/facts.ts";
import type { SuperviseFact } from "../../../tasks/supervise/facts.ts";

interface Typed {
  readonly type: string;
}

/** The names of all fields that facts of a type can have. */
type FieldOf<Fact extends Typed, Type extends string> = Fact extends unknown
  ? Type extends Fact["type"]
    ? Exclude<keyof Fact, "type">
    : never
  : never;

/** Every type of a fact with every field. The compiler refuses to leave one out, or to name one that is not there. */
type Events<Fact extends Typed> = {
  readonly [Type in Fact["type"]]: Readonly<Record<FieldOf<Fact, Type>, 1>>;
};

const deploy: Events<DeployFact> = {
  network: { network: 1, chainId: 1, sender: 1, balance: 1 },
  waiting: { pending: 1 },
  group: {
    name: 1,
    address: 1,
    members: 1,
    threshold: 1,
    externalCalls: 1,
    salt: 1,
    description: 1,
  },
  present: { name: 1, address: 1, status: 1 },
  pending: {
    name: 1,
    tx: 1,
    block: 1,
    confirmations: 1,
    wanted: 1,
    elapsedMs: 1,
  },
  deployed: { name: 1, address: 1, gasUsed: 1, tx: 1 },
  planned: { name: 1, address: 1, gas: 1, cost: 1 },
  estimate: { gas: 1, cost: 1, needed: 1, gasPrice: 1, balance: 1 },
  verification: { contract: 1, address: 1, status: 1, url: 1, reason: 1 },
  deployment: {
    network: 1,
    chainId: 1,
    sender: 1,
    isDryRun: 1,
    isTemporary: 1,
    factory: 1,
    implementation: 1,
    atomFactory: 1,
    group: 1,
    transactions: 1,
    gasUsed: 1,
    config: 1,
  },
};

const identity: Events<IdentityFact & { readonly type: "identity" }> = {
  identity: { node: 1, key: 1 },
};

const run: Events<RunFact> = {
  network: { network: 1, chainId: 1, factory: 1, isTemporary: 1, dataDir: 1 },
  group: {
    group: 1,
    id: 1,
    name: 1,
    domain: 1,
    members: 1,
    threshold: 1,
    policy: 1,
    isNew: 1,
  },
  node: { node: 1, account: 1, url: 1, webSocketUrl: 1 },
  ready: {},
  workload: { intents: 1, accounts: 1, rate: 1 },
  block: { height: 1 },
  "blocks-reverted": { node: 1, height: 1 },
  "chain-trouble": { node: 1, reason: 1 },
  "payer-trouble": { node: 1, payer: 1, reason: 1 },
  "endorser-trouble": { node: 1, reason: 1 },
  "signatures-slow": { reason: 1 },
  "domain-failed": {
    node: 1,
    domain: 1,
    method: 1,
    error: 1,
    reason: 1,
    stack: 1,
  },
  "group-missing": { node: 1, group: 1, reason: 1 },
  "group-refused": { node: 1, group: 1, reason: 1 },
  accepted: { node: 1, intent: 1 },
  coordinator: { node: 1, from: 1, to: 1 },
  dispatched: { node: 1, bundle: 1, intents: 1 },
  "submission-failed": { node: 1, failure: 1, reason: 1 },
  settled: {
    node: 1,
    intent: 1,
    outcome: 1,
    block: 1,
    transaction: 1,
    reason: 1,
  },
  status: { nodes: 1 },
  stopping: { reason: 1, open: 1 },
  summary: {
    reason: 1,
    workload: 1,
    intents: 1,
    ledger: 1,
    bundles: 1,
    rotations: 1,
    elapsedMs: 1,
    intentsPerSecond: 1,
  },
};

const simulate: Events<SimulateFact> = {
  run: {
    seed: 1,
    traceHash: 1,
    lane: 1,
    setup: 1,
    liar: 1,
    statistics: 1,
  },
  violation: {
    seed: 1,
    property: 1,
    meaning: 1,
    message: 1,
    atMs: 1,
    nodes: 1,
    threshold: 1,
    mode: 1,
    policy: 1,
    lane: 1,
    groups: 1,
    liar: 1,
    transcript: 1,
    command: 1,
  },
  transcript: { seed: 1, file: 1, lines: 1 },
  summary: {
    firstSeed: 1,
    seeds: 1,
    lane: 1,
    faults: 1,
    setup: 1,
    liar: 1,
    isViolated: 1,
    totals: 1,
    elapsedMs: 1,
  },
};

const drain: Events<DrainFact> = {
  undone: { node: 1 },
  draining: { node: 1, reasons: 1 },
  drained: { node: 1, elapsedMs: 1 },
  "not-drained": { node: 1, reasons: 1 },
  "not-draining": { node: 1 },
};

const status: Events<StatusFact> = {
  "node-status": {
    url: 1,
    name: 1,
    height: 1,
    boot: 1,
    groups: 1,
    groupsAside: 1,
    rejoining: 1,
    openTransactions: 1,
    dropped: 1,
    draining: 1,
  },
  "node-down": { url: 1, reason: 1 },
};

const submit: Events<SubmitFact> = {
  submitted: { id: 1, url: 1, group: 1, function: 1 },
  confirmed: { id: 1, block: 1, transaction: 1 },
  reverted: { id: 1, reason: 1 },
  open: { id: 1, why: 1 },
};

const call: Events<AnswerFact> = {
  answer: { url: 1, group: 1, function: 1, outputs: 1 },
};

const explain: Events<ExplainFact> = {
  waiting: { id: 1, why: 1 },
  confirmed: { id: 1, block: 1, transaction: 1 },
  reverted: { id: 1, reason: 1 },
  idle: { id: 1 },
};

const groupList: Events<GroupFact> = {
  group: { id: 1, name: 1, domain: 1, address: 1, members: 1, created: 1 },
};

const groupCreate: Events<CreateFact> = {
  ...groupList,
  "group-creating": { id: 1, transaction: 1, url: 1 },
  "group-failed": { id: 1, reason: 1 },
  "group-open": { id: 1, transaction: 1 },
};

const groupImport: Events<GroupImportedFact> = {
  "group-imported": { url: 1, id: 1, name: 1, address: 1 },
};

const groupShow: Events<GroupDetailsFact> = {
  "group-details": {
    url: 1,
    id: 1,
    name: 1,
    domain: 1,
    address: 1,
    members: 1,
    endorsers: 1,
    threshold: 1,
    configuration: 1,
    coordinator: 1,
    ranking: 1,
    epoch: 1,
    isMember: 1,
    trouble: 1,
  },
};

const receipt: Events<ReceiptFact> = {
  confirmed: {
    id: 1,
    block: 1,
    transaction: 1,
    contract: 1,
    effect: 1,
    states: 1,
  },
  reverted: { id: 1, reason: 1 },
  open: { id: 1, why: 1 },
};

const databaseCheck: Events<DatabaseCheckFact> = {
  "server-checked": { host: 1, version: 1, user: 1 },
  "tables-checked": { schema: 1, tables: 1 },
  "check-progress": { part: 1, done: 1, of: 1 },
  "turns-checked": { first: 1, head: 1, turns: 1, bytes: 1 },
  "statements-checked": { statements: 1 },
  "snapshot-checked": { sequence: 1, bytes: 1, parts: 1 },
  damage: { problem: 1 },
  "database-checked": { node: 1, problems: 1, elapsedMs: 1 },
};

const databaseSnapshot: Events<SnapshotFact> = {
  "rebuild-progress": { turn: 1, head: 1 },
  "snapshot-made": { sequence: 1, bytes: 1, trimmed: 1 },
  "snapshot-present": { sequence: 1 },
};

const databaseRestore: Events<RestoreFact> = {
  "rebuild-progress": { turn: 1, head: 1 },
  "store-restored": { file: 1, turn: 1, bytes: 1 },
};

const databaseImport: Events<ImportFact> = {
  "store-imported": { node: 1, file: 1, bytes: 1, wasThere: 1 },
};

const databaseTurns: Events<TurnFact> = {
  turn: { sequence: 1, epoch: 1, hash: 1, bytes: 1, statements: 1 },
};

const replicas: Events<ReplicasFact> = {
  promoting: { replica: 1, from: 1 },
  promoted: { replica: 1, epoch: 1, elapsedMs: 1 },
  replicas: {
    node: 1,
    active: 1,
    epoch: 1,
    since: 1,
    head: 1,
    snapshot: 1,
    isStopped: 1,
  },
  replica: {
    name: 1,
    role: 1,
    isAway: 1,
    version: 1,
    rpc: 1,
    peersAddress: 1,
    applied: 1,
    lag: 1,
    seenMsAgo: 1,
  },
};

const master: Events<MasterFact> = {
  election: { isOn: 1, isChanged: 1 },
  changed: { master: 1, epoch: 1, elapsedMs: 1 },
  master: {
    node: 1,
    master: 1,
    tenureMs: 1,
    epoch: 1,
    turn: 1,
    hash: 1,
    isStopped: 1,
    isElectionOn: 1,
    supervisor: 1,
    supervisorUrl: 1,
  },
  act: {
    at: 1,
    act: 1,
    replica: 1,
    epoch: 1,
    turn: 1,
    reason: 1,
    supervisor: 1,
  },
};

const supervise: Events<SuperviseFact> = {
  ready: { node: 1, supervisor: 1, url: 1, readsUrl: 1 },
  duty: { isOn: 1 },
  waiting: { reason: 1 },
  probe: { replica: 1, problem: 1 },
  found: { master: 1, epoch: 1 },
  revoked: {
    master: 1,
    reason: 1,
    turn: 1,
    hash: 1,
    isPolite: 1,
    elapsedMs: 1,
  },
  granted: { replica: 1, reason: 1, problem: 1, elapsedMs: 1 },
  refused: { replica: 1, problem: 1 },
  "database-trouble": { reason: 1 },
  stopping: {},
};

const all = new Map<string, Readonly<Record<string, object>>>(
  Object.entries({
    call,
    "database check": databaseCheck,
    "database import": databaseImport,
    "database restore": databaseRestore,
    "database snapshot": databaseSnapshot,
    "database turns": databaseTurns,
    deploy,
    drain,
    explain,
    "group create": groupCreate,
    "group import": groupImport,
    "group list": groupList,
    "group show": groupShow,
    identity,
    master,
    receipt,
    replicas,
    run,
    simulate,
    status,
    submit,
    supervise,
  }),
);

/** The names of the fields of every `--json` line of a task, by the type of the line. */
export function eventsOf(
  task: string,
): Readonly<Record<string, readonly string[]>> {
  const events = all.get(task);
  if (events === undefined) throw new Error(`Unknown task: ${task}.`);
  return Object.fromEntries(
    Object.entries(events).map(([type, fields]) => [type, Object.keys(fields)]),
  );
}
