import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { Child } from "../../test/torture/harness/processes/child.ts";
import { until } from "../../test/torture/harness/processes/until.ts";
import { movePorts } from "./ports.ts";
import { Ids, type Step, stepsOf } from "./script.ts";

/** Commands that go on until somebody stops them. */
const GOES_ON =
  /^npx hardhat (node\b|sequencer:node\b|sequencer:run\b(?!.*--intents)|sequencer:status\b.*--watch)/;
/** The machine may have much else to do. */
const DEADLINE_MS = 240_000;

interface Running {
  readonly command: string;
  readonly child: Child;
  readonly lines: string[];
}

/**
 * Does what the README of a project says: runs its commands in their order, each in a process of its own, and compares
 * what they print with what the page shows. Whatever happens, none of the processes is left.
 */
export async function runStory(
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const files = ["README.md", "hardhat.config.ts"].map((file) =>
    path.join(cwd, file),
  );
  const [page = "", config = ""] = await movePorts(
    files.map((file) => readFileSync(file, "utf8")),
  );
  writeFileSync(path.join(cwd, "hardhat.config.ts"), config);
  const story = new Story({ cwd, env: { ...env, NO_COLOR: "1" }, tell });
  try {
    for (const step of stepsOf("README.md", page)) await story.play(step);
  } finally {
    await story.end();
  }
}

/** Where commands run. */
export interface Stage {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** A command as it has to be on this machine; as it is, if left out. */
  readonly adapt?: (command: string) => string;
  /** Is told of every command that did what the page says. */
  readonly tell?: (command: string, started: number) => void;
}

/** Plays steps of a page. `end` must be called, whatever happens. */
export class Story {
  readonly #stage: Stage;
  readonly #ids = new Ids();
  readonly #logs = mkdtempSync(path.join(tmpdir(), "story-"));
  readonly #running: Running[] = [];

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  async play({ commands, output, exitCode, interrupted }: Step): Promise<void> {
    if (interrupted !== undefined) await this.#interrupt(interrupted);
    const isLasting = commands.some((command) => GOES_ON.test(command));
    const printed: string[] = [];
    const begun: Running[] = [];
    for (const command of commands) {
      const started = performance.now();
      const one = this.#start(command);
      begun.push(one);
      if (isLasting) continue;
      await this.#ends(one, exitCode);
      printed.push(...one.lines);
      this.#stage.tell?.(command, started);
    }
    if (!isLasting) this.#compare(commands, output, printed);
    for (const one of isLasting ? begun : []) await this.#shows(one, output);
  }

  async end(): Promise<void> {
    await Promise.all(
      this.#running.map(async ({ child }) => await child.kill()),
    );
    rmSync(this.#logs, { recursive: true });
  }

  #start(command: string): Running {
    const lines: string[] = [];
    const { cwd, env, adapt = (text) => text } = this.#stage;
    const translated = adapt(this.#ids.translate(command));
    const child = new Child(
      {
        command: ["/bin/sh", "-c", translated],
        cwd,
        env,
        output: path.join(this.#logs, String(this.#running.length)),
      },
      { onLine: (line) => lines.push(line) },
    );
    const running = { command, child, lines };
    this.#running.push(running);
    return running;
  }

  async #ends({ command, child, lines }: Running, code: number): Promise<void> {
    await until({ what: `${command} ends`, deadlineMs: DEADLINE_MS }, () =>
      child.exit === undefined ? undefined : true,
    );
    const exit = await child.exited;
    if (exit.code !== code)
      throw new Error(
        `${command} ended with ${String(exit.code ?? exit.signal)} instead of ${code}:\n${lines.join("\n")}\n${this.#errorsOf(command)}`,
      );
  }

  /** Waits until a process that goes on has printed what the page shows, and at least one line. */
  async #shows(one: Running, output: readonly string[]): Promise<void> {
    const { command, child, lines } = one;
    const started = performance.now();
    await until(
      {
        what: `${command} prints ${output.join(" ")}`,
        deadlineMs: DEADLINE_MS,
      },
      () =>
        child.exit !== undefined ||
        (lines.length > 0 && this.#ids.missingLine(output, lines) === undefined)
          ? true
          : undefined,
    );
    if (child.exit !== undefined)
      throw new Error(
        `${command} ended:\n${lines.join("\n")}\n${this.#errorsOf(command)}`,
      );
    this.#stage.tell?.(command, started);
  }

  async #interrupt(start: string): Promise<void> {
    const one = this.#running.find(({ command }) => command.startsWith(start));
    if (one === undefined) throw new Error(`Nothing runs that is ${start}`);
    one.child.signal("SIGINT");
    await until(
      { what: `${start} ends after Ctrl-C`, deadlineMs: DEADLINE_MS },
      () => (one.child.exit === undefined ? undefined : true),
    );
  }

  #compare(
    commands: readonly string[],
    expected: readonly string[],
    printed: readonly string[],
  ): void {
    const missing = this.#ids.missingLine(expected, printed);
    if (missing !== undefined)
      throw new Error(
        `${commands.join("\n")}\ndid not print:\n${missing}\nbut:\n${printed.join("\n")}`,
      );
  }

  #errorsOf(command: string): string {
    const index = this.#running.findIndex((one) => one.command === command);
    return readFileSync(path.join(this.#logs, `${index}.err`), "utf8");
  }
}

function tell(command: string, started: number): void {
  const seconds = ((performance.now() - started) / 1_000).toFixed(0);
  console.log(`${seconds.padStart(4)} s  ${command}`);
}
