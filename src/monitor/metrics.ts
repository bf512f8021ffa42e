import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  Registry,
} from "prom-client";

import { BoundedLabels } from "./bounded-labels.ts";
import {
  type Definition,
  definitions,
  type MetricName,
  type NameOf,
  secondsBuckets,
} from "./definitions.ts";

/** The metrics of one node, in a registry of their own: two nodes in one process do not mix theirs. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #counters = new Map<string, Counter>();
  readonly #gauges = new Map<string, Gauge>();
  readonly #histograms = new Map<string, Histogram>();
  readonly #labels = new Map<string, BoundedLabels>();
  /** Those without a value yet, or that could not be read: they are missing rather than old or 0. */
  readonly #unread = new Set<string>();

  constructor() {
    const registers = [this.#registry];
    for (const [name, definition] of Object.entries<Definition>(definitions)) {
      const { type, help, labels, buckets = secondsBuckets } = definition;
      const options = { name, help, labelNames: [...labels], registers };
      switch (type) {
        case "counter":
          this.#counters.set(name, new Counter(options));
          break;
        case "gauge":
          this.#gauges.set(name, new Gauge(options));
          this.#unread.add(name);
          break;
        case "histogram":
          this.#histograms.set(
            name,
            new Histogram({ ...options, buckets: [...buckets] }),
          );
      }
      this.#labels.set(name, new BoundedLabels());
      // Most nodes are no replicas, and have none of these.
      if (name.startsWith("sequencer_replica_")) this.#unread.add(name);
    }
    collectDefaultMetrics({ register: this.#registry });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** All that can be had, also what describes the process. */
  get names(): readonly string[] {
    return this.#registry
      .getMetricsAsArray()
      .map(({ name }) => name)
      .filter((name) => !this.#unread.has(name));
  }

  count(name: NameOf<"counter">, value = 1, label?: string): void {
    if (!isNumber(value)) return;
    this.#unread.delete(name);
    this.#counters.get(name)?.inc(this.#labelOf(name, label), value);
  }

  /** For what is counted elsewhere since the start. */
  setCounts(
    name: NameOf<"counter">,
    counts: Iterable<readonly [string, number]>,
  ): void {
    this.clear([name]);
    this.#unread.delete(name);
    for (const [label, value] of this.#sum(name, counts))
      this.count(name, value, label);
  }

  setCount(name: NameOf<"counter">, value: number): void {
    this.clear([name]);
    this.count(name, value);
  }

  set(name: NameOf<"gauge">, value: number, label?: string): void {
    if (!Number.isFinite(value)) return;
    this.#gauges.get(name)?.set(this.#labelOf(name, label), value);
    this.#unread.delete(name);
  }

  /** What is not among the values any more is told as 0, so that nobody takes the last value for today's. */
  setAll(
    name: NameOf<"gauge">,
    values: Iterable<readonly [string, number]>,
  ): void {
    const sums = this.#sum(name, values);
    this.#unread.delete(name);
    for (const known of this.#labels.get(name)?.known ?? [])
      if (!sums.has(known)) this.set(name, 0, known);
    for (const [label, value] of sums) this.set(name, value, label);
  }

  observe(name: NameOf<"histogram">, seconds: number, label?: string): void {
    if (!isNumber(seconds)) return;
    this.#unread.delete(name);
    this.#histograms.get(name)?.observe(this.#labelOf(name, label), seconds);
  }

  /** Forgets what was read. */
  clear(names: readonly MetricName[]): void {
    for (const name of names) {
      this.#gauges.get(name)?.reset();
      this.#counters.get(name)?.reset();
      this.#unread.add(name);
    }
  }

  /** One metric in the text format. */
  async textOf(name: string): Promise<string> {
    return await this.#registry.getSingleMetricAsString(name);
  }

  #sum(
    name: MetricName,
    counts: Iterable<readonly [string, number]>,
  ): ReadonlyMap<string, number> {
    return this.#labels.get(name)?.sum(counts) ?? new Map<string, number>();
  }

  #labelOf(name: MetricName, label?: string): Record<string, string> {
    const [key] = definitions[name].labels;
    if (key === undefined || label === undefined) return {};
    return { [key]: this.#labels.get(name)?.of(label) ?? label };
  }
}

/** Counters and times never go down. */
function isNumber(value: number): boolean {
  return Number.isFinite(value) && value >= 0;
}
