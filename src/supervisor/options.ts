import type { ElectionOptions } from "./election.ts";
import type { JudgeOptions } from "./judge.ts";

/** Which log is meant. */
export interface LogPlace {
  readonly schema: string;
  readonly bucket: number;
}

export interface SupervisorOptions
  extends LogPlace, ElectionOptions, JudgeOptions {
  readonly url: string;
  /** Of this supervisor, for people. */
  readonly name: string;
  /** For the operators' servers of replicas. */
  readonly token: string;
  /** From one round of probes to the next. */
  readonly probeMs: number;
  /** How long the answer to a probe may take; undefined: as long as a round. */
  readonly answerMs?: number | undefined;
  /** So many probes must fail, one after the other. */
  readonly probes: number;
  /** How long a master may take to stop by itself. */
  readonly revokeMs: number;
  /** How long a replica may take to begin after a grant. */
  readonly grantMs: number;
}

export const supervisorDefaults = {
  probeMs: 1_000,
  probes: 5,
  revokeMs: 500,
  grantMs: 3_000,
  tenureMsMin: 30_000,
  lagMax: 1_000,
  dispatchMsMax: 120_000,
} as const satisfies Partial<SupervisorOptions>;

/** A supervisor that the server has not heard for so many rounds loses its duty. */
const DUTY_ROUNDS = 5;

/** After so long without a sign of life the server gives the duty to another supervisor. No step takes as long. */
export function dutyMsOf({
  probeMs,
  answerMs = probeMs,
  revokeMs,
  grantMs,
}: Pick<
  SupervisorOptions,
  "probeMs" | "answerMs" | "revokeMs" | "grantMs"
>): number {
  return Math.max(
    DUTY_ROUNDS * probeMs,
    probeMs + answerMs + revokeMs + grantMs,
  );
}
