import type { Goal, Row } from "./goals.ts";
import type { Panel } from "./plot.ts";

/** One table. */
export interface Section {
  readonly title: string;
  readonly rows: readonly Row[];
}

/** What a part of the benchmark found out. */
export interface Findings {
  readonly sections: readonly Section[];
  readonly goals: readonly Goal[];
  /** For the picture. */
  readonly panels?: readonly Panel[];
}

/** How a part is run. */
export interface PartOptions {
  /** Less of everything, to see that it works. */
  readonly isQuick: boolean;
  /** The folder or the git revision of another tree, for parts that compare trees. */
  readonly against: string | undefined;
  /** Tells how far it is. */
  readonly tell: (line: string) => void;
}

/** One part of the benchmark: a figure, or several that belong together. */
export interface Part {
  readonly about: string;
  readonly run: (options: PartOptions) => Promise<Findings>;
}
