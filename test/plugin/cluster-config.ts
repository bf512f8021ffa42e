import { expect } from "chai";

import { MEMBERS_MAX } from "../../src/ledger/index.ts";
import { parseNodeName } from "../../src/protocol/ids.ts";
import {
  nodeNames,
  resolveClusterConfig,
} from "../../src/plugin/cluster-config.ts";
import configHandlers from "../../src/plugin/hook-handlers/config.ts";
import { defaultSettings } from "../../src/node/settings.ts";

interface Problem {
  readonly path: string;
  readonly message: string;
}

async function problemsOf(sequencer: unknown): Promise<Problem[]> {
  const { validateUserConfig } = await configHandlers();
  // The type of the configuration would refuse most of what is tested here.
  const problems = await validateUserConfig?.({ sequencer } as never);
  return (problems ?? []).map(({ path, message }) => ({
    path: path.slice(1).join("."),
    message,
  }));
}

async function pathsOf(sequencer: unknown): Promise<string[]> {
  return (await problemsOf(sequencer)).map(({ path }) => path);
}

const settings = Object.keys(defaultSettings);

describe("plugin: configuration of a cluster", function () {
  it("accepts its own defaults, and each of them alone", async function () {
    expect(await pathsOf(defaultSettings)).to.deep.equal([]);
    for (const [key, value] of Object.entries(defaultSettings))
      expect(await pathsOf({ [key]: value as unknown })).to.deep.equal([]);
    expect(await pathsOf({ nodes: 4, threshold: 4 })).to.deep.equal([]);
  });

  it("takes what is undefined as left out", async function () {
    const all = ["nodes", "threshold", "blockMs", ...settings];
    const user = Object.fromEntries(all.map((key) => [key, undefined]));
    expect(await pathsOf(user)).to.deep.equal([]);
    expect(resolveClusterConfig(user)).to.deep.equal(resolveClusterConfig());
  });

  it("gives nodes names", function () {
    expect(nodeNames(3)).to.deep.equal(["alice", "bob", "carol"]);
    expect(nodeNames(["x", "y"])).to.deep.equal(["x", "y"]);
    const all = nodeNames(MEMBERS_MAX);
    expect(new Set(all).size).to.equal(MEMBERS_MAX);
    expect(all.every((name) => parseNodeName(name) === name)).to.equal(true);
  });

  it("refuses hostile values of every setting", async function () {
    const hostile = [
      NaN,
      Infinity,
      -Infinity,
      -1,
      0.5,
      1e308,
      Number.MAX_SAFE_INTEGER,
      1n,
      "1",
      "",
      null,
      true,
      [],
      [1],
      {},
      () => 1,
      Symbol("1"),
      new Date(0),
    ];
    for (const key of [...settings, "threshold", "blockMs"])
      for (const value of hostile)
        expect(
          await pathsOf({ [key]: value }),
          `${key}: ${typeof value}`,
        ).to.deep.equal([key]);
  });

  it("refuses nodes that cannot be", async function () {
    const wrong: readonly (readonly [unknown, string])[] = [
      [0, "nodes"],
      [-1, "nodes"],
      [1.5, "nodes"],
      [NaN, "nodes"],
      [MEMBERS_MAX + 1, "nodes"],
      ["alice", "nodes"],
      [{}, "nodes"],
      [null, "nodes"],
      [[], "nodes"],
      [Array.from({ length: MEMBERS_MAX + 1 }, (_, i) => `n${i}`), "nodes"],
      [["alice", "alice"], "nodes.1"],
      [["alice", "Alice"], "nodes.1"],
      [["alice", ""], "nodes.1"],
      [["alice", ".."], "nodes.1"],
      [["../alice"], "nodes.0"],
      [["a/b"], "nodes.0"],
      [["a".repeat(65)], "nodes.0"],
      [["a\n"], "nodes.0"],
      [["a\0b"], "nodes.0"],
      [[7], "nodes.0"],
      [[["alice"]], "nodes.0"],
    ];
    for (const [nodes, path] of wrong)
      expect(await pathsOf({ nodes }), JSON.stringify(nodes)).to.deep.equal([
        path,
      ]);
    expect(await pathsOf({ nodes: MEMBERS_MAX })).to.deep.equal([]);
    expect(await pathsOf({ nodes: ["a", "B-1", "c.d_e"] })).to.deep.equal([]);
  });

  it("refuses unknown keys, also those that every object has", async function () {
    for (const key of ["hartbeatMs", "constructor", "toString"])
      expect(await pathsOf({ [key]: 1 })).to.deep.equal([""]);
    const polluted: unknown = JSON.parse('{"__proto__": {"nodes": 0}}');
    expect(await pathsOf(polluted)).to.deep.equal([""]);
  });

  it("refuses values that do not go together, and says with what", async function () {
    const wrong: readonly (readonly [object, string, string])[] = [
      [{ threshold: 5 }, "threshold", "4"],
      [{ nodes: 2, threshold: 3 }, "threshold", "2"],
      [{ nodes: ["a", "b"], threshold: 3 }, "threshold", "2"],
      [{ heartbeatMs: 49 }, "heartbeatMs", "tickMs is 50"],
      [{ requestMs: 10, tickMs: 20 }, "requestMs", "tickMs is 20"],
      [{ requestMsMax: 100 }, "requestMsMax", "requestMs is 1000"],
      [{ suspicionMs: 400 }, "suspicionMs", "heartbeatMs is 500"],
      [{ stateMs: 200 }, "stateMs", "requestMs is 1000"],
      [
        { confirmations: 60, validForBlocks: 50 },
        "validForBlocks",
        "confirmations is 60",
      ],
    ];
    for (const [user, path, text] of wrong) {
      const [problem, ...others] = await problemsOf(user);
      expect(others, JSON.stringify(user)).to.deep.equal([]);
      expect(problem?.path).to.equal(path);
      expect(problem?.message).to.include(text);
    }
  });

  it("refuses confirmations that only archive nodes can answer for", async function () {
    expect(await pathsOf({ confirmations: 100 })).to.deep.equal([]);
    const [problem] = await problemsOf({ confirmations: 101 });
    expect(problem?.path).to.equal("confirmations");
    expect(problem?.message).to.include("archive");
  });

  it("refuses a tip that is more than the whole fee", async function () {
    const [problem] = await problemsOf({ maxFeeGwei: 20 });
    expect(problem).to.deep.equal({
      path: "maxFeeGwei",
      message:
        "Expected at least 50, as maxTipGwei is 50, the default: the tip is a part of it",
    });
    expect(await pathsOf({ maxFeeGwei: 20, maxTipGwei: 2 })).to.deep.equal([]);
  });

  it("blames the value that was given, not the default", async function () {
    const paths = await pathsOf({ tickMs: 600 });
    expect(new Set(paths)).to.deep.equal(new Set(["tickMs"]));
  });

  it("reports everything at once: shapes, relations and names", async function () {
    const paths = await pathsOf({
      nodes: ["alice", "alice", "b/c"],
      policy: "democratic",
      heartbeatMs: 10,
      requestMs: "soon",
      retriesMax: -1,
      bundleMax: 0,
      netwroks: {},
    });
    expect(paths).to.have.members([
      "nodes.1",
      "nodes.2",
      "policy",
      "heartbeatMs",
      "requestMs",
      "retriesMax",
      "bundleMax",
      "",
    ]);
  });
});
