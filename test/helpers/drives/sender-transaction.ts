import type { IntentRecord } from "../../../src/protocol/records.ts";
import { block, submission } from "../letters.ts";
import { LoneNode } from "../lone-node.ts";
import { bundleOf, intent } from "../simulated-group.ts";
import type { Drive, Trace } from "./drive.ts";
import { coordinator, recordOf, self, Sender } from "./driven-sender.ts";

const fresh = (trace: Trace, retriesMax?: number): Sender =>
  new Sender(trace, { retriesMax }).delegated();
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

/** Its coordinator has it when the next range, in which somebody else comes first, begins. */
function overtaken(trace: Trace): void {
  const rangeSizeBlocks = 4;
  const { ranking } = new LoneNode({ self }).sequencer;
  let range = 0;
  while (
    ranking(range)[0] === self ||
    ranking(range + 1)[0] === ranking(range)[0]
  )
    range += 1;
  const height = range * rangeSizeBlocks;
  const config = { self, policy: "rotating", rangeSizeBlocks } as const;
  const node = new LoneNode(config, { height }, trace);
  const wish = intent(1, "");
  const [request] = node.tell(submission(wish)).sent("DelegationRequest");
  const [to] = ranking(range);
  if (request === undefined || to === undefined)
    throw new Error("nothing is delegated");
  const { key } = request;
  node.hear(to, { type: "DelegationAccepted", key, ids: [wish.id], height });
  node.tell(block(height + rangeSizeBlocks));
}

const failures: readonly Drive[] = [
  {
    arrow: "Delegated --> Delegated : CoordinatorChanged",
    run: overtaken,
  },
  {
    arrow: "EndorsementGathering --> Delegated : EndorsementRefused [mayRetry]",
    run: (trace) => fresh(trace).gathering().refused(),
  },
  {
    arrow:
      "EndorsementGathering --> Reverted : EndorsementRefused [hasNoLiveStep]",
    run: (trace) => fresh(trace, 0).gathering().expired().refused(),
  },
  {
    arrow: "EndorsementGathering --> Pending : EndorsementRefused",
    run: (trace) => back(trace, 0).gathering().refused(),
  },
  {
    arrow: "Prepared --> Assembling : AssembleRequestReceived",
    run: (trace) => permitted(trace).assembling(),
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
    arrow: "Dispatched --> Reverted : ConfirmedReverted [hasNoLiveStep]",
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
    arrow: "Sequenced --> Reverted : ConfirmedReverted [hasNoLiveStep]",
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
    arrow: "Submitted --> Reverted : ConfirmedReverted [hasNoLiveStep]",
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
  {
    arrow: "Assembling --> Delegated : AssembleDeferred",
    run: (trace) => {
      fresh(trace).assembling().answer();
    },
  },
];

/** Every state in which the ledger may have it, with a permission that may still be used. */
const fulfillable = {
  Pending: (trace: Trace) => dispatched(trace, 0).failed(),
  Delegated: (trace: Trace) => back(trace),
  Assembling: (trace: Trace) => back(trace).assembling(),
  EndorsementGathering: (trace: Trace) => back(trace).gathering(),
  Prepared: (trace: Trace) => permitted(trace),
  Dispatched: (trace: Trace) => dispatched(trace),
  Sequenced: (trace: Trace) => sequenced(trace),
  Submitted: (trace: Trace) => submitted(trace),
  Parked: (trace: Trace) => back(trace).parked(),
};

const confirmations: readonly Drive[] = Object.entries(fulfillable).flatMap(
  ([state, drive]) => [
    {
      arrow: `${state} --> Confirmed : ConfirmedSuccess`,
      run: (trace: Trace) => drive(trace).confirmed(),
    },
    {
      arrow: `${state} --> Unproven : FulfilledUnseen`,
      run: (trace: Trace) => drive(trace).fulfilledIn("own"),
    },
  ],
);

/** The ledger has it in a bundle that it has not seen. */
const proofs: readonly Drive[] = [
  {
    arrow: "Unproven --> Confirmed : ConfirmedSuccess",
    run: (trace) => {
      const sender = fresh(trace).gathering();
      sender.proven(sender.fulfilledIn("own"));
    },
  },
  {
    arrow: "Unproven --> Reverted : FulfilledByOther",
    run: (trace) => {
      const sender = fresh(trace).gathering();
      sender.proven(sender.fulfilledIn("foreign"));
    },
  },
  {
    arrow: "Unproven --> Pending : FulfilmentUndone",
    run: (trace) => {
      const { node, wish } = fresh(trace).gathering();
      const seen = block(1, [wish.id]);
      node.tell(seen);
      const { facts } = seen;
      node.tell({ type: "BlocksReverted", height: 0, facts, reopened: [] });
    },
  },
  {
    arrow: "PreparedForUser --> Unproven : FulfilledUnseen",
    run: (trace) => {
      const { wish } = new Sender(trace);
      const bundle = bundleOf([], 10);
      const { digest } = bundle;
      const record: IntentRecord = {
        ...recordOf({ ...wish, isPrepareOnly: true }),
        prepared: { bundle, endorsements: [] },
        receipt: { type: "Prepared", id: wish.id, digest },
      };
      const node = new LoneNode({ self }, { records: [record] }, trace);
      node.tell(block(1, [wish.id]));
    },
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
    arrow: "Prepared --> Delegated : PermissionExpired [hasExpiredPermission]",
    run: (trace) => permitted(trace).expired(),
  },
];

/** Ways to arrows of the sender's transaction that no scenario takes. */
export const senderTransactionDrives: readonly Drive[] = [
  ...failures,
  ...confirmations,
  ...proofs,
  ...movements,
];
