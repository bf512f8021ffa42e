import { expect } from "chai";
import { collectDefaultMetrics, Registry } from "prom-client";

import { type Definition, definitions } from "../../src/monitor/definitions.ts";
import { readPage } from "../helpers/docs/blocks.ts";

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: Readonly<Record<"h" | "w" | "x" | "y", number>>;
  readonly targets?: readonly { readonly expr: string }[];
}

const dashboard = JSON.parse(readPage("docs/grafana/sequencer.json")) as {
  readonly panels: readonly Panel[];
  readonly templating: {
    readonly list: readonly { readonly query: unknown }[];
  };
};

const expressions = dashboard.panels.flatMap(({ targets = [] }) =>
  targets.map(({ expr }) => expr),
);

type Series = Pick<Definition, "type" | "labels">;

/** Labels that Prometheus adds. */
const added = ["instance", "job", "le"];

/** The labels and the type of every metric, by the names under which Prometheus has them. */
function series(): ReadonlyMap<string, Series> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const usual = registry
    .getMetricsAsArray()
    .map(({ name }): [string, Series] => [name, { type: "gauge", labels: [] }]);
  const own = Object.entries<Definition>(definitions).flatMap(
    ([name, definition]): [string, Series][] =>
      definition.type === "histogram"
        ? ["bucket", "sum", "count"].map((part) => [
            `${name}_${part}`,
            definition,
          ])
        : [[name, definition]],
  );
  return new Map([...usual, ...own]);
}

describe("docs/grafana/sequencer.json", () => {
  const known = series();

  it("names only metrics that a node has", () => {
    const texts = [
      ...expressions,
      JSON.stringify(dashboard.templating.list.map(({ query }) => query)),
    ];
    const names = texts.flatMap(
      (text) => text.match(/\b(?:sequencer|nodejs|process)_\w+/g) ?? [],
    );
    expect(names.length).to.be.greaterThan(20);
    expect(names.filter((name) => !known.has(name))).to.deep.equal([]);
  });

  for (const expression of expressions)
    it(`uses labels and counters as they are: ${expression}`, () => {
      for (const [, name = "", selector = ""] of expression.matchAll(
        /\b((?:sequencer|nodejs|process)_\w+)(?:\{([^}]*)\})?/g,
      )) {
        const { labels = [], type } = known.get(name) ?? {};
        const selected = [...selector.matchAll(/(\w+)\s*=/g)].map(
          ([, label]) => label,
        );
        const grouped = [...expression.matchAll(/by \(([^)]*)\)/g)].flatMap(
          ([, list = ""]) => list.split(", "),
        );
        expect([...added, ...labels]).to.include.members([
          ...selected,
          ...grouped,
        ]);
        // A counter says something only over time.
        expect(
          new RegExp(`(rate|increase)\\(${name}\\b`).test(expression),
        ).to.equal(type === "counter" || type === "histogram");
      }
    });

  it("has a place of its own for every panel", () => {
    const cells = dashboard.panels.flatMap(({ gridPos: { h, w, x, y } }) => {
      expect(x + w).to.be.at.most(24);
      return Array.from(
        { length: h * w },
        (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`,
      );
    });
    expect(new Set(cells).size).to.equal(cells.length);
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).to.equal(ids.length);
  });
});
