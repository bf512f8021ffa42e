import { expect } from "chai";

/** What differs each time. A value of the page stands for what came instead of it. */
const kinds = [
  /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/,
  /^0x[\da-f]{64}$/,
  /^0x[\da-f]{40}$/,
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/,
];

/** Numbers that depend on what the chain did before. */
const counts = new Set(["blockNumber", "transactionIndex", "logIndex"]);

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Compares answers with those of a page, and puts what came into later requests of the page. */
export class Transcript {
  readonly #known = new Map<string, string>();

  /** A request of the page, with what came instead of the page's values. */
  filled(value: unknown): unknown {
    if (typeof value === "string") return this.#known.get(value) ?? value;
    if (Array.isArray(value)) return value.map((inner) => this.filled(inner));
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, this.filled(inner)]),
    );
  }

  /** Fails unless an answer is as the page has it, but for what differs each time. */
  compare(
    pair: { readonly written: unknown; readonly came: unknown },
    where: string,
  ): void {
    const { written, came } = pair;
    if (Array.isArray(written) && Array.isArray(came)) {
      expect(came, where).to.have.lengthOf(written.length);
      for (const [index, inner] of written.entries())
        this.compare(
          { written: inner, came: came[index] as unknown },
          `${where}[${index}]`,
        );
    } else if (isRecord(written) && isRecord(came)) {
      expect(Object.keys(came).sort(), where).to.deep.equal(
        Object.keys(written).sort(),
      );
      for (const [key, inner] of Object.entries(written))
        if (counts.has(key)) expect(came[key], where).to.be.a("number");
        else
          this.compare({ written: inner, came: came[key] }, `${where}.${key}`);
    } else this.#compareValue(pair, where);
  }

  #compareValue(
    { written, came }: { readonly written: unknown; readonly came: unknown },
    where: string,
  ): void {
    const kind = kinds.find(
      (pattern) => typeof written === "string" && pattern.test(written),
    );
    if (kind === undefined || typeof written !== "string") {
      expect(came, where).to.deep.equal(written);
      return;
    }
    expect(came, where).to.match(kind);
    if (typeof came !== "string") return;
    expect(came, where).to.equal(this.#known.get(written) ?? came);
    this.#known.set(written, came);
  }
}
