/** A measured figure and how large or small it may be. Goals are ratios: seconds belong to the machine. */
export interface Goal {
  readonly name: string;
  readonly value: number;
  readonly valueMin?: number;
  readonly valueMax?: number;
}

/** Whether it is as it should be. What is no number never is. */
export function isReached({ value, valueMin, valueMax }: Goal): boolean {
  return (
    (valueMin === undefined || value >= valueMin) &&
    (valueMax === undefined || value <= valueMax)
  );
}

/** Goals that are missed, in words. */
export function missedGoals(goals: readonly Goal[]): string[] {
  return goals
    .filter((goal) => !isReached(goal))
    .map((goal) => {
      const { name, value, valueMin, valueMax } = goal;
      const isLess = valueMin !== undefined && !(value >= valueMin);
      const bound = isLess
        ? `less than ${valueMin.toLocaleString("en")}`
        : `more than ${valueMax?.toLocaleString("en") ?? ""}`;
      return `${name} is ${cellOf(value)}, ${bound}`;
    });
}

/** Goals as rows of a table. */
export function goalRows(goals: readonly Goal[]): readonly Row[] {
  return goals.map((goal) => {
    const { name: figure, value, valueMin, valueMax } = goal;
    const bounds = [
      valueMin === undefined ? [] : [`at least ${cellOf(valueMin)}`],
      valueMax === undefined ? [] : [`at most ${cellOf(valueMax)}`],
    ].flat();
    return {
      figure,
      value,
      goal: bounds.join(", "),
      "": isReached(goal) ? "reached" : "missed",
    };
  });
}

/** One thing that was measured, with what it was measured for. */
export type Row = Readonly<Record<string, string | number>>;

/** Rows as a table for people: one column for each key. */
export function tableOf(rows: readonly Row[]): string {
  const lines = linesOf(rows);
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((cells) => cells[column]?.length ?? 0)),
  );
  return lines
    .map((cells) =>
      cells
        .map((cell, column) =>
          column === 0
            ? cell.padEnd(widths[column] ?? 0)
            : cell.padStart(widths[column] ?? 0),
        )
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** The same as Markdown. */
export function markdownOf(rows: readonly Row[]): string {
  const [head = [], ...body] = linesOf(rows).map((cells) =>
    cells.map((cell) => cell.replaceAll("|", "\\|")),
  );
  const rule = head.map((_, column) => (column === 0 ? "---" : "--:"));
  return [head, rule, ...body]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}

function linesOf(rows: readonly Row[]): readonly (readonly string[])[] {
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return [
    keys,
    ...rows.map((row) => keys.map((key) => cellOf(row[key] ?? ""))),
  ];
}

function cellOf(value: string | number): string {
  if (typeof value === "string") return value;
  return Math.abs(value) < 100 && !Number.isInteger(value)
    ? value.toFixed(2)
    : Math.round(value).toLocaleString("en");
}
