import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";

import hardhatToolbox from "@nomicfoundation/hardhat-toolbox-mocha-ethers";
import { createHardhatRuntimeEnvironment } from "hardhat/hre";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import type { Task } from "hardhat/types/tasks";

import hardhatSequencer from "../../../src/index.ts";
import { root } from "./blocks.ts";

/** Says what is wrong with commands, without running them. */
export interface CommandCheck {
  /** What is wrong with a block of commands, one sentence each. */
  readonly findProblems: (text: string) => readonly string[];
}

/** A check that knows the tasks of Hardhat with its toolbox and our plugin, and the scripts of this repository. */
export async function commandCheck(): Promise<CommandCheck> {
  const hre = await createHardhatRuntimeEnvironment({
    plugins: [hardhatToolbox, hardhatSequencer],
  });
  return {
    findProblems: (text) =>
      commandsOf(text).flatMap((words) =>
        problemsOf(words, hre).map(
          (problem) => `${words.join(" ")}: ${problem}`,
        ),
      ),
  };
}

/** The commands of a block as words, without comments, variables and what happens with their output. */
export function commandsOf(text: string): readonly (readonly string[])[] {
  return text
    .replaceAll("\\\n", " ")
    .split("\n")
    .map((line) => line.replace(/(^|\s)#.*$/, ""))
    .flatMap((line) => line.split(/&&|[;|&](?=\s|$)/))
    .map((command) => {
      const words = command.match(/(?:[^\s'"]+|'[^']*'|"[^"]*")+/g) ?? [];
      const output = words.findIndex((word) => /^\d?>/.test(word));
      return (output === -1 ? words : words.slice(0, output))
        .map((word) => word.replace(/^\[|\]$/g, ""))
        .slice(words.findIndex((word) => !/^[A-Z_]+=/.test(word)));
    })
    .filter((words) => words.length > 0);
}

function problemsOf(
  [program = "", ...args]: readonly string[],
  hre: HardhatRuntimeEnvironment,
): readonly string[] {
  const [first = "", ...rest] = args;
  if (program === "npx" && first === "hardhat")
    return hardhatProblems(rest, hre);
  if (program === "npx" && first === "mocha") return missingFiles(rest);
  if (program === "npx" && first === "-p") return [];
  if (program === "npm" && first === "run") return scriptProblems(rest);
  if (program === "npm" && ["install", "ci", "test"].includes(first)) return [];
  if (program.endsWith("/node")) return missingFiles(rest.concat(first));
  // They only wait for, and show, what commands before them do.
  if (program === "wait" || program === "tail") return [];
  return ["nothing checks this program"];
}

function hardhatProblems(
  words: readonly string[],
  hre: HardhatRuntimeEnvironment,
): readonly string[] {
  const end = words.findIndex((word) => word.startsWith("-"));
  const names = end === -1 ? words : words.slice(0, end);
  const task = taskOf(names, hre);
  if (task === undefined) return [`there is no task ${names.join(" ")}`];
  const known = new Set([
    ...Object.keys(hre.globalOptions),
    ...task.options.keys(),
  ]);
  return [
    ...words
      .filter((word) => word.startsWith("--"))
      .map((word) => word.slice(2))
      .filter((option) => !known.has(toCamelCase(option)))
      .map((option) => `there is no option --${option}`),
    ...missingFiles(names),
  ];
}

/** The task with the longest name that the words begin with. */
function taskOf(
  words: readonly string[],
  hre: HardhatRuntimeEnvironment,
): Task | undefined {
  let task = hre.tasks.rootTasks.get(words[0] ?? "");
  for (const word of words.slice(1)) task = task?.subtasks.get(word) ?? task;
  return task;
}

function scriptProblems([name = "", ...args]: readonly string[]): string[] {
  const script = scripts[name];
  if (script === undefined) return [`there is no script ${name}`];
  const options = args.filter((word) => /^--\w/.test(word));
  return options
    .filter((option) => !scriptText.includes(option.slice(2)))
    .map((option) => `no script knows ${option}`);
}

const { scripts } = JSON.parse(
  readFileSync(path.join(root, "package.json"), "utf8"),
) as { readonly scripts: Readonly<Record<string, string>> };

const scriptText = globSync("scripts/**/*.ts", { cwd: root })
  .map((file) => readFileSync(path.join(root, file), "utf8"))
  .join("\n");

/** Arguments that are files of this repository, and are not there. */
function missingFiles(words: readonly string[]): string[] {
  return words
    .filter((word) => /^(?:test|scripts|contracts)\/.*\.\w+$/.test(word))
    .filter((file) => !existsSync(path.join(root, file)))
    .map((file) => `there is no ${file}`);
}

function toCamelCase(option: string): string {
  return option.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
