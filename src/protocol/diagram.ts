/** What a diagram needs of a rule. */
interface DrawnRule {
  readonly to: string;
  readonly when?: { readonly name: string };
  readonly run?: readonly { readonly name: string }[];
  /** It must never be taken, and this is why. */
  readonly why?: string;
}

/** What a diagram needs of a table. */
type DrawnTable = Readonly<
  Record<string, Readonly<Record<string, readonly DrawnRule[] | undefined>>>
>;

/** An arrow of a machine, with the names of its guard and actions. */
export interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly event: string;
  readonly when: string | undefined;
  readonly run: readonly string[];
}

/** All arrows of a table, in its order. */
export function arrowsOf(table: DrawnTable): Arrow[] {
  return Object.entries(table).flatMap(([from, events]) =>
    Object.entries(events).flatMap(([event, rules = []]) =>
      rules
        .filter(({ why }) => why === undefined)
        .map(({ to, when, run = [] }) => ({
          from,
          to,
          event,
          when: when?.name,
          run: run.map(({ name }) => name),
        })),
    ),
  );
}

/** A pair of state and event that must never happen. */
export interface ImpossiblePair {
  readonly from: string;
  readonly event: string;
  readonly why: string;
}

/** All pairs of a table that must never happen, in its order. */
export function impossiblePairsOf(table: DrawnTable): ImpossiblePair[] {
  return Object.entries(table).flatMap(([from, events]) =>
    Object.entries(events).flatMap(([event, rules = []]) =>
      rules.flatMap(({ why }) =>
        why === undefined ? [] : [{ from, event, why }],
      ),
    ),
  );
}

/** The arrows as a mermaid diagram. */
export function diagramOf(arrows: readonly Arrow[]): string {
  const lines = arrows.map(({ from, to, event, when }) => {
    const start = from === "Initial" ? "[*]" : from;
    const end = to === "Final" ? "[*]" : to;
    return `    ${start} --> ${end} : ${event}${when === undefined ? "" : ` [${when}]`}`;
  });
  return ["stateDiagram-v2", "    direction LR", ...new Set(lines)].join("\n");
}
