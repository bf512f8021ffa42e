import type { Tracer } from "../../../src/protocol/machine.ts";

/** Told of the steps of all machines. */
export type Trace = Tracer<{ readonly state: string }>;

/** A short way to one arrow of a table: the node by itself, and the test is everybody else. */
export interface Drive {
  /** As `ArrowLog` writes it. */
  readonly arrow: string;
  readonly run: (trace: Trace) => void;
}
