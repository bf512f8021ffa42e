import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, type WriteStream } from "node:fs";
import { createInterface } from "node:readline";

import { guard, release } from "./guard.ts";

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** What to run, and where its output goes. */
export interface ChildOptions {
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** What it says is added to `<output>.out` and `<output>.err`. */
  readonly output: string;
}

/**
 * A process of its own, which goes when this one goes. Its output comes through pipes: a limit on the size of files must not
 * keep it from saying what happened.
 */
export class Child {
  readonly #process: ChildProcess;
  readonly #files: readonly WriteStream[];
  readonly exited: Promise<Exit>;
  #exit: Exit | undefined;

  constructor(
    options: ChildOptions,
    ports: { readonly onLine: (line: string) => void },
  ) {
    const [file, ...args] = options.command;
    this.#process = spawn(file, args, {
      cwd: options.cwd,
      env: options.env,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    if (this.#process.pid !== undefined) guard(this.#process.pid);
    const out = createWriteStream(`${options.output}.out`, { flags: "a" });
    const err = createWriteStream(`${options.output}.err`, { flags: "a" });
    this.#files = [out, err];
    const { stdout, stderr } = this.#process;
    if (stdout === null || stderr === null)
      throw new Error("A process has no output.");
    createInterface({ input: stdout }).on("line", (line) => {
      out.write(`${line}\n`);
      ports.onLine(line);
    });
    stderr.pipe(err);
    this.exited = this.#watch();
  }

  get pid(): number {
    const { pid } = this.#process;
    if (pid === undefined) throw new Error("A process has no id.");
    return pid;
  }

  /** Undefined while it runs. */
  get exit(): Exit | undefined {
    return this.#exit;
  }

  /** To it and to all processes that it started. */
  signal(signal: NodeJS.Signals): void {
    if (this.#exit !== undefined || this.#process.pid === undefined) return;
    try {
      process.kill(-this.#process.pid, signal);
    } catch (error) {
      // It may have gone a moment ago, and nobody has heard of it yet.
      if (Reflect.get(Object(error), "code") !== "ESRCH") throw error;
    }
  }

  async kill(): Promise<Exit> {
    this.signal("SIGKILL");
    return await this.exited;
  }

  async #watch(): Promise<Exit> {
    const [code, signal] = (await once(this.#process, "close")) as [
      number | null,
      string | null,
    ];
    this.#exit = { code, signal };
    if (this.#process.pid !== undefined) release(this.#process.pid);
    for (const file of this.#files) file.end();
    return this.#exit;
  }
}
