/** A measured ratio and the most that it may be. Only ratios are goals: seconds belong to the machine. */
export interface Ratio {
  readonly name: string;
  readonly value: number;
  readonly valueMax: number;
}

/** Goals that are missed, in words. */
export function missedGoals(ratios: readonly Ratio[]): string[] {
  return ratios
    .filter(({ value, valueMax }) => !(value <= valueMax))
    .map(
      ({ name, value, valueMax }) =>
        `${name} is ${value.toFixed(2)}, more than ${valueMax}`,
    );
}

/** One thing that was measured, with what it was measured for. */
export type Row = Readonly<Record<string, string | number>>;

/** Rows as a table for people: one column for each key of the first row. */
export function tableOf(rows: readonly Row[]): string {
  const keys = Object.keys(rows[0] ?? {});
  const lines = [
    keys,
    ...rows.map((row) => keys.map((key) => cellOf(row[key] ?? ""))),
  ];
  const widths = keys.map((_, column) =>
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
        .join("  "),
    )
    .join("\n");
}

function cellOf(value: string | number): string {
  if (typeof value === "string") return value;
  return value < 100 && !Number.isInteger(value)
    ? value.toFixed(2)
    : Math.round(value).toLocaleString("en");
}
