import path from "node:path";

import type { FailPoint } from "./fail-points.ts";

/** The folder of the project. */
export const root = path.resolve(import.meta.dirname, "../../../..");

const fixtures = path.join(root, "test/torture/fixtures");

/** A task of Hardhat. */
export interface TaskCall {
  readonly task: string;
  readonly args: Readonly<Record<string, string | number | boolean>>;
  readonly network?: string;
}

/** How to run something in a process of its own. */
export interface Command {
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Runs a task with as little as possible around it. */
export function leanCommand(
  { task, args, network }: TaskCall,
  variables: Readonly<Record<string, string>> = {},
): Command {
  const given = [args, { network }].map((one) => JSON.stringify(one));
  return commandOf(
    [path.join(fixtures, "hardhat.js"), task, ...given],
    variables,
  );
}

/** Runs a node that kills itself at a point. */
export function dyingNodeCommand(
  failPoint: FailPoint,
  { args, network }: Pick<TaskCall, "args" | "network">,
  variables: Readonly<Record<string, string>> = {},
): Command {
  const given = [args, { network }].map((one) => JSON.stringify(one));
  return commandOf(
    [path.join(fixtures, "dying-node.js"), failPoint, ...given],
    variables,
  );
}

/** Runs a task as users do, but without the shells that `npx` puts in between. */
export function userCommand(
  { task, args, network }: TaskCall,
  variables: Readonly<Record<string, string>> = {},
): Command {
  const given = Object.entries(args).flatMap(([name, value]) => {
    const option = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (typeof value !== "boolean") return [option, String(value)];
    return value ? [option] : [];
  });
  return commandOf(
    [
      path.join(root, "node_modules/hardhat/dist/src/cli.js"),
      ...["--config", path.join(fixtures, "hardhat.config.js")],
      ...(network === undefined ? [] : ["--network", network]),
      ...[task, ...given],
    ],
    variables,
  );
}

function commandOf(
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
): Command {
  // What is set for the tests themselves is not for their children.
  const own = Object.entries(process.env).filter(
    ([name]) => !["CI", "FORCE_COLOR", "NODE_OPTIONS"].includes(name),
  );
  return {
    command: [process.execPath, ...args],
    cwd: root,
    env: { ...Object.fromEntries(own), NO_COLOR: "1", ...variables },
  };
}
