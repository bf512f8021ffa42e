import { type ChildProcess, execFile, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";

import type { Command } from "../../../plugin/helpers/processes.ts";

const root = path.resolve(import.meta.dirname, "../../../..");
const program = path.join(import.meta.dirname, "cli.js");
const hardhat = path.join(root, "node_modules/hardhat/dist/src/cli.js");

/** Hardhat's command line in a project: in a process for many commands, or in one of its own for each. */
export class CommandLine {
  readonly #cwd: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #child: ChildProcess;
  /** Resolves with the exit code of the process for all commands. */
  readonly #ended: Promise<unknown>;

  constructor(cwd: string, temporary: string) {
    const inherited = Object.entries(process.env).filter(
      // A test runner of Hardhat names its own configuration there.
      ([name]) => !/^(CI|FORCE_COLOR|HARDHAT_.*)$/.test(name),
    );
    this.#cwd = cwd;
    this.#env = {
      ...Object.fromEntries(inherited),
      NO_COLOR: "1",
    };
    this.#child = fork(program, {
      cwd,
      env: { ...this.#env, TMPDIR: temporary },
      execArgv: [],
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    this.#ended = once(this.#child, "exit").then(([code]: unknown[]) => code);
  }

  /** What a command does, in the process for all of them. */
  async run(words: readonly string[]): Promise<Command> {
    const given = new AbortController();
    const answered = once(this.#child, "message", { signal: given.signal });
    this.#child.send(words);
    const ended = this.#ended.then((code) => {
      throw new Error(`${words.join(" ")} ended the process: ${String(code)}`);
    });
    try {
      const [answer] = (await Promise.race([answered, ended])) as [Command];
      return answer;
    } finally {
      given.abort();
    }
  }

  /** What the same command does in a process of its own. */
  async runAlone(words: readonly string[]): Promise<Command> {
    return await new Promise((resolve) => {
      const child = execFile(
        process.execPath,
        [hardhat, ...words],
        { cwd: this.#cwd, env: this.#env, timeout: 120_000 },
        (_error, stdout, stderr) => {
          resolve({ exitCode: child.exitCode ?? -1, stdout, stderr });
        },
      );
    });
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.disconnect();
    await ended;
  }
}
