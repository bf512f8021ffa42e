import { type ChildProcess, fork } from "node:child_process";
import path from "node:path";

import type { Answer, Request, RequestName, Requests } from "./requests.ts";

const program = path.join(import.meta.dirname, "node-process.ts");

interface Waiting {
  readonly resolve: (answers: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** A process with one node. */
export class ChildNode {
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #number = 0;

  constructor(ports: { readonly onFailure: (failure: string) => void }) {
    this.#process = fork(program, { serialization: "advanced" });
    this.#process.on("message", (message) => {
      const answer = message as Answer;
      if ("failure" in answer) {
        ports.onFailure(answer.failure);
        return;
      }
      const waiting = this.#waiting.get(answer.number);
      this.#waiting.delete(answer.number);
      if ("error" in answer) waiting?.reject(new Error(answer.error));
      else waiting?.resolve(answer.answers);
    });
    this.#process.once("exit", (code) => {
      for (const { reject } of this.#waiting.values())
        reject(new Error(`A node's process ended with ${code ?? "a signal"}.`));
    });
  }

  async ask<Name extends RequestName>(
    name: Name,
    asks: Requests[Name]["asks"],
  ): Promise<Requests[Name]["answers"]> {
    const number = this.#number++;
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
    });
    this.#process.send({ number, name, asks } satisfies Request);
    return (await answer) as Requests[Name]["answers"];
  }

  /** It ends when nobody asks any more. */
  leave(): void {
    if (this.#process.connected) this.#process.disconnect();
  }
}
