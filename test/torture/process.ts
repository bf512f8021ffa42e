import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";

import { expect } from "chai";

import { Child } from "./harness/processes/child.ts";
import { until } from "./harness/processes/until.ts";

const idle = "console.log('up'); setInterval(() => undefined, 1000);";

describe("torture: a process", function () {
  this.timeout(60_000);
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(path.join(tmpdir(), "torture-process-"));
  });
  afterEach(() => {
    rmSync(directory, { recursive: true });
  });

  /** Node with a short program; resolves when it has said something. */
  async function start(
    program: string,
    ...args: readonly string[]
  ): Promise<Child> {
    let lines = 0;
    const child = new Child(
      {
        command: [
          process.execPath,
          "--input-type=module",
          "-e",
          program,
          "--",
          ...args,
        ],
        cwd: directory,
        env: { ...process.env, NODE_OPTIONS: "" },
        output: path.join(directory, "child"),
      },
      { onLine: () => (lines += 1) },
    );
    await until(
      { what: "it is up", deadlineMs: 30_000 },
      () => lines > 0 || undefined,
    );
    return child;
  }

  /** Where nobody collects the dead, they keep their number. */
  const isAlive = async (pid: number): Promise<boolean> => {
    try {
      const { stdout } = await promisify(execFile)("ps", [
        ...["-o", "stat=", "-p", String(pid)],
      ]);
      return !stdout.trim().startsWith("Z");
    } catch {
      return false;
    }
  };

  it("leaves what it says in files, and how it ended", async () => {
    const child = await start(
      "console.log('yes'); console.error('no'); process.exitCode = 3",
    );
    expect(await child.exited).to.deep.equal({ code: 3, signal: null });
    expect(child.exit).to.deep.equal({ code: 3, signal: null });
    await until({ what: "the files", deadlineMs: 5_000 }, () => {
      const said = ["out", "err"].map((end) =>
        readFileSync(path.join(directory, `child.${end}`), "utf8"),
      );
      return said.join("") === "yes\nno\n" || undefined;
    });
  });

  it("is killed also while it is frozen", async () => {
    const child = await start(idle);
    child.signal("SIGSTOP");
    expect(await child.kill()).to.deep.equal({ code: null, signal: "SIGKILL" });
    child.signal("SIGKILL");
  });

  it("goes when whoever started it is killed", async () => {
    const module = path.join(import.meta.dirname, "harness/processes/child.ts");
    const harness = await start(
      `const { Child } = await import(${JSON.stringify(`file://${module}`)});
       const child = new Child(
         { command: [process.execPath, "-e", ${JSON.stringify(idle)}], cwd: ".", env: process.env, output: "grandchild" },
         { onLine: () => console.log(child.pid) },
       );`,
    );
    const pid = Number(
      await until(
        { what: "the id", deadlineMs: 10_000 },
        () =>
          /\d+/.exec(
            readFileSync(path.join(directory, "child.out"), "utf8"),
          )?.[0],
      ),
    );
    expect(await isAlive(pid)).to.equal(true);
    await harness.kill();
    await until(
      { what: "it is gone", deadlineMs: 10_000 },
      async () => !(await isAlive(pid)) || undefined,
    );
  });

  it("cannot write to files when their size is limited, and can say so", async function () {
    if (process.platform !== "linux") return this.skip();
    const child = await start(
      `import { appendFileSync } from "node:fs";
       console.log("up");
       setInterval(() => {
         try { appendFileSync("data", "1234"); }
         catch (error) { console.log(error.code); process.exit(7); }
       }, 5);`,
    );
    await promisify(execFile)("prlimit", [
      ...["--pid", String(child.pid), "--fsize=1:"],
    ]);
    expect(await child.exited).to.deep.equal({ code: 7, signal: null });
    await until(
      { what: "why", deadlineMs: 5_000 },
      () =>
        readFileSync(path.join(directory, "child.out"), "utf8") ===
          "up\nEFBIG\n" || undefined,
    );
  });
});
