import { rmSync } from "node:fs";
import path from "node:path";

import type { Exit } from "../../torture/harness/processes/child.ts";
import { ask } from "../../torture/harness/network/rpc.ts";
import type { Proxy } from "../../torture/harness/network/proxy.ts";
import {
  type NodeOptions,
  NodeProcess,
} from "../../torture/harness/processes/node-process.ts";
import { until } from "../../torture/harness/processes/until.ts";

/** What a line of its log says of its role. */
export interface RoleFact {
  readonly replica: string;
  readonly atMs: number;
  readonly role: string;
  readonly cause: string;
  readonly epoch: number | undefined;
}

/** The answer of `sequencer_replicas`, as far as it is of interest here. */
export interface ReplicasView {
  readonly active?: string;
  readonly epoch: number;
  readonly headSequence: number;
  readonly snapshotSequence?: number;
  readonly replicas: readonly {
    readonly name: string;
    readonly role: string;
    readonly lag: number;
    readonly seenMsAgo: number;
  }[];
}

/** Only what is stuck takes so long. */
const START_MS = 180_000;

/** One replica of a node in a process of its own, with a way of its own to the database. */
export class ServedReplica {
  readonly name: string;
  readonly database: Proxy;
  readonly roles: RoleFact[] = [];
  /** What it has logged of replicas, and of errors. */
  readonly events: Readonly<Record<string, unknown>>[] = [];
  /** Of processes that nobody has asked to end. */
  readonly ends: Exit[] = [];
  readonly #options: NodeOptions;
  readonly #process: NodeProcess;
  #isWanted = false;
  #isFrozen = false;

  constructor(
    options: NodeOptions & { readonly replica: { readonly name: string } },
    ports: { readonly database: Proxy },
  ) {
    this.name = options.replica.name;
    this.database = ports.database;
    this.#options = options;
    this.#process = new NodeProcess(options, {
      onLine: (line) => {
        this.#hear(line);
      },
      onExit: (exit) => {
        if (!this.#isWanted) return;
        this.ends.push(exit);
        // As whoever runs nodes does it.
        this.#process.launch();
      },
    });
  }

  get url(): string {
    return this.#process.url;
  }

  get webSocketUrl(): string {
    return `ws://127.0.0.1:${this.#options.rpcPort + 1}`;
  }

  /** Whether it should answer. */
  get isUp(): boolean {
    return this.#isWanted && !this.#isFrozen;
  }

  get isWanted(): boolean {
    return this.#isWanted;
  }

  /** As it has said last. */
  get role(): string {
    return this.roles.at(-1)?.role ?? "stopped";
  }

  get folder(): string {
    return path.join(this.#options.dataDir, this.#options.name);
  }

  /** Starts it; it does not answer yet. */
  launch(): void {
    this.#isWanted = true;
    this.#process.launch();
  }

  /** Resolves when it answers, in whatever role. */
  async answers(): Promise<ReplicasView> {
    const wait = { what: `${this.name} answers`, deadlineMs: START_MS };
    return await until(wait, async () => (await this.view()) ?? undefined);
  }

  async view(): Promise<ReplicasView | null> {
    const question = { method: "sequencer_replicas", params: [] };
    return await ask<ReplicasView | null>(this.url, question, 2_000);
  }

  /** Whether it answers as the active one. */
  async isActive(): Promise<boolean> {
    if (!this.isUp) return false;
    try {
      await ask(this.url, { method: "sequencer_status", params: [] }, 2_000);
      return true;
    } catch {
      return false;
    }
  }

  async kill(): Promise<void> {
    this.#isWanted = false;
    if (this.#process.isUp) await this.#process.kill();
  }

  async stop(): Promise<Exit> {
    this.#isWanted = false;
    return await this.#process.stop("SIGTERM");
  }

  freeze(): void {
    this.#isFrozen = true;
    this.#process.freeze();
  }

  thaw(): void {
    this.#isFrozen = false;
    this.#process.thaw();
  }

  /** Deletes all but the keys. It must not run. */
  wipe(): void {
    for (const end of ["", "-wal", "-shm", ".acknowledged", ".snapshot"])
      rmSync(path.join(this.folder, `node.db${end}`), { force: true });
  }

  #hear(line: string): void {
    const fact = parse(line);
    const { event, level, role, cause, epoch } = fact ?? {};
    if (fact === undefined) return;
    const isKept = /^(replica|snapshot|database)-/.test(String(event));
    if (isKept || level === "error") this.events.push(fact);
    if (event !== "replica-role") return;
    this.roles.push({
      replica: this.name,
      atMs: performance.now(),
      role: String(role),
      cause: String(cause),
      epoch: typeof epoch === "number" ? epoch : undefined,
    });
  }
}

function parse(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}
