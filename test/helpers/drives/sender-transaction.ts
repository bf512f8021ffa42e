import type { AssembleOutcome, Stage } from "../../../src/protocol/messages.ts";
import type { IntentRecord } from "../../../src/protocol/records.ts";
import type { Bundle, Intent, Step } from "../../../src/protocol/transition.ts";
import { block, heartbeat, submission } from "../letters.ts";
import { keyOf, LoneNode, rank } from "../lone-node.ts";
import { bundleOf, emptyView, intent } from "../simulated-group.ts";
import type { Drive, Trace } from "./drive.ts";

const self = rank(1);
const coordinator = rank(0);
const validUntil = 10;

/** A sender with one transaction, which a coordinator takes from state to state. */
class Sender {
  readonly wish: Intent = intent(1, "");
  readonly node: LoneNode;
  readonly #bundle: Bundle;
  #requests = 0;

  constructor(trace: Trace, retriesMax = 5) {
    this.node = new LoneNode({ self, retriesMax }, {}, trace);
    this.#bundle = bundleOf([this.#step()], validUntil);
  }

  #step(): Step {
    return {
      intentId: this.wish.id,
      sender: self,
      payload: "",
      inputs: [],
      reads: [],
      outputs: [],
      found: [],
      signature: "signed",
    };
  }

  /** Submits something that occupies the way to the coordinator. Returns the key of its delegation. */
  occupy(): ReturnType<typeof keyOf> {
    const other = submission(intent(2, ""));
    const [request] = this.node.tell(other).sent("DelegationRequest");
    return request?.key ?? keyOf("none");
  }

  delegated(): this {
    const [request] = this.node
      .tell(submission(this.wish))
      .sent("DelegationRequest");
    const key = request?.key ?? keyOf("none");
    const ids = [this.wish.id];
    const accepted = {
      type: "DelegationAccepted",
      key,
      ids,
      height: 0,
    } as const;
    this.node.hear(coordinator, accepted);
    return this;
  }

  assembling(): this {
    this.#requests += 1;
    const key = keyOf(`assembly:${this.#requests}`);
    const ids = [this.wish.id];
    const view = emptyView;
    const request = {
      type: "AssembleRequest",
      key,
      ids,
      height: 0,
      view,
    } as const;
    this.node.hear(coordinator, request);
    return this;
  }

  answer(outcome: AssembleOutcome): this {
    const key = keyOf(`assembly:${this.#requests}`);
    this.node.tell({ type: "AssemblyDone", key, outcomes: [outcome] });
    return this;
  }

  gathering(): this {
    const { id } = this.wish;
    return this.assembling().answer({
      type: "assembled",
      id,
      step: this.#step(),
    });
  }

  parked(): this {
    const { id } = this.wish;
    return this.assembling().answer({
      type: "parked",
      id,
      reason: "not ready",
    });
  }

  permitted(): this {
    const key = keyOf("permission");
    const bundle = this.#bundle;
    const request = { type: "DispatchPermissionRequest", key, bundle } as const;
    this.node.hear(coordinator, request);
    return this;
  }

  /** The coordinator gives it back, and gets it again. The permission is still live. */
  returned(): this {
    const ids = [this.wish.id];
    this.node.hear(coordinator, { type: "DelegationReturned", ids, height: 0 });
    return this;
  }

  dispatched(): this {
    const { digest } = this.#bundle;
    const ids = [this.wish.id];
    this.node.hear(coordinator, { type: "Dispatched", digest, ids });
    return this;
  }

  stage(stage: Stage): this {
    const transactions = [{ id: this.wish.id, stage }];
    this.node.hear(coordinator, heartbeat("Active", { transactions }));
    return this;
  }

  failed(): this {
    const ids = [this.wish.id];
    const reason = "reverted";
    this.node.hear(coordinator, { type: "TransactionReverted", ids, reason });
    return this;
  }

  confirmed(): this {
    this.node.tell(block(1, [this.wish.id]));
    return this;
  }

  expired(): this {
    for (let height = 1; height <= validUntil; height++)
      this.node.tell(block(height));
    return this;
  }

  /** The coordinator names another one that is at work. */
  sentElsewhere(): this {
    const key = this.occupy();
    this.node.hear(coordinator, {
      type: "DelegationRejected",
      key,
      ids: [],
      height: 0,
      reason: "not-coordinator",
      active: rank(2),
    });
    return this;
  }
}

const fresh = (trace: Trace, retriesMax?: number): Sender =>
  new Sender(trace, retriesMax).delegated();
/** With a permission that may still be used. */
const permitted = (trace: Trace, retriesMax?: number): Sender =>
  fresh(trace, retriesMax).gathering().permitted();
const back = (trace: Trace, retriesMax?: number): Sender =>
  permitted(trace, retriesMax).returned();
const dispatched = (trace: Trace, retriesMax?: number): Sender =>
  permitted(trace, retriesMax).dispatched();
const sequenced = (trace: Trace, retriesMax?: number): Sender =>
  dispatched(trace, retriesMax).stage("sequenced");
const submitted = (trace: Trace, retriesMax?: number): Sender =>
  dispatched(trace, retriesMax).stage("submitted");

/** An open intent that depends on one that has ended, with a permission that can still be used. */
function restoreDependant(trace: Trace): void {
  const lost = recordOf(intent(1, ""));
  const dependant = recordOf({ ...intent(2, ""), dependsOn: [lost.intent.id] });
  const permission = {
    coordinator,
    digest: bundleOf([]).digest,
    validUntil: 1,
    attempt: 2,
  };
  const receipt = {
    type: "Reverted",
    id: lost.intent.id,
    reason: "nonsense",
  } as const;
  const records = [
    { ...lost, receipt },
    { ...dependant, permission, liveUntil: 10 },
  ];
  new LoneNode({ self }, { height: 5, records }, trace);
}

function recordOf(wish: Intent): IntentRecord {
  return {
    kind: "intent",
    intent: wish,
    sequence: 0,
    retries: 0,
    parked: undefined,
    permission: undefined,
    liveUntil: 0,
    isDispatched: false,
    reason: undefined,
    isDoomed: false,
    prepared: undefined,
    receipt: undefined,
  };
}

const failures: readonly Drive[] = [
  {
    arrow: "Delegated --> Delegated : ConfirmedReverted [mayRetry]",
    run: (trace) => fresh(trace).failed(),
  },
  {
    arrow: "Delegated --> Reverted : ConfirmedReverted [hasNoLivePermission]",
    run: (trace) => fresh(trace, 0).failed(),
  },
  {
    arrow: "Delegated --> Pending : ConfirmedReverted",
    run: (trace) => back(trace, 0).failed(),
  },
  {
    arrow: "Assembling --> Delegated : ConfirmedReverted [mayRetry]",
    run: (trace) => fresh(trace).assembling().failed(),
  },
  {
    arrow: "Assembling --> Reverted : ConfirmedReverted [hasNoLivePermission]",
    run: (trace) => fresh(trace, 0).assembling().failed(),
  },
  {
    arrow: "Assembling --> Pending : ConfirmedReverted",
    run: (trace) => back(trace, 0).assembling().failed(),
  },
  {
    arrow: "EndorsementGathering --> Delegated : ConfirmedReverted [mayRetry]",
    run: (trace) => fresh(trace).gathering().failed(),
  },
  {
    arrow:
      "EndorsementGathering --> Reverted : ConfirmedReverted [hasNoLivePermission]",
    run: (trace) => fresh(trace, 0).gathering().failed(),
  },
  {
    arrow: "EndorsementGathering --> Pending : ConfirmedReverted",
    run: (trace) => back(trace, 0).gathering().failed(),
  },
  {
    arrow: "Prepared --> Delegated : ConfirmedReverted [mayRetry]",
    run: (trace) => permitted(trace).failed(),
  },
  {
    arrow: "Prepared --> Pending : ConfirmedReverted",
    run: (trace) => permitted(trace, 0).failed(),
  },
  {
    arrow: "Dispatched --> Delegated : ConfirmedReverted [mayRetry]",
    run: (trace) => dispatched(trace).failed(),
  },
  {
    arrow: "Dispatched --> Reverted : ConfirmedReverted [hasNoLivePermission]",
    run: (trace) => dispatched(trace, 0).expired(),
  },
  {
    arrow: "Dispatched --> Pending : ConfirmedReverted",
    run: (trace) => dispatched(trace, 0).failed(),
  },
  {
    arrow: "Sequenced --> Delegated : ConfirmedReverted [mayRetry]",
    run: (trace) => sequenced(trace).failed(),
  },
  {
    arrow: "Sequenced --> Reverted : ConfirmedReverted [hasNoLivePermission]",
    run: (trace) => sequenced(trace, 0).expired(),
  },
  {
    arrow: "Sequenced --> Pending : ConfirmedReverted",
    run: (trace) => sequenced(trace, 0).failed(),
  },
  {
    arrow: "Submitted --> Delegated : ConfirmedReverted [mayRetry]",
    run: (trace) => submitted(trace).failed(),
  },
  {
    arrow: "Submitted --> Reverted : ConfirmedReverted [hasNoLivePermission]",
    run: (trace) => submitted(trace, 0).expired(),
  },
  {
    arrow: "Submitted --> Pending : ConfirmedReverted",
    run: (trace) => submitted(trace, 0).failed(),
  },
  {
    arrow: "Pending --> Pending : DependencyReverted",
    run: restoreDependant,
  },
  {
    arrow: "Assembling --> Pending : AssembleRevert",
    run: (trace) => {
      const sender = back(trace).assembling();
      const { id } = sender.wish;
      sender.answer({ type: "reverted", id, reason: "nonsense" });
    },
  },
  {
    arrow: "Assembling --> Delegated : AssembleError",
    run: (trace) => {
      const sender = fresh(trace).assembling();
      const { id } = sender.wish;
      sender.answer({ type: "error", id, reason: "busy" });
    },
  },
];

const confirmations: readonly Drive[] = [
  {
    arrow: "Pending --> Confirmed : ConfirmedSuccess",
    run: (trace) => {
      const sender = new Sender(trace);
      sender.occupy();
      sender.node.tell(submission(sender.wish));
      sender.confirmed();
    },
  },
  {
    arrow: "Delegated --> Confirmed : ConfirmedSuccess",
    run: (trace) => fresh(trace).confirmed(),
  },
  {
    arrow: "Assembling --> Confirmed : ConfirmedSuccess",
    run: (trace) => fresh(trace).assembling().confirmed(),
  },
  {
    arrow: "EndorsementGathering --> Confirmed : ConfirmedSuccess",
    run: (trace) => fresh(trace).gathering().confirmed(),
  },
  {
    arrow: "Prepared --> Confirmed : ConfirmedSuccess",
    run: (trace) => permitted(trace).confirmed(),
  },
  {
    arrow: "Sequenced --> Confirmed : ConfirmedSuccess",
    run: (trace) => sequenced(trace).confirmed(),
  },
  {
    arrow: "Parked --> Confirmed : ConfirmedSuccess",
    run: (trace) => back(trace).parked().confirmed(),
  },
];

const movements: readonly Drive[] = [
  {
    arrow: "Delegated --> Dispatched : Dispatched [hasLivePermission]",
    run: (trace) => back(trace).dispatched(),
  },
  {
    arrow: "Assembling --> Dispatched : Dispatched [hasLivePermission]",
    run: (trace) => back(trace).assembling().dispatched(),
  },
  {
    arrow:
      "EndorsementGathering --> Dispatched : Dispatched [hasLivePermission]",
    run: (trace) => back(trace).gathering().dispatched(),
  },
  {
    arrow: "Parked --> Dispatched : Dispatched [hasLivePermission]",
    run: (trace) => back(trace).parked().dispatched(),
  },
  {
    arrow: "Dispatched --> Sequenced : NonceAssigned",
    run: sequenced,
  },
  {
    arrow: "Sequenced --> Submitted : Submitted",
    run: (trace) => sequenced(trace).stage("submitted"),
  },
  {
    arrow: "Assembling --> Assembling : AssembleRequestReceived",
    run: (trace) => fresh(trace).assembling().assembling(),
  },
  {
    arrow: "Assembling --> Delegated : CoordinatorChanged",
    run: (trace) => fresh(trace).assembling().sentElsewhere(),
  },
  {
    arrow: "Assembling --> Delegated : Released",
    run: (trace) => fresh(trace).assembling().returned(),
  },
  {
    arrow: "Prepared --> Delegated : PermissionExpired",
    run: (trace) => permitted(trace).expired(),
  },
];

/** Ways to arrows of the sender's transaction that no scenario takes. */
export const senderTransactionDrives: readonly Drive[] = [
  ...failures,
  ...confirmations,
  ...movements,
];
