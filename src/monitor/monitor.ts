import type { NodeFact } from "../node/ports.ts";
import type {
  Append,
  ReplicaFact,
  Role,
  RoleDetails,
} from "../replica/options.ts";
import {
  Condition,
  type ReadyOptions,
  readyDefaults,
  type Reason,
} from "./condition.ts";
import { FactMetrics } from "./fact-metrics.ts";
import { monitorLimits } from "./limits.ts";
import { Metrics } from "./metrics.ts";
import type { MonitorPorts } from "./ports.ts";
import { readers } from "./readers.ts";
import { ReplicaMetrics } from "./replica-metrics.ts";

/** What a monitor can be told. */
export interface MonitorOptions {
  readonly ready?: Partial<ReadyOptions> | undefined;
  /** How long the same numbers are given again. */
  readonly reuseMs?: number | undefined;
}

/** Knows how a node is. Nothing that it does ever throws: who watches must not be in the way. */
export class Monitor {
  readonly #ports: MonitorPorts;
  readonly #now: () => number;
  readonly #reuseMs: number;
  readonly #metrics = new Metrics();
  readonly #facts: FactMetrics;
  /** Only of a replica. */
  readonly #replica: ReplicaMetrics | undefined;
  readonly #condition: Condition;
  #last: { readonly atMs: number; readonly text: Promise<string> } | undefined;

  constructor(options: MonitorOptions, ports: MonitorPorts) {
    const now = ports.now ?? (() => performance.now());
    this.#ports = ports;
    this.#now = now;
    this.#reuseMs = options.reuseMs ?? monitorLimits.reuseMs;
    this.#facts = new FactMetrics({ metrics: this.#metrics, now });
    if (ports.replica !== undefined)
      this.#replica = new ReplicaMetrics({ metrics: this.#metrics });
    this.#condition = new Condition(
      { ...readyDefaults, ...options.ready },
      { ...ports, now },
    );
  }

  /** To be called with every fact of the node. */
  readonly see = (fact: NodeFact): void => {
    this.#attempt("facts", () => {
      this.#condition.see(fact);
      this.#facts.see(fact);
    });
  };

  /** To be called with every role of the replica. */
  readonly seeRole = (role: Role, details: RoleDetails): void => {
    this.#attempt("facts", () => {
      this.#replica?.seeRole(role, details);
    });
  };

  /** To be called with every fact of the replica. */
  readonly seeReplica = (fact: ReplicaFact): void => {
    this.#attempt("facts", () => {
      this.#replica?.see(fact);
    });
  };

  /** To be called whenever turns of the replica became durable. */
  readonly seeAppend = (append: Append): void => {
    this.#attempt("facts", () => {
      this.#replica?.seeAppend(append);
    });
  };

  /** The node cannot go on. */
  readonly fail = (error: unknown): void => {
    this.#attempt("facts", () => {
      this.#condition.fail(error);
    });
  };

  /** The node is about to stop: nobody should send it anything more. */
  readonly stop = (): void => {
    this.#condition.stop();
  };

  /** Why the node does not work; undefined if it does. */
  get failure(): Reason | undefined {
    return this.#condition.failure;
  }

  /** Why the node cannot serve users now; empty if it can. */
  unreadiness(): readonly Reason[] {
    return this.#condition.unreadiness();
  }

  get contentType(): string {
    return this.#metrics.contentType;
  }

  /** All that can be read, as Prometheus wants it. Never rejects. */
  async text(): Promise<string> {
    const nowMs = this.#now();
    if (this.#last === undefined || nowMs - this.#last.atMs >= this.#reuseMs)
      this.#last = { atMs: nowMs, text: this.#render() };
    return await this.#last.text;
  }

  async #render(): Promise<string> {
    for (const { part, names, read, isOfNode } of readers) {
      this.#metrics.clear(names);
      if (isOfNode === true && this.#isPassive()) continue;
      const isRead = this.#attempt(part, () => {
        read(this.#metrics, this.#ports);
      });
      // Half of it would look like all of it.
      if (!isRead) this.#metrics.clear(names);
    }
    this.#attempt("condition", () => {
      const { failure, blockAgeMs } = this.#condition;
      const isReady = this.unreadiness().length === 0;
      this.#metrics.set("sequencer_healthy", failure === undefined ? 1 : 0);
      this.#metrics.set("sequencer_ready", isReady ? 1 : 0);
      this.#metrics.set("sequencer_block_age_seconds", blockAgeMs / 1_000);
    });
    const texts = await Promise.all(
      this.#metrics.names.map(async (name) => await this.#textOf(name)),
    );
    return `${texts.filter((text) => text !== "").join("\n\n")}\n`;
  }

  #isPassive(): boolean {
    let isPassive = false;
    this.#attempt("role", () => {
      isPassive = this.#ports.isPassive?.() === true;
    });
    return isPassive;
  }

  async #textOf(name: string): Promise<string> {
    try {
      return await this.#metrics.textOf(name);
    } catch {
      this.#metrics.count("sequencer_monitor_errors_total", 1, "text");
      return "";
    }
  }

  /** Whether it went well. What did not is counted: the log of a node is not for the monitor's own troubles. */
  #attempt(part: string, act: () => void): boolean {
    try {
      act();
      return true;
    } catch {
      this.#metrics.count("sequencer_monitor_errors_total", 1, part);
      return false;
    }
  }
}
