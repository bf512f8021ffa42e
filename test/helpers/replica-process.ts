import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";

import type { Role } from "../../src/replica/options.ts";
import type { ReplicaSettings } from "./replica-node.ts";
import type { OperatorSettings } from "./supervisor/operated.ts";

const program = path.resolve(import.meta.dirname, "replica-node-child.ts");

export interface ChildSettings extends ReplicaSettings {
  /** A moment at which the process ends as if it was killed. */
  readonly dies?: "when its store is open" | "when its boot is durable";
  /** It has a server for operators, and looks at a chain. */
  readonly operators?: OperatorSettings;
}

export interface Command {
  readonly does:
    | "save"
    | "die after append"
    | "certain"
    | "standing"
    | "role"
    | "saved"
    | "facts"
    | "stop";
  readonly n?: number;
}

type Line = { readonly role: Role } | { readonly answer: unknown };

/** A replica in a process of its own. */
export class ReplicaProcess {
  readonly name: string;
  readonly exited: Promise<unknown>;
  role: Role = "stopped";
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #answers: ((answer: unknown) => void)[] = [];
  #looks: (() => void)[] = [];
  #isOver = false;

  constructor(settings: ChildSettings) {
    this.name = settings.name;
    // With what this process was started with: sources may be sabotaged.
    this.#child = spawn(
      process.execPath,
      [...process.execArgv, program, JSON.stringify(settings)],
      { stdio: ["pipe", "pipe", "inherit"] },
    );
    // It may end before it has read all.
    this.#child.stdin.on("error", () => undefined);
    createInterface({ input: this.#child.stdout }).on("line", (text) => {
      this.#hear(JSON.parse(text) as Line);
    });
    this.exited = once(this.#child, "exit").then(() => {
      this.#isOver = true;
      for (const answer of this.#answers.splice(0)) answer("gone");
      this.#look();
    });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Says a command; resolves with the answer, or with "gone" if the process ends first. */
  async ask(command: Command): Promise<unknown> {
    if (this.#isOver) return "gone";
    return await new Promise((resolve) => {
      this.#answers.push(resolve);
      this.#child.stdin.write(`${JSON.stringify(command)}\n`);
    });
  }

  /** Whether an intent was written, and told to be durable. */
  async save(n: number): Promise<boolean> {
    return (await this.ask({ does: "save", n })) === true;
  }

  /** Resolves when it has said that it has this role. */
  async untilRole(role: Role): Promise<void> {
    while (this.role !== role) {
      if (this.#isOver) throw new Error(`${this.name} has ended.`);
      await new Promise<void>((resolve) => {
        this.#looks.push(resolve);
      });
    }
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Ends it for good. */
  async end(): Promise<void> {
    this.kill("SIGKILL");
    await this.exited;
  }

  #hear(line: Line): void {
    if ("role" in line) this.role = line.role;
    else this.#answers.shift()?.(line.answer);
    this.#look();
  }

  #look(): void {
    for (const look of this.#looks.splice(0)) look();
  }
}
