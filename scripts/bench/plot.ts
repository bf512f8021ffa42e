/** Bars of one kind: ratios, with what each should be. */
export interface Panel {
  readonly title: string;
  readonly bars: readonly Bar[];
}

export interface Bar {
  readonly label: string;
  readonly value: number;
  /** Marked by a line across the bar. */
  readonly goal?: number;
  /** Whether less is better; otherwise more is. */
  readonly isCost?: boolean;
}

const WIDTH = 760;
const LEFT = 250;
const RIGHT = 80;
const BAR = 16;
const STEP = 24;
const TITLE = 34;

/** Panels below each other, as SVG that needs nothing else. Readable on light and dark pages, and without colours. */
export function plotOf(panels: readonly Panel[]): string {
  let y = 8;
  const parts: string[] = [];
  for (const panel of panels) {
    parts.push(panelOf(panel, y));
    y += TITLE + panel.bars.length * STEP + 12;
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" font-family="sans-serif" font-size="13">`,
    `<rect width="${WIDTH}" height="${y}" fill="#ffffff"/>`,
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}

function panelOf({ title, bars }: Panel, top: number): string {
  const numbers = bars.flatMap(({ value, goal }) => [value, goal ?? 0]);
  const most = Math.max(...numbers.filter(Number.isFinite), Number.EPSILON);
  const widthOf = (value: number): number =>
    round(((WIDTH - LEFT - RIGHT) * value) / most);
  const lines = bars.map((bar, i) => {
    const y = top + TITLE + i * STEP;
    const width = Number.isFinite(bar.value) ? widthOf(bar.value) : 0;
    const text = Number.isFinite(bar.value) ? bar.value.toFixed(2) : "none";
    return [
      `<text x="${LEFT - 8}" y="${y + 13}" text-anchor="end">${escape(bar.label)}</text>`,
      `<rect x="${LEFT}" y="${y}" width="${width}" height="${BAR}" fill="${isGood(bar) ? "#4477aa" : "#cc6677"}"/>`,
      `<text x="${LEFT + Math.max(width, widthOf(bar.goal ?? 0)) + 6}" y="${y + 13}">${text}</text>`,
      ...(bar.goal === undefined
        ? []
        : [
            `<line x1="${LEFT + widthOf(bar.goal)}" x2="${LEFT + widthOf(bar.goal)}" y1="${y - 3}" y2="${y + BAR + 3}" stroke="#222222" stroke-width="2"/>`,
          ]),
    ].join("\n");
  });
  return [
    `<text x="8" y="${top + 20}" font-weight="bold">${escape(title)}</text>`,
    ...lines,
  ].join("\n");
}

function isGood({ value, goal, isCost = false }: Bar): boolean {
  if (goal === undefined) return true;
  return isCost ? value <= goal : value >= goal;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escape(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
