import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

import type { SupervisorFact } from "../../../src/supervisor/facts.ts";
import {
  supervisorDefaults,
  type SupervisorOptions,
} from "../../../src/supervisor/options.ts";

const program = path.resolve(import.meta.dirname, "supervisor-child.ts");

interface Ready {
  readonly type: "Ready";
  readonly rpc: string;
}
type Line = SupervisorFact | Ready;

/** A supervisor in a process of its own. */
export class SupervisorProcess {
  readonly exited: Promise<unknown>;
  readonly facts: SupervisorFact[] = [];
  readonly #child: ChildProcessByStdio<null, Readable, null>;
  readonly #token: string;
  #rpc: string | undefined;
  #looks: (() => void)[] = [];

  constructor(
    settings: Partial<SupervisorOptions> &
      Pick<SupervisorOptions, "url" | "schema" | "name" | "token">,
  ) {
    this.#token = settings.token;
    this.#child = spawn(
      process.execPath,
      [
        ...process.execArgv,
        program,
        JSON.stringify({ ...supervisorDefaults, bucket: 0, ...settings }),
      ],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    createInterface({ input: this.#child.stdout }).on("line", (line) => {
      const fact = JSON.parse(line) as Line;
      if (fact.type === "Ready") this.#rpc = fact.rpc;
      else this.facts.push(fact);
      for (const look of this.#looks.splice(0)) look();
    });
    this.exited = once(this.#child, "exit").then(() => {
      for (const look of this.#looks.splice(0)) look();
    });
  }

  /** Its address. */
  async rpc(): Promise<string> {
    for (;;) {
      if (this.#rpc !== undefined) return this.#rpc;
      await this.#next();
    }
  }

  /** Resolves with the first fact after so many that is as wanted. */
  async untilFact<Type extends SupervisorFact["type"]>(
    type: Type,
    isWanted: (
      fact: SupervisorFact & { readonly type: Type },
    ) => boolean = () => true,
    from = 0,
  ): Promise<SupervisorFact & { readonly type: Type }> {
    for (;;) {
      const found = this.facts
        .slice(from)
        .find(
          (fact): fact is SupervisorFact & { readonly type: Type } =>
            fact.type === type &&
            isWanted(fact as SupervisorFact & { readonly type: Type }),
        );
      if (found !== undefined) return found;
      await this.#next();
    }
  }

  /** Asks as an operator: with its token, or another one, or none. */
  async ask(
    method: string,
    params: readonly unknown[] = [],
    token: string | undefined = this.#token,
  ): Promise<{
    readonly status: number;
    readonly result?: unknown;
    readonly error?: { readonly code: number; readonly message: string };
  }> {
    const response = await fetch(await this.rpc(), {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(token !== "" && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const body = await response.text();
    const { result, error } = (
      response.status === 401 ? {} : JSON.parse(body)
    ) as {
      readonly result?: unknown;
      readonly error?: { readonly code: number; readonly message: string };
    };
    return {
      status: response.status,
      ...(result !== undefined && { result }),
      ...(error !== undefined && { error }),
    };
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async end(): Promise<void> {
    this.kill("SIGKILL");
    await this.exited;
  }

  async #next(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null)
      throw new Error("The supervisor has ended.");
    await new Promise<void>((resolve) => {
      this.#looks.push(resolve);
    });
  }
}
