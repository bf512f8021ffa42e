/** Workers, each with its own copy of the project. */
import { fork, type ChildProcess } from "node:child_process";
import path from "node:path";

import type { Job, Verdict } from "./messages.ts";
import { createWorkspace, removeWorkspace } from "./workspace.ts";

/** What became of a job; a worker may also never answer, or die. */
export type Answer =
  Verdict | { readonly type: "TimedOut" } | { readonly type: "Died" };

/** A worker process that is started when it is needed, and again after it was lost. */
export class Worker {
  readonly folder: string;
  readonly #root: string;
  #process: ChildProcess | undefined;

  constructor(root: string) {
    this.#root = root;
    this.folder = createWorkspace(root);
  }

  /** Does a job; `timeoutMs` later at the latest there is an answer. */
  async run(job: Job, timeoutMs: number): Promise<Answer> {
    const worker = (this.#process ??= this.#start());
    const answer = await new Promise<Answer>((resolve) => {
      const timer = setTimeout(() => {
        resolve({ type: "TimedOut" });
      }, timeoutMs);
      const finish = (result: Answer): void => {
        clearTimeout(timer);
        resolve(result);
      };
      worker.once("message", (verdict: Verdict) => {
        finish(verdict);
      });
      worker.once("exit", () => {
        finish({ type: "Died" });
      });
      worker.send(job);
    });
    worker.removeAllListeners("message").removeAllListeners("exit");
    if (answer.type === "TimedOut" || answer.type === "Died") {
      worker.kill("SIGKILL");
      this.#process = undefined;
      removeWorkspace(this.folder);
      createWorkspace(this.#root, this.folder);
    }
    return answer;
  }

  #start(): ChildProcess {
    return fork(path.join(import.meta.dirname, "worker.ts"), {
      cwd: this.folder,
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
  }

  /** Ends the process and deletes the copy. */
  stop(): void {
    this.#process?.kill("SIGKILL");
    removeWorkspace(this.folder);
  }
}
