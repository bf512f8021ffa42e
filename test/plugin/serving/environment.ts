import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect } from "chai";
import hre from "hardhat";

import node from "../../../src/tasks/node.ts";

const variable = "SEQUENCER_FAIL_POINT";
const sources = join(import.meta.dirname, "../../../src");

describe("plugin: the environment of sequencer:node", function () {
  afterEach(() => {
    Reflect.deleteProperty(process.env, variable);
  });

  /** How a node ends that has no peers in its configuration. */
  const endOf = async (): Promise<string> => {
    const options = { name: "alice", dataDir: "nodes", json: true };
    try {
      await node(options, hre);
      return "It ended.";
    } catch (error) {
      return String(error);
    }
  };

  it("cannot make it die at a point", async function () {
    const end = await endOf();
    process.env[variable] = "nonsense";
    expect(await endOf()).to.equal(end);
  });

  it("is read by the view of sequencer:run alone, for its colours", function () {
    const files = readdirSync(sources, { recursive: true, encoding: "utf8" });
    const readers = files.filter(
      (file) =>
        file.endsWith(".ts") &&
        /process\.env\b|fail.?point/i.test(
          readFileSync(join(sources, file), "utf8"),
        ),
    );
    expect(readers).to.deep.equal([join("tasks", "run.ts")]);
  });
});
