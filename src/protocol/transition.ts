import type {
  Digest,
  IntentId,
  NodeName,
  Place,
  StateId,
  StepHash,
} from "./ids.ts";

/** What a user asked for. */
export interface Intent {
  readonly id: IntentId;
  /** Shows that the id belongs to the intent's sender: see `Hashing.isOwnIntent`. */
  readonly laneSalt: string;
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

/** A call that the ledger makes after a transition: an address, and bytes, both as lower-case hexadecimal digits. */
export interface ExternalCall {
  readonly target: string;
  readonly data: string;
  /** The gas that the target gets at least, whoever submits. */
  readonly gasMin: number;
}

/** An assembled intent: what it spends, reads and creates. */
export interface Step {
  readonly intentId: IntentId;
  /** That of its intent: endorsers check that the id belongs to the sender. */
  readonly laneSalt: string;
  readonly sender: NodeName;
  /** That of its intent: endorsers check the step against it. */
  readonly payload: string;
  readonly inputs: readonly StateId[];
  readonly reads: readonly StateId[];
  readonly outputs: readonly State[];
  /** What is to be known of it besides. The ledger has no such states. */
  readonly infos: readonly State[];
  readonly calls: readonly ExternalCall[];
  /** Where its sender found what it spends and reads, as far as that is on the ledger. */
  readonly found: readonly PlacedState[];
  /** The last block in which the step can happen: no bundle that it is in is valid for longer. */
  readonly validUntil: number;
  /** Without it, whoever knows the hash of a step could guess what is in it. */
  readonly salt: string;
  /** The sender's signature over the step. */
  readonly signature: string;
}

/** What a step does to the ledger, and a hash of all of it: everything that a digest depends on, and nothing private. */
export interface StepOutline {
  readonly intentId: IntentId;
  readonly inputs: readonly StateId[];
  readonly reads: readonly StateId[];
  readonly outputs: readonly { readonly id: StateId }[];
  readonly calls: readonly ExternalCall[];
  readonly hash: StepHash;
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

/** A bundle, as everybody may see it. */
export interface Outline extends Omit<Bundle, "steps"> {
  readonly steps: readonly StepOutline[];
}

/** An outline whose digest is not known yet, or not believed. */
export type UnsealedOutline = Omit<Outline, "digest">;

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
