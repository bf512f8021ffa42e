import { randomBytes, verify } from "node:crypto";

import { type OpenDisk, openMachineDisk } from "../store/disk.ts";
import { machineTimers, type Timers } from "../async/timers.ts";
import type { VerifyEnvelope } from "../network/envelope.ts";

/** What a node takes from the machine that it runs on. A simulated machine draws all of it from a seed. */
export interface Machine {
  readonly timers: Timers;
  /** Milliseconds since 1970. */
  readonly wallMs: () => number;
  /** Bytes that nobody can foresee. */
  readonly randomBytes: (length: number) => Uint8Array;
  readonly openDisk: OpenDisk;
  readonly verifyEnvelope: VerifyEnvelope;
}

/** The machine of this process. */
export const thisMachine: Machine = {
  timers: machineTimers,
  wallMs: () => Date.now(),
  randomBytes,
  openDisk: openMachineDisk,
  verifyEnvelope: (bytes, key, signature) =>
    verify(null, bytes, key, signature),
};
