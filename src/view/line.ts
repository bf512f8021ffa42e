import { styleText } from "node:util";

/** Part of a line that looks the same throughout. */
export interface Piece {
  readonly text: string;
  readonly style?: "bold" | "dim" | "red" | "green" | "yellow" | "cyan";
}

/** One line of a screen. */
export type Line = readonly Piece[];

/** A line without a style. */
export function words(text: string): Line {
  return [{ text }];
}

/** What fits the width. The last column stays free: some terminals go on to the next line when it is written to. */
export function fit(line: Line, width: number): Line {
  const fitted: Piece[] = [];
  let room = Math.max(0, width - 1);
  for (const piece of line) {
    const letters = Array.from(piece.text).slice(0, room);
    const text = letters.join("");
    room -= letters.length;
    if (text !== "") fitted.push({ ...piece, text });
  }
  return fitted;
}

/** A line as a terminal takes it. */
export function paint(line: Line, hasColor: boolean): string {
  return line
    .map(({ text, style }) =>
      hasColor && style !== undefined
        ? // Whether there is colour has been decided.
          styleText(style, text, { validateStream: false })
        : text,
    )
    .join("");
}
