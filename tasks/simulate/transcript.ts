import type { ViolationFact } from "./facts.ts";

/** Messages in the diagram: more do not fit on a page that people read. */
const MESSAGES_MAX = 60;

/** `1.234 alice   → bob DelegationRequest i1 block=7` */
const SENT = /^\s*(?<at>[\d.]+) (?<from>\S+)\s+→ (?<to>\S+) (?<what>.+)$/u;
/** `1.234 alice   Settled i1 Confirmed`, and other turning points of an intent. */
const NOTED =
  /^\s*(?<at>[\d.]+) (?<from>\S+)\s+(?<what>(?:Submit|Settled|Accepted|Refused) .+)$/u;

/** A page with everything that happened in one run, and a diagram of the end of it. */
export function transcriptPage(
  { seed, command }: { readonly seed: number; readonly command: string },
  lines: readonly string[],
  violation: ViolationFact | undefined,
): string {
  return [
    `# Seed ${seed}`,
    "",
    violation === undefined
      ? "Every property held."
      : `Violates ${violation.property}: ${violation.meaning}`,
    ...(violation === undefined ? [] : ["", violation.message]),
    "",
    "```sh",
    command,
    "```",
    "",
    "## The last messages",
    "",
    "```mermaid",
    ...diagramOf(lines),
    "```",
    "",
    "## Everything",
    "",
    "```text",
    ...lines,
    "```",
    "",
  ].join("\n");
}

/** A Mermaid sequence diagram of the end of a transcript. */
export function diagramOf(lines: readonly string[]): string[] {
  const steps = lines
    .map((line) => (SENT.exec(line) ?? NOTED.exec(line))?.groups)
    .filter((groups) => groups !== undefined)
    .slice(-MESSAGES_MAX);
  const nodes = new Set(
    steps.flatMap(({ from, to }) => [from, to].filter((name) => name)),
  );
  return [
    "sequenceDiagram",
    ...[...nodes].map((name) => `  participant ${name ?? ""}`),
    ...steps.map(({ at, from = "", to, what = "" }) =>
      to === undefined
        ? `  Note over ${from}: ${at ?? ""} s ${label(what)}`
        : `  ${from}->>${to}: ${label(what)}`,
    ),
  ];
}

/** Semicolons and hashes mean something to Mermaid. */
function label(text: string): string {
  return text.trim().replaceAll(/[;#]/gu, " ");
}
