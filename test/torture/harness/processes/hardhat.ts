import path from "node:path";

/** The folder of the project. */
export const root = path.resolve(import.meta.dirname, "../../../..");

const cli = path.join(root, "node_modules/hardhat/dist/src/cli.js");
const config = path.join(root, "test/torture/fixtures/hardhat.config.ts");

/** How to start Hardhat in a process of its own, without the shells that `npx` puts in between. */
export function hardhatCommand(
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
): {
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
} {
  // What is set for the tests themselves is not for their children.
  const own = Object.entries(process.env).filter(
    ([name]) => !["CI", "FORCE_COLOR", "NODE_OPTIONS"].includes(name),
  );
  return {
    command: [process.execPath, cli, "--config", config, ...args],
    cwd: root,
    env: { ...Object.fromEntries(own), NO_COLOR: "1", ...variables },
  };
}
