import type { IntentRecord } from "../../../src/protocol/records.ts";
import { block } from "../letters.ts";
import { bundleOf, intent } from "../simulated-group.ts";
import type { Drive, Trace } from "./drive.ts";
import { recordOf, Sender, validUntil } from "./driven-sender.ts";

const dependency = intent(3, "");
const wish = { ...intent(1, ""), dependsOn: [dependency.id] };

/** Its user may execute it until that block. */
function preparedUntil(lastBlock: number): IntentRecord {
  const { id } = dependency;
  const bundle = bundleOf([], lastBlock);
  const { digest } = bundle;
  return {
    ...recordOf({ ...dependency, isPrepareOnly: true }),
    prepared: { bundle, endorsements: [] },
    receipt: { type: "Prepared", id, digest },
  };
}

/** A sender whose transaction depends on one that was prepared for its user, who executed it. */
class Dependant extends Sender {
  readonly #executed: ReturnType<typeof block>;

  constructor(trace: Trace, lastBlock: number) {
    super(trace, { wish, records: [preparedUntil(lastBlock)] });
    this.#executed = block(1, [dependency.id], bundleOf([], lastBlock));
    this.node.tell(this.#executed);
    this.delegated();
  }

  /** A reorganisation takes that back, and it never happens again. */
  lost(): void {
    const { facts } = this.#executed;
    const record = this.node.records.get(`intent:${dependency.id}`);
    const reopened = record?.kind === "intent" ? [record] : [];
    this.node.tell({ type: "BlocksReverted", height: 0, facts, reopened });
    this.expired();
  }
}

/** Its dependency is lost in the block in which its permission ends, if it has one. */
const late = (trace: Trace): Dependant => new Dependant(trace, validUntil);
/** Its dependency is lost while its permission can be used. */
const permitted = (trace: Trace): Dependant =>
  new Dependant(trace, validUntil - 1).gathering().permitted();
const back = (trace: Trace): Dependant => permitted(trace).returned();
const dispatched = (trace: Trace): Dependant => permitted(trace).dispatched();
const lateAndPermitted = (trace: Trace): Dependant =>
  late(trace).gathering().permitted();
const lateAndDispatched = (trace: Trace): Dependant =>
  lateAndPermitted(trace).dispatched();

const ends: readonly Drive[] = [
  {
    arrow: "Assembling --> Reverted : DependencyReverted [hasNoLiveStep]",
    run: (trace) => late(trace).assembling().lost(),
  },
  {
    arrow:
      "EndorsementGathering --> Reverted : DependencyReverted [hasNoLiveStep]",
    run: (trace) => late(trace).gathering().lost(),
  },
  {
    arrow: "Prepared --> Reverted : DependencyReverted [hasNoLiveStep]",
    run: (trace) => lateAndPermitted(trace).lost(),
  },
  {
    arrow: "Dispatched --> Reverted : DependencyReverted [hasNoLiveStep]",
    run: (trace) => lateAndDispatched(trace).lost(),
  },
  {
    arrow: "Sequenced --> Reverted : DependencyReverted [hasNoLiveStep]",
    run: (trace) => lateAndDispatched(trace).stage("sequenced").lost(),
  },
  {
    arrow: "Submitted --> Reverted : DependencyReverted [hasNoLiveStep]",
    run: (trace) => lateAndDispatched(trace).stage("submitted").lost(),
  },
  {
    arrow: "Parked --> Reverted : DependencyReverted [hasNoLiveStep]",
    run: (trace) => late(trace).parked().lost(),
  },
];

const waits: readonly Drive[] = [
  {
    arrow: "Delegated --> Pending : DependencyReverted",
    run: (trace) => back(trace).lost(),
  },
  {
    arrow: "Assembling --> Pending : DependencyReverted",
    run: (trace) => back(trace).assembling().lost(),
  },
  {
    arrow: "EndorsementGathering --> Pending : DependencyReverted",
    run: (trace) => back(trace).gathering().lost(),
  },
  {
    arrow: "Prepared --> Pending : DependencyReverted",
    run: (trace) => permitted(trace).lost(),
  },
  {
    arrow: "Dispatched --> Pending : DependencyReverted",
    run: (trace) => dispatched(trace).lost(),
  },
  {
    arrow: "Sequenced --> Pending : DependencyReverted",
    run: (trace) => dispatched(trace).stage("sequenced").lost(),
  },
  {
    arrow: "Submitted --> Pending : DependencyReverted",
    run: (trace) => dispatched(trace).stage("submitted").lost(),
  },
  {
    arrow: "Parked --> Pending : DependencyReverted",
    run: (trace) => back(trace).parked().lost(),
  },
];

/** Ways of the sender's transaction when it loses what it depends on. */
export const senderDependantDrives: readonly Drive[] = [...ends, ...waits];
