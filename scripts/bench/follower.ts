import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface, type Interface } from "node:readline";
import type { Readable, Writable } from "node:stream";

const program = path.join(import.meta.dirname, "follower-process.ts");

/** A passive replica that follows the log of a node, in a process of its own. */
export class FollowerProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: Interface;

  private constructor(args: readonly string[]) {
    this.#child = spawn(process.execPath, [program, ...args], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#lines = createInterface({ input: this.#child.stdout });
  }

  /** Resolves when it follows. */
  static async start(place: {
    readonly url: string;
    readonly schema: string;
    readonly name: string;
  }): Promise<FollowerProcess> {
    const { url, schema, name } = place;
    const follower = new FollowerProcess([url, schema, name]);
    await follower.#line();
    return follower;
  }

  /** How far behind it was since it was asked last, every so often, in milliseconds. */
  async lags(): Promise<readonly number[]> {
    const line = this.#line();
    this.#child.stdin.write("\n");
    return JSON.parse(await line) as readonly number[];
  }

  async stop(): Promise<void> {
    this.#child.stdin.end();
    await once(this.#child, "exit");
  }

  async #line(): Promise<string> {
    const ended = once(this.#child, "exit").then(() => {
      throw new Error("The follower has ended.");
    });
    const [line] = (await Promise.race([once(this.#lines, "line"), ended])) as [
      string,
    ];
    return line;
  }
}
