import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

import { HardhatError } from "@nomicfoundation/hardhat-errors";
import hardhatEthers from "@nomicfoundation/hardhat-ethers";
import { expect } from "chai";
import { createHardhatRuntimeEnvironment } from "hardhat/hre";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { z } from "zod";

import {
  parseRawArguments,
  parseTask,
  parseTaskArguments,
} from "../../node_modules/hardhat/dist/src/internal/cli/parser.js";
import hardhatSequencer from "../../src/index.ts";
import { SequencerError } from "../../src/plugin/errors.ts";
import { tasks } from "../../tasks/definitions.ts";
import { identityOf } from "../../tasks/identity/identity.ts";
import type { RpcClient } from "../../tasks/shared/rpc-client.ts";
import { temporaryDirectory } from "../helpers/stores.ts";
import { runHardhat } from "../plugin/helpers/processes.ts";
import { badHere } from "./helpers/bad-invocations/here.ts";
import { badProcesses } from "./helpers/bad-invocations/processes.ts";
import { badQuestions } from "./helpers/bad-invocations/questions.ts";
import type { BadInvocation } from "./helpers/bad-invocations/row.ts";
import {
  groupsOf,
  ServedNodes,
  SharedChain,
  untilJoined,
} from "./helpers/served-nodes.ts";
import { snapshotOf } from "./helpers/snapshot.ts";

const badInvocations = [...badHere, ...badQuestions];

/** What tells users what to do next, or what there is to choose from. */
const nextStep =
  /\b(Add|Ask|Choose|Correct|Create|Deploy|Give|Install|Leave|Look|Name|Remove|Restore|Run|Send|Start|Use|Write|write|Its functions are|Its groups are|It knows|There are|must be|expected)\b/;

describe("tasks: bad invocations", function () {
  this.timeout(120_000);
  const project = temporaryDirectory();
  const place = (name: string): string => path.join(project.path, name);
  let chain: SharedChain;
  let nodes: ServedNodes;
  let alice: RpcClient;
  let hre: HardhatRuntimeEnvironment;
  let values: Readonly<Record<string, string>>;

  before(async () => {
    chain = await SharedChain.start();
    nodes = await ServedNodes.prepare(chain);
    const groups = await nodes.deploy({
      members: "alice,bob",
      domain: "group-token",
    });
    alice = await nodes.start("alice", groups);
    await untilJoined(alice, "main");
    makeProject();
    values = {
      url: alice.name,
      empty: place("empty"),
      file: place("file"),
      module: place("module.ts"),
      nodes: place("nodes"),
    };
    hre = await environment();
  });

  after(async () => {
    await nodes.stop();
    await chain.stop();
    project.remove();
    expect(nodes.reported).to.deep.equal([]);
  });

  function makeProject(): void {
    mkdirSync(place("empty"));
    writeFileSync(place("file"), "not a directory");
    writeFileSync(place("module.ts"), "export default 7;\n");
    identityOf({ name: "alice", dataDir: place("nodes") });
    mkdirSync(place("nodes/broken"));
    writeFileSync(place("nodes/broken/identity.pem"), "{", { mode: 0o600 });
    writeFileSync(place("package.json"), '{ "type": "module" }');
  }

  async function environment(): Promise<HardhatRuntimeEnvironment> {
    const plain = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";
    return await createHardhatRuntimeEnvironment(
      {
        ...nodes.configuration({ plain }),
        plugins: [hardhatEthers, hardhatSequencer],
      },
      { network: "chain" },
      project.path,
    );
  }

  function filled(text: string): string {
    return text.replace(
      /\{(\w+)\}/g,
      (all, name: string) => values[name] ?? all,
    );
  }

  /** As the command line does it. */
  async function invoke(words: readonly string[]): Promise<void> {
    const given = parseRawArguments([...words]);
    const used = given.map(() => false);
    const task = parseTask(given, used, hre.tasks.rootTasks);
    if (Array.isArray(task)) throw new Error(`There is no ${task.join(" ")}.`);
    await task.run(parseTaskArguments(given, used, task));
  }

  async function failureOf(words: readonly string[]): Promise<Error> {
    try {
      await invoke(words);
    } catch (error) {
      if (error instanceof Error) return error;
    }
    throw new Error("Expected an error, but there was none.");
  }

  function check({ code, names }: BadInvocation, error: Error): void {
    if (code === "HARDHAT") expect(error).to.be.instanceOf(HardhatError);
    else {
      if (!(error instanceof SequencerError)) throw error;
      expect(error.code).to.equal(code);
      expect(error.message, error.message).to.match(nextStep);
    }
    for (const name of names) expect(error.message).to.include(filled(name));
    for (const never of [/secret/, /undefined/, /\[object/, /(?<!here) is no /])
      expect(error.message).to.not.match(never);
  }

  it("are many, and of every task", () => {
    expect(badInvocations.length).to.be.greaterThan(150);
    for (const { id } of tasks)
      if (id[0]?.startsWith("sequencer:") === true)
        expect(
          badInvocations.some(({ words }) =>
            id.every((word, index) => words[index] === word),
          ),
          id.join(" "),
        ).to.equal(true);
  });

  for (const invocation of badInvocations) {
    const { words, code } = invocation;
    const shown = JSON.stringify(words.join(" ")).slice(1, 120);
    it(`fail with ${code}: ${shown}`, async () => {
      const before = snapshotOf(project.path);
      check(invocation, await failureOf(words.map(filled)));
      expect(snapshotOf(project.path)).to.deep.equal(before);
    });
  }

  for (const { words, code, names } of badProcesses)
    it(`exit with 1 after ${code}: ${words.join(" ")}`, async () => {
      const before = snapshotOf(project.path);
      const command = await runHardhat(words.map(filled), {
        TEST_CHAIN_URL: chain.url,
      });
      expect(command.exitCode, command.stderr).to.equal(1);
      expect(command.stdout.trim()).to.equal("");
      if (code !== "HARDHAT") {
        expect(command.stderr).to.include(`[${code}]`);
        expect(command.stderr).to.match(nextStep);
      }
      for (const name of names) expect(command.stderr).to.include(filled(name));
      expect(command.stderr).to.not.include("secret");
      expect(snapshotOf(project.path)).to.deep.equal(before);
    });

  it("leave the node as it was", async () => {
    expect(await groupsOf(alice)).to.deep.equal(["main"]);
    const method = "ptx_queryTransactions";
    const sent = await alice.ask(z.array(z.unknown()), method, { limit: 10 });
    expect(sent).to.deep.equal([]);
  });
});
