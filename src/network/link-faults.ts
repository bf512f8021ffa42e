/** What happens to bytes on their way from one node to another. */
export interface LinkFaults {
  /** Nothing arrives, not even what is on its way. */
  readonly isCut: boolean;
  /** Milliseconds, drawn for each; with a range, some overtake others. */
  readonly delayMs: { readonly min: number; readonly max: number };
  /** Probabilities from 0 to 1. */
  readonly drop: number;
  readonly duplicate: number;
}

export const noFaults: LinkFaults = {
  isCut: false,
  delayMs: { min: 0, max: 0 },
  drop: 0,
  duplicate: 0,
};

/** Why a hub lost something. */
export type LossReason = "cut" | "dropped" | "full" | "absent";

/** Draws numbers: at least 0, less than 1. */
export interface Draw {
  readonly fraction: () => number;
}
