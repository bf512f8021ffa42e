import { readFileSync } from "node:fs";

import { expect } from "chai";

import { clusterDefaults } from "../../../src/plugin/cluster-config.ts";
import { defaultSettings } from "../../../src/node/settings.ts";

const read = (path: string): string =>
  readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

describe("connection.sequencer: the reference", function () {
  const text = read("docs/reference/connection.md");

  it("has every setting with its default", function () {
    const settings = { ...defaultSettings, ...clusterDefaults };
    for (const [key, value] of Object.entries(settings)) {
      const row = text
        .split("\n")
        .find(
          (line) =>
            line.startsWith(`| \`${key}\``) &&
            line.includes(
              value === undefined ? "by chain" : JSON.stringify(value),
            ),
        );
      expect(row, key).to.not.equal(undefined);
    }
  });

  it("has every call and every property that users see", function () {
    const types = read("src/plugin/connection/types.ts");
    const names = [...types.matchAll(/^ {2}(\w+)\(/gm)].map(([, name]) => name);
    expect(names).to.include.members(["start", "createGroup", "crash"]);
    for (const name of names) expect(text, name).to.include(`${name}(`);
  });

  it("has codes that exist", function () {
    const errors = read("src/plugin/errors.ts");
    const codes = [...text.matchAll(/`([A-Z]+(?:_[A-Z]+)*)`/g)].map(
      ([, code]) => code ?? "",
    );
    expect(codes).to.include("CLUSTER_RUNNING");
    for (const code of codes) expect(errors).to.include(`  ${code}: (`);
  });
});
