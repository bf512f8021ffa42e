import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";

import type {
  TreeAnswer,
  TreeRequestName,
  TreeRequests,
} from "./tree-requests.ts";

const program = path.join(import.meta.dirname, "tree-process.ts");

/** The chain and the nodes of one tree. It does one thing at a time. */
export class Tree {
  readonly #process: ChildProcess;

  constructor(options: {
    readonly folder: string;
    /** Options of Node for all processes of nodes, besides. */
    readonly nodeOptions?: string;
  }) {
    const { folder, nodeOptions = "" } = options;
    this.#process = fork(program, [folder, nodeOptions], {
      cwd: folder,
      serialization: "advanced",
      // What it prints is progress; only results go to stdout.
      stdio: ["ignore", 2, 2, "ipc"],
    });
  }

  async ask<Name extends TreeRequestName>(
    name: Name,
    asks: TreeRequests[Name]["asks"],
  ): Promise<TreeRequests[Name]["answers"]> {
    const settled = new AbortController();
    const { signal } = settled;
    const gone = once(this.#process, "exit", { signal }).then(([code]) => {
      throw new Error(`The process of a tree ended with ${String(code)}.`);
    });
    const answered = once(this.#process, "message", { signal });
    // The one that is not waited for any more is aborted, which nobody needs to hear of.
    gone.catch(() => undefined);
    answered.catch(() => undefined);
    this.#process.send({ name, asks });
    try {
      const [message] = (await Promise.race([answered, gone])) as [unknown];
      const answer = message as TreeAnswer;
      if ("error" in answer) throw new Error(answer.error);
      return answer.answers as TreeRequests[Name]["answers"];
    } finally {
      settled.abort();
    }
  }

  /** Nothing is left of it afterwards. */
  async close(): Promise<void> {
    const exited = once(this.#process, "exit");
    if (this.#process.exitCode !== null) return;
    try {
      await this.ask("close", undefined);
    } finally {
      if (this.#process.connected) this.#process.disconnect();
      await exited;
    }
  }
}
