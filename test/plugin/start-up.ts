import { globSync } from "node:fs";

import { expect } from "chai";

import { runScript } from "./helpers/scripts.ts";

/** Says which modules a script had loaded, apart from those of Node, at each `mark()`. */
async function modulesAtMarks(
  script: string,
): Promise<readonly (readonly string[])[]> {
  const { stdout, stderr, exitCode } = await runScript(`
    import { registerHooks } from "node:module";
    const loaded = [];
    const marks = [];
    const mark = () => marks.push([...loaded]);
    registerHooks({
      load: (url, context, next) => {
        if (!url.startsWith("node:")) loaded.push(url);
        return next(url, context);
      },
    });
    ${script}
    console.log(JSON.stringify(marks));
  `);
  expect(exitCode, stderr).to.equal(0);
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "[]") as string[][];
}

const ours = (modules: readonly string[]): readonly string[] =>
  modules.flatMap(
    (url) => /\/((?:src|tasks)\/(?!internal).*\.ts)$/.exec(url)?.[1] ?? [],
  );

/** What takes long to load, or has no business in a build. */
const heavy =
  /\/src\/(runtime\/(?!node\/settings\.ts)|protocol|ledger|simulation|view|typechain)|\/src\/plugin\/(deployment|connection\/(?!(sequencer|snapshots|request-gate)\.ts))|\/tasks\/[a-z]+\/(?!definition\.ts|text-option\.ts)|node_modules\/(ethers|@noble|ws)\//;

describe("plugin: start-up", function () {
  this.timeout(60_000);

  it("loads next to nothing when a configuration imports it", async function () {
    const [before = [], after = []] = await modulesAtMarks(`
      await import("hardhat/plugins");
      await import("hardhat/config");
      mark();
      await import("./src/index.ts");
      mark();
    `);
    const added = after.slice(before.length);
    expect(added).to.deep.equal(
      added.filter((url) => !heavy.test(url) && !url.includes("/zod/")),
    );
    // The descriptor, and the definitions of the tasks.
    expect(ours(added)).to.include("src/index.ts");
    const definitions = globSync("tasks/*/definition.ts");
    expect(added.length).to.be.at.most(definitions.length + 4);
  });

  it("loads nothing of the runtime before a cluster is started", async function () {
    const [before = [], asked = [], started = []] = await modulesAtMarks(`
      const { createHardhatRuntimeEnvironment } = await import("hardhat/hre");
      const { default: plugin } = await import("./src/index.ts");
      const hre = await createHardhatRuntimeEnvironment({ plugins: [plugin] });
      const connection = await hre.network.create();
      mark();
      if (connection.sequencer.isRunning) throw new Error("It runs.");
      mark();
      await connection.sequencer.start({ nodes: 1 });
      mark();
      await connection.close();
    `);
    // Bounds are numbers, by which the configuration is checked.
    const isHeavy = (url: string): boolean =>
      heavy.test(url) && !/node_modules|protocol\/limits\.ts$/.test(url);
    expect(before.filter(isHeavy)).to.deep.equal([]);
    expect(asked).to.deep.equal(before);
    expect(started.filter(isHeavy)).to.not.deep.equal([]);
    // The EVM waits for the first private contract.
    expect(started.filter((url) => url.includes("@ethereumjs"))).to.deep.equal(
      [],
    );
  });
});
