import type { Digest, IntentId, NodeName, Place, StateId } from "./ids.ts";

/** What a user asked for. */
export interface Intent {
  readonly id: IntentId;
  /** Opaque to the protocol; the domain reads it. */
  readonly payload: string;
  /** Intents that must be confirmed, or at least be in flight, before this one is assembled. */
  readonly dependsOn: readonly IntentId[];
  /** Names of the state sets it touches; undefined means that it may touch anything. Disjoint ones run in parallel. */
  readonly touches: readonly string[] | undefined;
  /** Stop before dispatch and give the endorsed bundle to the user. */
  readonly isPrepareOnly: boolean;
}

/** A state with its private content. */
export interface State {
  readonly id: StateId;
  readonly content: string;
}

/** A state, and where the ledger keeps it. */
export interface PlacedState {
  readonly id: StateId;
  readonly place: Place;
}

/** An assembled intent: what it spends, reads and creates. */
export interface Step {
  readonly intentId: IntentId;
  readonly sender: NodeName;
  /** That of its intent: endorsers check the step against it. */
  readonly payload: string;
  readonly inputs: readonly StateId[];
  readonly reads: readonly StateId[];
  readonly outputs: readonly State[];
  /** Where its sender found what it spends and reads, as far as that is on the ledger. */
  readonly found: readonly PlacedState[];
  /** The sender's signature over the step. */
  readonly signature: string;
}

/** One or more steps in order, to be endorsed, permitted and dispatched as one net transition. */
export interface UnsealedBundle {
  readonly steps: readonly Step[];
  /** Where the ledger keeps, or will keep, all that the steps take from outside of the bundle. */
  readonly places: readonly PlacedState[];
  /** The last block in which it can happen. */
  readonly validUntil: number;
}

/** A bundle with the digest that endorsers sign. */
export interface Bundle extends UnsealedBundle {
  readonly digest: Digest;
}

/** A member's signature over a bundle's digest. */
export interface Endorsement {
  readonly endorser: NodeName;
  readonly digest: Digest;
  readonly signature: string;
}

/** What in-flight transitions will have done: states that exist for whoever builds on them, and states that are gone. */
export interface SpeculativeView {
  readonly created: readonly State[];
  readonly spent: readonly StateId[];
}
