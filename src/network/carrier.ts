import type { NodeName } from "../protocol/ids.ts";

/** Moves bytes between nodes. It may do anything to them, and to their order; it is trusted with nothing. */
export interface Carrier {
  /** Never throws and never waits. */
  readonly carry: (to: NodeName, wire: Uint8Array) => void;
  readonly stop: () => Promise<void>;
}

/** Makes the carrier of one node, which hands over what arrives for it; never before it is made. */
export type Connect = (
  name: NodeName,
  arrive: (wire: Uint8Array) => void,
) => Carrier;
