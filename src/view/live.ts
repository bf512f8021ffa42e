import { fit, type Line, paint } from "./line.ts";

/** A terminal, or what stands for one in a test. */
export interface Terminal {
  readonly columns?: number;
  readonly rows?: number;
  readonly write: (text: string) => unknown;
}

const escape = "\u001B[";
const hideCursor = `${escape}?25l`;
const showCursor = `${escape}?25h`;
/** Terminals that know it show everything between the two at once; others ignore it. */
const beginUpdate = `${escape}?2026h`;
const endUpdate = `${escape}?2026l`;
const clearToEndOfLine = `${escape}K`;
const clearBelow = `${escape}J`;

const defaultSize = { columns: 80, rows: 24 };

/** The size of a terminal, also of one that does not say. */
export function sizeOf({ columns, rows }: Terminal): {
  readonly columns: number;
  readonly rows: number;
} {
  return {
    columns:
      columns !== undefined && columns > 0 ? columns : defaultSize.columns,
    rows: rows !== undefined && rows > 0 ? rows : defaultSize.rows,
  };
}

/** Draws lines over the lines that it drew before. What was on the terminal before it stays. */
export class Live {
  readonly #terminal: Terminal;
  readonly #hasColor: boolean;
  #drawn = 0;
  #isOpen = false;

  constructor(
    options: { readonly hasColor: boolean },
    ports: { readonly terminal: Terminal },
  ) {
    this.#hasColor = options.hasColor;
    this.#terminal = ports.terminal;
  }

  draw(lines: readonly Line[]): void {
    const { columns, rows } = sizeOf(this.#terminal);
    const shown = lines
      .slice(0, Math.max(1, rows - 1))
      .map((line) => paint(fit(line, columns), this.#hasColor));
    const text = shown.map((line) => `${line}${clearToEndOfLine}\n`).join("");
    const open = this.#isOpen ? "" : hideCursor;
    this.#isOpen = true;
    this.#terminal.write(
      `${beginUpdate}${open}${this.#toTop()}${text}${clearBelow}${endUpdate}`,
    );
    this.#drawn = shown.length;
  }

  /** What was drawn stays, and the terminal is as it was. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#drawn = 0;
    this.#terminal.write(showCursor);
  }

  #toTop(): string {
    return this.#drawn > 0 ? `${escape}${this.#drawn}A\r` : "";
  }
}
