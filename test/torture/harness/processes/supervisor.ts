import { setTimeout } from "node:timers/promises";

import type { FailPoint } from "./fail-points.ts";
import type { ProcessExit } from "../evidence/evidence.ts";
import type { Journal } from "../evidence/journal.ts";
import type { Exit } from "./child.ts";
import { type Launch, type NodeOptions, NodeProcess } from "./node-process.ts";

export interface SupervisorPorts {
  readonly onLine: (node: string, line: string) => void;
  readonly exits: Journal<ProcessExit>;
}

/** As long as somebody who runs a node waits before he starts it again. */
const AGAIN_MS = 1_000;

/** Keeps one node running, as whoever runs nodes does: what ends by itself is started again. */
export class Supervisor {
  readonly #process: NodeProcess;
  readonly #ports: SupervisorPorts;
  #cause: ProcessExit["cause"];
  #launchedMs = 0;
  #hasAnswered = false;
  #isWanted = false;

  constructor(options: NodeOptions, ports: SupervisorPorts) {
    this.#ports = ports;
    this.#process = new NodeProcess(options, {
      onLine: (line) => {
        ports.onLine(options.name, line);
      },
      onExit: (exit) => {
        this.#ended(exit);
      },
    });
  }

  get name(): string {
    return this.#process.name;
  }

  get url(): string {
    return this.#process.url;
  }

  /** Resolves when it answers. */
  async start(launch: Pick<Launch, "isByUser"> = {}): Promise<void> {
    this.#isWanted = true;
    this.#launch(launch);
    await this.#process.answers();
    this.#hasAnswered = true;
  }

  /** As `start`, but it kills itself at a point, and stays down then. */
  async startToDie(failPoint: FailPoint): Promise<void> {
    this.#isWanted = false;
    this.#launch({ failPoint });
    this.#cause = "fail-point";
    await this.#process.answers();
    this.#hasAnswered = true;
  }

  get isUp(): boolean {
    return this.#process.isUp;
  }

  async kill(): Promise<void> {
    this.#end("kill");
    if (this.#process.isUp) await this.#process.kill();
  }

  async stop(signal: "SIGTERM" | "SIGINT"): Promise<Exit> {
    this.#end("stop");
    if (!this.#process.isUp) return { code: null, signal: null };
    return await this.#process.stop(signal);
  }

  freeze(): void {
    if (this.#process.isUp) this.#process.freeze();
  }

  thaw(): void {
    this.#process.thaw();
  }

  /** Gives how it ended; undefined if it did not. */
  async fillDisk(signal: AbortSignal): Promise<Exit | undefined> {
    this.#end("full-disk");
    const exit = this.#process.isUp
      ? await this.#process.fillDisk(signal)
      : { code: null, signal: null };
    if (exit !== undefined) return exit;
    this.#cause = undefined;
    this.#isWanted = true;
    return undefined;
  }

  #end(cause: ProcessExit["cause"]): void {
    this.#cause = cause;
    this.#isWanted = false;
  }

  #launch(launch: Launch = {}): void {
    this.#cause = undefined;
    this.#launchedMs = Date.now();
    this.#hasAnswered = false;
    this.#process.launch(launch);
  }

  #ended({ code, signal }: Exit): void {
    this.#ports.exits.add({
      launchedMs: this.#launchedMs,
      atMs: Date.now(),
      node: this.name,
      code,
      signal,
      cause: this.#cause,
      hasAnswered: this.#hasAnswered,
    });
    if (this.#isWanted) void this.#again();
  }

  async #again(): Promise<void> {
    await setTimeout(AGAIN_MS);
    if (!this.#isWanted || this.#process.isUp) return;
    this.#launch();
    try {
      await this.#process.answers();
      this.#hasAnswered = true;
    } catch {
      // It ended again, or does not answer: the end of the run will say so.
    }
  }
}
