import { monitorLimits } from "./limits.ts";

/** What values beyond the bound are counted as. */
const OTHER = "other";

/** All that our own code says is plain. Anything else would only upset those who read it. */
const PLAIN = /^[\x20-\x7e]+$/;

/** Keeps the number of series small, whatever a label is given: every value has a series for ever. */
export class BoundedLabels {
  readonly #known = new Set<string>();

  /** The value itself, or "other" if there are too many, or it is too long or no plain text. */
  of(value: string): string {
    if (this.#known.has(value)) return value;
    if (
      value.length > monitorLimits.labelLength ||
      !PLAIN.test(value) ||
      this.#known.size >= monitorLimits.labelValues
    )
      return OTHER;
    this.#known.add(value);
    return value;
  }

  /** All values that have a series, without "other". */
  get known(): Iterable<string> {
    return this.#known;
  }

  /** Adds up the counts of values that have the same series. */
  sum(counts: Iterable<readonly [string, number]>): Map<string, number> {
    const sums = new Map<string, number>();
    for (const [value, count] of counts) {
      const label = this.of(value);
      sums.set(label, (sums.get(label) ?? 0) + count);
    }
    return sums;
  }
}
