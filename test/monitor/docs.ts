import { readFileSync } from "node:fs";

import { expect } from "chai";

import { metricsDocs } from "../../scripts/metrics-docs.ts";
import { type Definition, definitions } from "../../src/monitor/definitions.ts";

describe("The reference of metrics", () => {
  it("is up to date", async () => {
    const file = new URL("../../docs/reference/metrics.md", import.meta.url);
    expect(await metricsDocs()).to.equal(readFileSync(file, "utf8"));
  });

  it("follows the customs of Prometheus", () => {
    for (const [name, definition] of Object.entries<Definition>(definitions)) {
      const { type, help, advice, labels } = definition;
      expect(name.endsWith("_total"), name).to.equal(type === "counter");
      if (type === "histogram") expect(name).to.match(/_seconds$/);
      expect(name).to.not.match(/_(ms|milliseconds|kb|minutes)(_|$)/);
      for (const sentence of [help, advice])
        expect(sentence, name).to.match(/^[\w`].*\.$/);
      expect(labels.length, name).to.be.at.most(1);
    }
  });
});
