import type { Digest, IntentId, NodeName, StateId } from "./ids.ts";

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

/** An assembled intent: what it spends, reads and creates. */
export interface Step {
  readonly intentId: IntentId;
  readonly sender: NodeName;
  readonly inputs: readonly StateId[];
  readonly reads: readonly StateId[];
  readonly outputs: readonly State[];
  /** The sender's signature over the step. */
  readonly signature: string;
}

/** One or more steps in order, endorsed, permitted and dispatched as one net transition. */
export interface Bundle {
  readonly steps: readonly Step[];
  /** The last block in which it can happen. */
  readonly validUntil: number;
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
