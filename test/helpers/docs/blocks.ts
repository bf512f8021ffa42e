import { readFileSync } from "node:fs";
import path from "node:path";

/** The folder of the repository. */
export const root = path.resolve(import.meta.dirname, "../../..");

/** A fenced block of a page. */
export interface Block {
  /** The page, from the root. */
  readonly page: string;
  /** The line of the fence that opens it, counted from 1. */
  readonly line: number;
  /** The word after the fence, in small letters; empty if there is none. */
  readonly language: string;
  readonly text: string;
  /** The html comment on the last line with text before it, without its marks. */
  readonly comment: string | undefined;
}

/** The text of a file of the repository. */
export function readPage(page: string): string {
  return readFileSync(path.join(root, page), "utf8");
}

/** All fenced blocks of a page, in their order. Throws if one is not closed. */
export function blocksOf(page: string, text = readPage(page)): Block[] {
  const lines = text.split("\n");
  const blocks: Block[] = [];
  let opened: { indent: string; index: number; language: string } | undefined;
  for (const [index, line] of lines.entries()) {
    const fence = /^( *)```(\w*)/.exec(line);
    if (fence === null) continue;
    if (opened === undefined) {
      const [, indent = "", language = ""] = fence;
      opened = { indent, index, language: language.toLowerCase() };
      continue;
    }
    const { indent, index: first, language } = opened;
    opened = undefined;
    blocks.push({
      page,
      line: first + 1,
      language,
      text: lines
        .slice(first + 1, index)
        .map((inner) => inner.replace(indent, ""))
        .join("\n"),
      comment: commentBefore(lines.slice(0, first)),
    });
  }
  if (opened !== undefined)
    throw new Error(`${page}:${opened.index + 1}: the block is not closed.`);
  return blocks;
}

function commentBefore(lines: readonly string[]): string | undefined {
  const last = lines.findLast((line) => line.trim() !== "");
  return /^\s*<!-- (.*) -->\s*$/.exec(last ?? "")?.[1];
}
