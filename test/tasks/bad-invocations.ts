import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

import { expect } from "chai";
import type { TaskDefinition } from "hardhat/types/tasks";
import { ArgumentType } from "hardhat/types/arguments";
import { z } from "zod";

import { tasks } from "../../tasks/definitions.ts";
import { identityOf } from "../../tasks/identity/identity.ts";
import type { RpcClient } from "../../tasks/shared/rpc-client.ts";
import { temporaryDirectory } from "../helpers/stores.ts";
import type { Command } from "../plugin/helpers/processes.ts";
import { CommandLine } from "./helpers/bad-invocations/command-line.ts";
import { badHere } from "./helpers/bad-invocations/here.ts";
import { badQuestions } from "./helpers/bad-invocations/questions.ts";
import type { BadInvocation } from "./helpers/bad-invocations/row.ts";
import {
  groupsOf,
  ServedNodes,
  SharedChain,
  untilJoined,
} from "./helpers/served-nodes.ts";
import { snapshotOf } from "./helpers/snapshot.ts";

const root = path.resolve(import.meta.dirname, "../..");

/** Tasks by their short names: each of them has a longer one besides. */
const named = tasks.filter(
  (task) => task.id[0]?.startsWith("sequencer:") && "options" in task,
);
const shownId = ({ id }: TaskDefinition): string => id.join(" ");

/** Every option of a task, as the command line has it. */
function optionsOf(
  task: TaskDefinition,
): readonly { readonly name: string; readonly isFlag: boolean }[] {
  if (!("options" in task)) return [];
  return Object.values(task.options).map(({ name, type }) => ({
    name: `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    isFlag: type === ArgumentType.FLAG,
  }));
}

/** A flag takes no value, so that only giving it twice is wrong. */
const badFlags = named.flatMap((task) =>
  optionsOf(task)
    .filter(({ isFlag }) => isFlag)
    .map(({ name }): BadInvocation => ({
      words: [...task.id, name, name],
      code: "HARDHAT",
      names: [name],
    })),
);

const badInvocations = [...badHere, ...badQuestions, ...badFlags];

const isOf = (task: TaskDefinition, { words }: BadInvocation): boolean =>
  task.id.every((word, index) => words[index] === word);

/** The option that is wrong: rows have it as their last one. */
const wrongOption = ({ words }: BadInvocation): string | undefined =>
  words.findLast((word) => word.startsWith("--"))?.split("=")[0];

/** What tells users what to do next, or what there is to choose from. */
const nextStep =
  /\b(Add|Ask|Choose|Correct|Create|Deploy|Give|Install|Leave|Look|Name|Remove|Restore|Run|Send|Start|Use|Write|write|Its functions are|Its groups are|It knows|There are|must be|expected)\b/;

describe("tasks: bad invocations", function () {
  this.timeout(300_000);
  const folder = temporaryDirectory();
  /** What must not change: a project with data directories, and a directory for temporary files. */
  const disk = path.join(folder.path, "disk");
  const project = path.join(disk, "project");
  const place = (name: string): string => path.join(project, name);
  let chain: SharedChain;
  let nodes: ServedNodes;
  let alice: RpcClient;
  let commandLine: CommandLine;
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
    commandLine = new CommandLine(project, path.join(disk, "temporary"));
  });

  after(async () => {
    await commandLine.stop();
    await nodes.stop();
    await chain.stop();
    folder.remove();
    expect(nodes.reported).to.deep.equal([]);
  });

  function makeProject(): void {
    mkdirSync(place("empty"), { recursive: true });
    mkdirSync(path.join(disk, "temporary"));
    const modules = path.join(root, "node_modules");
    symlinkSync(modules, path.join(folder.path, "node_modules"));
    writeFileSync(place("file"), "not a directory");
    writeFileSync(place("module.ts"), "export default 7;\n");
    identityOf({ name: "alice", dataDir: place("nodes") });
    mkdirSync(place("nodes/broken"));
    writeFileSync(place("nodes/broken/identity.pem"), "{", { mode: 0o600 });
    writeFileSync(place("package.json"), '{ "type": "module" }');
    const plain = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";
    const plugin = pathToFileURL(path.join(root, "src/index.ts")).href;
    writeFileSync(
      place("hardhat.config.ts"),
      `import plugin from "${plugin}";\nexport default { ...${JSON.stringify(
        nodes.configuration({ plain }),
      )}, plugins: [plugin] };\n`,
    );
  }

  function filled(text: string): string {
    return text.replace(
      /\{(\w+)\}/g,
      (all, name: string) => values[name] ?? all,
    );
  }

  const wordsOf = ({ words }: BadInvocation): readonly string[] => [
    "--network",
    "chain",
    ...words.map(filled),
  ];

  function check({ code, names }: BadInvocation, command: Command): void {
    const { exitCode, stdout, stderr } = command;
    expect(exitCode, stderr).to.equal(1);
    expect(stdout.trim()).to.equal("");
    if (code === "HARDHAT") expect(stderr).to.match(/Error HHE\d+/);
    else {
      expect(stderr).to.include(`[${code}]`);
      expect(stderr).to.match(nextStep);
    }
    for (const name of names) expect(stderr).to.include(filled(name));
    for (const never of [/secret/, /undefined/, /\[object/, /(?<!here) is no /])
      expect(stderr.replaceAll("hardhat-sequencer", "")).to.not.match(never);
  }

  it("are many, and of every task", () => {
    expect(badInvocations.length).to.be.greaterThan(180);
    for (const task of named)
      expect(
        badInvocations.some((row) => isOf(task, row)),
        shownId(task),
      ).to.equal(true);
  });

  for (const task of named)
    for (const { name } of optionsOf(task))
      it(`are there for ${shownId(task)} ${name}`, () => {
        expect(
          badInvocations.some(
            (row) => isOf(task, row) && wrongOption(row) === name,
          ),
        ).to.equal(true);
      });

  for (const invocation of badInvocations) {
    const { words, code } = invocation;
    const shown = JSON.stringify(words.join(" ")).slice(1, 120);
    it(`exit with 1 after ${code}: ${shown}`, async () => {
      const before = snapshotOf(disk);
      check(invocation, await commandLine.run(wordsOf(invocation)));
      expect(snapshotOf(disk)).to.deep.equal(before);
    });
  }

  for (const task of named) {
    const invocation = badInvocations.find((row) => isOf(task, row));
    if (invocation === undefined) continue;
    it(`do the same in a process of its own: ${shownId(task)}`, async () => {
      const words = wordsOf(invocation);
      expect(await commandLine.runAlone(words)).to.deep.equal(
        await commandLine.run(words),
      );
    });
  }

  it("leave the node as it was", async () => {
    expect(await groupsOf(alice)).to.deep.equal(["main"]);
    const method = "ptx_queryTransactions";
    const sent = await alice.ask(z.array(z.unknown()), method, { limit: 10 });
    expect(sent).to.deep.equal([]);
  });
});
