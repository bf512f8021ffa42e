/** A scenario's file: what it shows and what happens, then the transcript of that. */
export interface ScenarioFile {
  /** Everything above the transcript, to be written back as it is. */
  readonly script: string;
  readonly transcript: string;
}

/** One line of a script: words, and options `name=value` in any place. */
export interface Command {
  readonly line: string;
  readonly verb: string;
  readonly words: readonly string[];
  readonly options: ReadonlyMap<string, string>;
}

const separator = "----\n";

/** Splits a file at its line of dashes. A file without one has no transcript yet. */
export function readFile(text: string): ScenarioFile {
  const at = text.indexOf(`\n${separator}`);
  if (at === -1) return { script: text.trimEnd() + "\n", transcript: "" };
  return {
    script: text.slice(0, at + 1),
    transcript: text.slice(at + 1 + separator.length),
  };
}

export function writeFile({ script, transcript }: ScenarioFile): string {
  return script + separator + transcript;
}

/** The commands of a script. Lines that begin with `#` are for the reader. */
export function readCommands(script: string): Command[] {
  return script
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map(readCommand);
}

function readCommand(line: string): Command {
  const [verb = "", ...rest] = line.split(/\s+/);
  const words = rest.filter((word) => !word.includes("="));
  const options = new Map(
    rest
      .filter((word) => word.includes("="))
      .map((word) => {
        const at = word.indexOf("=");
        return [word.slice(0, at), word.slice(at + 1)];
      }),
  );
  return { line, verb, words, options };
}

/** A script that makes no sense. The line is named by whoever runs it. */
export class ScriptError extends Error {}

/** A word that must be there. */
export function wordAt({ words }: Command, index: number): string {
  const word = words[index];
  if (word === undefined) throw new ScriptError("something is missing");
  return word;
}

/** A whole number. */
export function numberOf(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new ScriptError(`${text}: a number`);
  return number;
}

/** A list `a,b`; empty without the option. */
export function listOf({ options }: Command, name: string): string[] {
  return options.get(name)?.split(",") ?? [];
}
