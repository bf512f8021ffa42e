import type { NodeName } from "../protocol/ids.ts";

/** Carries bodies between nodes. It may lose, delay, double and reorder them, but tells truly who sent them. */
export interface Transport {
  /** Never throws and never waits. */
  readonly send: (to: NodeName, body: string) => void;
  readonly stop: () => Promise<void>;
}

/** Gets what a transport delivers. Who sent it is authenticated; the body is not checked. */
export type Receive = (from: NodeName, body: string) => void;
