import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { expect } from "chai";

const root = resolve(import.meta.dirname, "../../..");

/** What a node says that has no peers in its configuration, and how it ends. */
async function endOf(
  variables: Readonly<Record<string, string>> = {},
): Promise<string> {
  // The task ends its process, so it has one of its own.
  return await new Promise((end) => {
    execFile(
      process.execPath,
      [
        join(root, "node_modules/hardhat/dist/src/cli.js"),
        ...["sequencer:node", "--name", "alice", "--data-dir", "nodes"],
      ],
      { cwd: root, env: { ...process.env, NO_COLOR: "1", ...variables } },
      (error, stdout, stderr) => {
        end(`${error?.code ?? 0} ${stdout} ${stderr}`);
      },
    );
  });
}

describe("plugin: the environment of sequencer:node", function () {
  this.timeout(60_000);

  it("cannot make it die at a point", async function () {
    const end = await endOf();
    expect(end).to.match(/alice/);
    expect(await endOf({ SEQUENCER_FAIL_POINT: "nonsense" })).to.equal(end);
  });

  it("is read by live screens, for what the terminal can do, to check memory, and for the token of other nodes", function () {
    const files = ["src", "tasks"].flatMap((folder) =>
      globSync(`${folder}/**/*.ts`, { cwd: root }),
    );
    expect(files).to.include(join("src", "index.ts"));
    const readers = files.filter((file) =>
      /process\.env\b|fail.?point/i.test(
        readFileSync(join(root, file), "utf8"),
      ),
    );
    expect(readers.sort()).to.deep.equal([
      join("src", "node", "group-runner.ts"),
      join("tasks", "run", "action.ts"),
      join("tasks", "shared", "ask-node.ts"),
      join("tasks", "status", "action.ts"),
    ]);
  });
});
