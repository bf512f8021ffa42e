import type { SequencerConfig } from "../protocol/config.ts";
import type { Effect } from "../protocol/effects.ts";
import type { Event } from "../protocol/events.ts";
import type { SavedRecord } from "../protocol/records.ts";

/** What a node's core shows of itself to whoever checks it. */
export interface Inspection {
  /** The coordinator's state; undefined if it never coordinated. */
  readonly coordinator: string | undefined;
  /** Things that a quiet group must not keep, by kind, with their number. */
  readonly leftovers: Readonly<Record<string, number>>;
}

/** The protocol, as the simulator drives it. */
export interface Core<Sequencer> {
  readonly create: (
    config: SequencerConfig,
    restored: {
      readonly height: number;
      readonly records: readonly SavedRecord[];
    },
  ) => { readonly sequencer: Sequencer; readonly effects: readonly Effect[] };
  readonly handle: (sequencer: Sequencer, event: Event) => readonly Effect[];
  readonly inspect: (sequencer: Sequencer) => Inspection;
  /** Throws when something inside contradicts itself. */
  readonly check: (sequencer: Sequencer) => void;
}
