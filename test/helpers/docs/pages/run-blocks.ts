import { spawnSync } from "node:child_process";
import path from "node:path";

import { type Block, blocksOf, root } from "../blocks.ts";
import { isRun } from "../executors.ts";
import { userPages } from "../pages.ts";
import {
  configModule,
  fileOf,
  hasTests,
  isConfig,
  joined,
  mochaModule,
} from "./mocha-file.ts";
import type { PagesProject } from "./project.ts";

const TOKEN = `// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;
import { ERC20 } from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
contract Token is ERC20 {
  constructor(uint256 supply) ERC20("Token", "TKN") { _mint(msg.sender, supply); }
}
`;

/** The blocks of all pages in these languages that this file runs. */
function written(...languages: readonly string[]): readonly Block[] {
  return userPages()
    .flatMap((page) => blocksOf(page))
    .filter((block) => languages.includes(block.language) && isRun(block));
}

/** The blocks in TypeScript: configurations, files with a name, and parts of tests. */
function typescriptBlocks(): Readonly<
  Record<"configs" | "named" | "code", readonly Block[]>
> {
  const all = written("ts");
  const configs = all.filter((block) => isConfig(block));
  const named = all.filter((block) => fileOf(block) !== undefined);
  const code = all.filter(
    (block) => !named.includes(block) && !configs.includes(block),
  );
  return { configs, named, code: joined(code) };
}

/** The names of all tests that the blocks are, or have. */
function names(): readonly string[] {
  const { configs, named, code } = typescriptBlocks();
  const placed = [
    ...configs,
    ...named,
    ...code.filter((one) => !hasTests(one)),
  ];
  const own = code.flatMap(({ text }) => [
    ...text.matchAll(/^\s*(?:describe|it)\("([^"]+)"/gm),
  ]);
  const solidity = written("solidity").flatMap(({ text }) => [
    ...text.matchAll(/function (test\w+)/g),
  ]);
  return [
    ...placed.map(({ page, line }) => `${page}:${line}`),
    ...[...own, ...solidity].map(([, name = ""]) => name),
  ];
}

/** Writes all blocks in TypeScript and Solidity to files of the project. */
export function writeBlocks(project: PagesProject): void {
  project.write("contracts/Token.sol", TOKEN);
  project.write("hardhat.tests.ts", testConfig);
  const { configs, named, code } = typescriptBlocks();
  for (const block of named) project.write(fileOf(block) ?? "", block.text);
  for (const [index, block] of configs.entries())
    project.write(`configs/config-${index}.ts`, configModule(block));
  project.write("test/configs.ts", configTests(configs));
  project.write("test/named.ts", namedTests(named));
  for (const [index, block] of code.entries())
    project.write(`test/page-${index}.ts`, mochaModule(block));
  for (const [index, block] of written("solidity").entries())
    project.write(fileOf(block) ?? `test/Block${index}.t.sol`, unit(block));
}

/** Runs what `writeBlocks` wrote, as `npx hardhat test` does. */
export function runBlocks(project: PagesProject): void {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      path.join(root, "node_modules/hardhat/dist/src/cli.js"),
      ..."--config hardhat.tests.ts test".split(" "),
    ],
    { cwd: project.path, env: project.environment(), encoding: "utf8" },
  );
  const missing = names().filter((name) => !stdout.includes(name));
  if (status !== 0 || missing.length > 0)
    throw new Error(`${missing.join(", ")} not run:\n${stdout}\n${stderr}`);
}

const compiler = (settings: object): string =>
  JSON.stringify({
    version: "0.8.37",
    path: path.join(root, "node_modules/solc/soljson.js"),
    settings,
  });

const testConfig = `import hardhatMocha from "@nomicfoundation/hardhat-mocha";
import hardhatNetworkHelpers from "@nomicfoundation/hardhat-network-helpers";
import hardhatSequencer from "hardhat-sequencer";
import hardhatSequencerChai from "hardhat-sequencer/chai";
import { defineConfig } from "hardhat/config";

export default defineConfig({
  plugins: [hardhatMocha, hardhatNetworkHelpers, hardhatSequencer, hardhatSequencerChai],
  solidity: {
    compilers: [${compiler({ evmVersion: "cancun" })}],
    // What a group's EVM runs if its creator does not say otherwise.
    overrides: { "contracts/Token.sol": ${compiler({ evmVersion: "shanghai" })} },
  },
  test: { mocha: { timeout: 60_000 } },
});
`;

/** Configurations that Hardhat takes, with the plugins that they name. */
function configTests(configs: readonly Block[]): string {
  const tests = configs.map(
    ({ page, line }, index) => `  it("${page}:${line}", async () => {
    const { default: config } = await import("../configs/config-${index}.ts");
    const { config: { plugins } } = await createHardhatRuntimeEnvironment(config);
    expect(plugins.map(({ id }) => id)).to.include("hardhat-sequencer");
  });`,
  );
  return `import { expect } from "chai";
import { createHardhatRuntimeEnvironment } from "hardhat/hre";

describe("configurations", () => {
${tests.join("\n")}
});
`;
}

/** Modules that a page gives a name: they load. */
function namedTests(blocks: readonly Block[]): string {
  const tests = blocks.map(
    (block) => `  it("${block.page}:${block.line}", async () => {
    expect(Object.keys(await import("../${fileOf(block) ?? ""}"))).to.not.deep.equal([]);
  });`,
  );
  return `import { expect } from "chai";

describe("modules", () => {
${tests.join("\n")}
});
`;
}

/** A part of a contract is put into one, and a file without a version gets one. */
function unit({ text }: Block): string {
  const isPart = /^\s*(?:event|error|function) /.test(text);
  const whole = isPart ? `contract Part { ${text} }` : text;
  return whole.includes("pragma ")
    ? whole
    : `// SPDX-License-Identifier: Apache-2.0\npragma solidity ^0.8.28;\n${whole}`;
}
