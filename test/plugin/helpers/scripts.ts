import { execFile } from "node:child_process";

/** What a script did in a process of its own. */
export interface ScriptRun {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a module, given as text, in a process of its own. Imports are relative to the repository. */
export async function runScript(
  text: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<ScriptRun> {
  const root = new URL("../../../", import.meta.url);
  return await new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ["--input-type=module", "--eval", text],
      { cwd: root, env: { ...process.env, ...variables }, timeout: 60_000 },
      (_error, stdout, stderr) => {
        resolve({ exitCode: child.exitCode ?? -1, stdout, stderr });
      },
    );
  });
}
