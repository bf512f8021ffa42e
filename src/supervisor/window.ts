/** Whether a replica does its work, as far as its last probes tell. */
export type Health = "healthy" | "unhealthy" | "unknown";

/** The outcomes of the last probes of each replica: one that failed proves nothing. */
export class Windows {
  readonly #size: number;
  readonly #outcomes = new Map<string, boolean[]>();

  /** @param size So many probes must fail, one after the other. */
  constructor({ size }: { readonly size: number }) {
    this.#size = size;
  }

  add(name: string, isGood: boolean): void {
    const outcomes = this.#outcomes.get(name) ?? [];
    this.#outcomes.set(name, [...outcomes, isGood].slice(-this.#size));
  }

  /** Forgets all replicas but these. */
  keep(names: ReadonlySet<string>): void {
    for (const name of this.#outcomes.keys())
      if (!names.has(name)) this.#outcomes.delete(name);
  }

  /** One that was never heard is unknown until enough probes have failed. */
  healthOf(name: string): Health {
    const outcomes = this.#outcomes.get(name) ?? [];
    if (outcomes.includes(true)) return "healthy";
    return outcomes.length < this.#size ? "unknown" : "unhealthy";
  }
}
