import { execFile, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import path from "node:path";
import { setTimeout } from "node:timers/promises";

const root = path.resolve(import.meta.dirname, "../../..");
const hardhat = path.join(root, "node_modules/hardhat/dist/src/cli.js");
const fixture = path.join(root, "test/plugin/fixtures/hardhat.config.ts");
const keepCompiled = path.join(root, "test/helpers/keep-compiled.js");

/** What a command did. */
export interface Command {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `hardhat` in a process of its own, as `npx hardhat` does. */
export async function runHardhat(
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<Command> {
  return await new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [hardhat, "--config", fixture, ...args],
      { cwd: root, env: environment(variables), timeout: 120_000 },
      (_error, stdout, stderr) => {
        resolve({ exitCode: child.exitCode ?? -1, stdout, stderr });
      },
    );
  });
}

/** How to start `hardhat` in a process of its own. */
export function commandOf(variables: Readonly<Record<string, string>>): {
  readonly file: readonly string[];
  readonly options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv };
} {
  return {
    file: [process.execPath, hardhat, "--config", fixture],
    options: { cwd: root, env: environment(variables) },
  };
}

/** Starts Hardhat's node in a process of its own. */
export async function startHardhatNode(givenPort?: number): Promise<Node> {
  const port = givenPort ?? (await freePort());
  const program = path.join(import.meta.dirname, "hardhat-node.js");
  return await startNode(
    spawn(process.execPath, ["--import", keepCompiled, program, String(port)], {
      cwd: root,
      env: environment({}),
      stdio: "ignore",
      detached: true,
    }),
    port,
  );
}

/** Where Anvil is. npm finds it; it is no dependency, for lack of packages for all platforms. */
async function findAnvil(): Promise<string> {
  const find = "exec --yes --package=@foundry-rs/anvil@1.7.1 -- sh -c".split(
    " ",
  );
  return await new Promise((resolve, reject) => {
    execFile("npm", [...find, "command -v anvil"], (error, stdout) => {
      if (error === null) resolve(stdout.trim());
      else reject(new Error("Anvil is not to be had", { cause: error }));
    });
  });
}

/** To ask npm takes longer than to start Anvil. */
let anvil: Promise<string> | undefined;

/** Starts Anvil in a process of its own. */
export async function startAnvil(
  givenPort?: number,
  options: readonly string[] = [],
): Promise<Node> {
  const port = givenPort ?? (await freePort());
  anvil ??= findAnvil();
  const args = ["--port", String(port), "--silent", ...options];
  const child = spawn(await anvil, args, { stdio: "ignore", detached: true });
  return await startNode(child, port);
}

/** A chain in a process of its own. */
export interface Node {
  readonly url: string;
  readonly request: (method: string, ...params: unknown[]) => Promise<unknown>;
  readonly stop: () => Promise<void>;
}

async function startNode(child: ChildProcess, port: number): Promise<Node> {
  const url = `http://127.0.0.1:${port}`;
  const request = async (
    method: string,
    ...params: unknown[]
  ): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const headers = { "content-type": "application/json" };
    const response = await fetch(url, { method: "POST", headers, body });
    return ((await response.json()) as { result: unknown }).result;
  };
  // Anvil's command starts the real one as a child, so the whole group must go, also when the tests are cut short.
  const isAlive = (): boolean =>
    child.exitCode === null && child.signalCode === null;
  const kill = (): void => {
    if (isAlive() && child.pid !== undefined)
      process.kill(-child.pid, "SIGKILL");
  };
  process.once("exit", kill);
  const stop = async (): Promise<void> => {
    process.off("exit", kill);
    if (!isAlive()) return;
    const exited = once(child, "exit");
    kill();
    await exited;
  };
  const deadline = performance.now() + 90_000;
  for (;;) {
    try {
      await request("eth_chainId");
      return { url, request, stop };
    } catch (cause) {
      if (!isAlive() || performance.now() > deadline) {
        await stop();
        throw new Error("The chain does not answer", { cause });
      }
      await setTimeout(50);
    }
  }
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string")
    throw new Error("There is no free port");
  return address.port;
}

/** Our own environment, without what would change the output of commands. */
function environment(
  variables: Readonly<Record<string, string>>,
): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !["CI", "FORCE_COLOR"].includes(name),
  );
  return { ...Object.fromEntries(own), NO_COLOR: "1", ...variables };
}
