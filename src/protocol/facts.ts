import type { IntentId } from "./ids.ts";

// Many things make it possible to go on: an answer, a block, time. The actions that see one of them note it as a fact. The machines
// are told when the node has heard all messages of the turn: each fact once, so that all that is queued together is sent together.

/** Facts that may let the sender go on, in the order in which it is told of them. */
export const senderFacts = [
  /** A transaction has ended. */
  { type: "TransactionEnded" },
  /** Another tick is over. */
  { type: "TickPassed" },
  /** A transaction waits for its user: it is parked, or prepared. */
  { type: "TransactionRested" },
  /** A transaction that waited for its user is open again. */
  { type: "TransactionResumed" },
  /** This node has seen other blocks. */
  { type: "LedgerMoved" },
  /** A coordinator was heard, or is passed over from now on, or no longer is. */
  { type: "CoordinatorKnown" },
  /** A coordinator answered a delegation. */
  { type: "DelegationAnswered" },
  /** A transaction is no longer with the coordinator that it was sent to. */
  { type: "DelegationEnded" },
  /** A transaction waits to be sent to a coordinator. */
  { type: "TransactionQueued" },
] as const;

/** Facts that may let the coordinator go on, in the order in which it is told of them: that of the way to the ledger. */
export const coordinatorFacts = [
  /** This node has work of its own from now on, or may dispatch it from now on. */
  { type: "RoleTaken" },
  { type: "TickPassed" },
  { type: "LedgerMoved" },
  /** A transaction waits for its assembly. */
  { type: "TransactionPooled" },
  /** A sender that was not asked for a while has answered. */
  { type: "SenderAnswered" },
  /** A request for assembly is answered, or given up. */
  { type: "AssemblyFinished" },
  /** A step is no longer in flight, and is not on the ledger either. */
  { type: "StepFell" },
  /** A step is in flight. */
  { type: "StepAssembled" },
  /** A bundle is dispatched. */
  { type: "BundleDispatched" },
  /** A bundle was taken apart. */
  { type: "BundleDissolved" },
  /** A bundle has enough endorsements. */
  { type: "BundleEndorsed" },
] as const;

export type CoordinatorFact = (typeof coordinatorFacts)[number];

export type SenderFact = (typeof senderFacts)[number];

/** What happened in a turn that may let a machine go on. */
export type Fact = (SenderFact | CoordinatorFact)["type"];

/** A bit for each fact: some are noted for every transaction. */
export const factBits = Object.fromEntries(
  [
    ...new Set([...senderFacts, ...coordinatorFacts].map(({ type }) => type)),
  ].map((type, index) => [type, 1 << index]),
) as Readonly<Record<Fact, number>>;

/** An intent of this node that can never be confirmed. */
export interface FailedIntent {
  readonly id: IntentId;
  readonly why: "reverted" | "was prepared and not executed";
}
