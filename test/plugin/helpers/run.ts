import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

import type { RunFact, RunSummary } from "../../../src/view/facts.ts";
import type { RunOptions } from "../../../tasks/run/options.ts";
import { runNodes } from "../../../tasks/run/run-nodes.ts";
import { anEnvironment } from "./environment.ts";
import { commandOf } from "./processes.ts";

/** `sequencer:run --json` in a process of its own. */
export class RunProcess {
  readonly facts: RunFact[] = [];
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #listeners = new Set<() => void>();
  #stderr = "";

  constructor(
    args: readonly string[],
    variables: Readonly<Record<string, string>> = {},
  ) {
    const { file, options } = commandOf(variables);
    const all = [...file.slice(1), "sequencer:run", "--json", ...args];
    this.#child = spawn(file[0] ?? "", all, {
      ...options,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#ended = once(this.#child, "close");
    const { stdout, stderr } = this.#child;
    if (stdout === null || stderr === null) throw new Error("no pipes");
    stderr.on("data", (data: Buffer) => (this.#stderr += data.toString()));
    createInterface({ input: stdout }).on("line", (line) => {
      // Anything else on stdout is an error.
      this.facts.push(JSON.parse(line) as RunFact);
      for (const listener of this.#listeners) listener();
    });
    this.#child.on("close", () => {
      for (const listener of this.#listeners) listener();
    });
  }

  /** Resolves with a fact of a type: the first, or one that comes later. */
  async until<Type extends RunFact["type"]>(
    type: Type,
    index = 0,
  ): Promise<Extract<RunFact, { type: Type }>> {
    return await new Promise((resolve, reject) => {
      const look = (): void => {
        const found = this.facts.filter((fact) => fact.type === type)[index];
        if (found !== undefined)
          resolve(found as Extract<RunFact, { type: Type }>);
        else if (this.#child.exitCode !== null)
          reject(new Error(`It ended before "${type}": ${this.#stderr}`));
        else return;
        this.#listeners.delete(look);
      };
      this.#listeners.add(look);
      look();
    });
  }

  kill(signal: "SIGINT" | "SIGTERM" | "SIGKILL"): void {
    this.#child.kill(signal);
  }

  /** Resolves when it has ended. */
  async end(): Promise<{
    readonly exitCode: number | null;
    readonly summary: RunSummary | undefined;
    readonly stderr: string;
  }> {
    await this.#ended;
    const summary = this.facts.find((fact) => fact.type === "summary");
    const { exitCode } = this.#child;
    return { exitCode, summary, stderr: this.#stderr };
  }
}

/** A run in this process, on the network "chain" if there is a URL, otherwise on a simulated one. */
export async function runHere(
  options: RunOptions,
  {
    url,
    onFact = () => undefined,
  }: {
    readonly url?: string;
    readonly onFact?: (fact: RunFact, interrupt: () => void) => void;
  } = {},
): Promise<{
  readonly summary: RunSummary;
  readonly facts: readonly RunFact[];
}> {
  const hre = await anEnvironment(
    url === undefined ? {} : { networks: { chain: { type: "http", url } } },
    url === undefined ? "default" : "chain",
  );
  const facts: RunFact[] = [];
  let interrupt: () => void = () => undefined;
  const summary = await runNodes(
    hre,
    { rpcPort: "0", ...options },
    {
      tell: (fact) => {
        facts.push(fact);
        onFact(fact, interrupt);
      },
      now: () => performance.now(),
      report: (error) => {
        throw error;
      },
      onInterrupt: (listener) => {
        interrupt = listener;
        return () => undefined;
      },
      statusEveryMs: 1_000,
    },
  );
  return { summary, facts };
}
