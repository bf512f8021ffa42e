import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";

import type { FailPoint } from "./fail-points.ts";
import { ask } from "../network/rpc.ts";
import { Child, type Exit } from "./child.ts";
import { dyingNodeCommand, leanCommand, userCommand } from "./hardhat.ts";
import { until } from "./until.ts";

/** What a node needs to be started, again and again. */
export interface NodeOptions {
  readonly name: string;
  /** Of all nodes. */
  readonly dataDir: string;
  readonly rpcPort: number;
  readonly statusPort: number;
  readonly chainUrl: string;
  /** The key `sequencer` of its configuration. */
  readonly config: object;
  /** Where its output goes. */
  readonly outDir: string;
  /** If it is a replica: which one, and where it listens to other nodes. */
  readonly replica?: { readonly name: string; readonly listen: string };
}

/** What a node process says of itself, for whoever collects it. */
export interface NodePorts {
  readonly onLine: (line: string) => void;
  readonly onExit: (exit: Exit) => void;
}

/** How a node is started. */
export interface Launch {
  /** Where it kills itself. */
  readonly failPoint?: FailPoint;
  /** Through Hardhat's command line, which costs more. */
  readonly isByUser?: boolean;
}

const START_MS = 180_000;
const STOP_MS = 180_000;

/** One node in a process of its own, which may come and go. */
export class NodeProcess {
  readonly #options: NodeOptions;
  readonly #ports: NodePorts;
  #child: Child | undefined;

  constructor(options: NodeOptions, ports: NodePorts) {
    this.#options = options;
    this.#ports = ports;
  }

  get name(): string {
    return this.#options.replica?.name ?? this.#options.name;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#options.rpcPort}`;
  }

  get isUp(): boolean {
    return this.#child !== undefined && this.#child.exit === undefined;
  }

  /** Starts it. It does not answer yet. */
  launch({ failPoint, isByUser = false }: Launch = {}): void {
    if (this.isUp) throw new Error(`${this.name} is up already.`);
    const { name, dataDir, rpcPort, statusPort, chainUrl, config, outDir } =
      this.#options;
    const { replica } = this.#options;
    const args = {
      name,
      dataDir,
      rpcPort: String(rpcPort),
      statusPort: String(statusPort),
      json: true,
      // Whoever looks for what went wrong wants all of it.
      logLevel: "debug",
      ...(replica !== undefined && {
        replica: replica.name,
        listen: replica.listen,
      }),
    };
    const variables = {
      TORTURE_CHAIN_URL: chainUrl,
      TORTURE_SEQUENCER: JSON.stringify(config),
    };
    const call = { task: "sequencer:node", args, network: "torture" };
    const child = new Child(
      {
        ...(failPoint === undefined
          ? (isByUser ? userCommand : leanCommand)(call, variables)
          : dyingNodeCommand(failPoint, call, variables)),
        output: path.join(outDir, this.name),
      },
      { onLine: this.#ports.onLine },
    );
    this.#child = child;
    void child.exited.then(this.#ports.onExit);
  }

  /** Resolves when it answers. */
  async answers(): Promise<void> {
    await until(
      { what: `${this.name} answers`, deadlineMs: START_MS },
      async () => {
        await ask(this.url, { method: "sequencer_status", params: [] }, 2_000);
        return true;
      },
    );
  }

  /** As when the power goes. */
  async kill(): Promise<void> {
    const child = this.#running();
    await child.kill();
  }

  signal(signal: "SIGTERM" | "SIGINT"): void {
    this.#running().signal(signal);
  }

  freeze(): void {
    this.#running().signal("SIGSTOP");
  }

  thaw(): void {
    this.#child?.signal("SIGCONT");
  }

  /** Asks it to end, and gives how it did. It is killed if it takes too long. */
  async stop(signal: "SIGTERM" | "SIGINT"): Promise<Exit> {
    const child = this.#running();
    child.signal(signal);
    try {
      await until(
        { what: `${this.name} ends after ${signal}`, deadlineMs: STOP_MS },
        () => child.exit,
      );
    } catch {
      await child.kill();
    }
    return await child.exited;
  }

  /**
   * From now on, what it writes to files fails, as on a disk without space. Pipes and sockets go on. Gives how it ended;
   * undefined if it did not until `signal` was given, because it had nothing to write. Only Linux can do this.
   */
  async fillDisk(signal: AbortSignal): Promise<Exit | undefined> {
    const child = this.#running();
    await this.#limitFiles(child, "1");
    const over = new Promise<undefined>((resolve) => {
      signal.addEventListener("abort", () => {
        resolve(undefined);
      });
    });
    const exit = await Promise.race([child.exited, over]);
    if (exit !== undefined) return exit;
    await this.#limitFiles(child, "unlimited");
    return undefined;
  }

  async #limitFiles(child: Child, size: string): Promise<void> {
    if (child.exit !== undefined) return;
    // Only the soft limit, so that it can be lifted again.
    await promisify(execFile)("prlimit", [
      ...["--pid", String(child.pid), `--fsize=${size}:`],
    ]);
  }

  #running(): Child {
    const child = this.#child;
    if (child === undefined || child.exit !== undefined)
      throw new Error(`${this.name} is not up.`);
    return child;
  }
}
