import { blocksOf } from "../../test/helpers/docs/blocks.ts";

/** Commands of a page that belong together, and what it says of them. */
export interface Step {
  readonly commands: readonly string[];
  /** Lines that the page shows as their output. "…" stands for anything. */
  readonly output: readonly string[];
  readonly exitCode: number;
  /** The start of a command that gets Ctrl-C before. */
  readonly interrupted: string | undefined;
}

/** Blocks that other parts of the tests do in their own way. */
const SET_UP = "set-up";
/** Blocks that no test runs, with the reason. */
const ILLUSTRATIVE = /^illustrative\b/;

/**
 * The commands of a page, in their order. A block of text after a block of commands is their output; a comment before it
 * says what else happens: `exits with 1`, or `Ctrl-C: npx hardhat node`.
 */
export function stepsOf(page: string, text: string): readonly Step[] {
  const blocks = blocksOf(page, text);
  return blocks.flatMap(({ language, text, comment = "" }, index) => {
    if (language !== "sh" || comment === SET_UP || ILLUSTRATIVE.test(comment))
      return [];
    const next = blocks[index + 1];
    const [, exitCode = "0"] = /^exits with (\d+)$/.exec(comment) ?? [];
    return [
      {
        commands: text.replaceAll("\\\n", " ").split("\n"),
        output:
          next?.language === "text" && !ILLUSTRATIVE.test(next.comment ?? "")
            ? next.text.split("\n")
            : [],
        exitCode: Number(exitCode),
        interrupted: /^Ctrl-C: (.+)$/.exec(comment)?.[1],
      },
    ];
  });
}

/** Ids of transactions, addresses and hashes: others in each run. */
const ID =
  /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|0x[\da-f]{64}|0x[\da-f]{40}/gi;

/** The ids of a page, and those that stand for them in this run. The first output that shows one decides. */
export class Ids {
  readonly #known = new Map<string, string>();

  /** A command of the page, as it has to be in this run. */
  translate(command: string): string {
    return command.replace(ID, (id) => this.#known.get(id) ?? id);
  }

  /** The first expected line that the output does not show after the one before; undefined if it shows all. */
  missingLine(
    expected: readonly string[],
    output: readonly string[],
  ): string | undefined {
    let rest = output;
    for (const line of expected) {
      const index = rest.findIndex((one) => this.#matches(line, one));
      if (index === -1) return line;
      rest = rest.slice(index + 1);
    }
    return undefined;
  }

  #matches(expected: string, line: string): boolean {
    const ids = expected.match(ID) ?? [];
    const parts = expected.split(ID).map(patternOf);
    const known = ids.map((id) => this.#known.get(id) ?? `(${ID.source})`);
    const text = parts.map((part, i) => part + (known[i] ?? "")).join("");
    const found = new RegExp(`^${text}$`, "i").exec(
      line.trim().replace(/\s+/g, " "),
    );
    if (found === null) return false;
    const unknown = ids.filter((id) => !this.#known.has(id));
    for (const [i, id] of unknown.entries())
      this.#known.set(id, found[i + 1] ?? "");
    return true;
  }
}

/** A number of thousands is a measurement: others with as many digits will do. */
const MEASURED = /\d{1,3}(?:,\d{3})+/g;

/** A pattern for a part of a line. The width of columns does not matter. */
function patternOf(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
    .replace(MEASURED, (number) => number.replace(/\d/g, "\\d"))
    .replaceAll("…", ".*");
}
