import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { createInterface } from "node:readline";

import { expect } from "chai";

import { askStatus } from "../../../tasks/status/ask-status.ts";
import {
  commandOf,
  freePort,
  runHardhat,
} from "../../plugin/helpers/processes.ts";
import { RunProcess } from "../../plugin/helpers/run.ts";

describe("tasks: npx hardhat sequencer:status", function () {
  this.timeout(120_000);
  let run: RunProcess;
  let up: readonly string[];
  let gone: string;

  before(async () => {
    run = new RunProcess(["--nodes", "2", "--rpc-port", "0"]);
    await run.until("ready");
    up = run.facts.flatMap((fact) => (fact.type === "node" ? [fact.url] : []));
    gone = `http://127.0.0.1:${await freePort()}`;
  });

  after(async () => {
    run.kill("SIGKILL");
    await run.end();
  });

  it("shows the nodes that answer, and why others are down", async () => {
    const [first = "", second = ""] = up;
    const urls = [first, gone, second].join(",");
    const { stdout, exitCode } = await status("--url", urls);
    expect(exitCode).to.equal(1);
    expect(stdout).to.match(/^ {2}alice .*$/m);
    expect(stdout).to.match(/^ {2}bob .*$/m);
    expect(stdout.split("\n")).to.include(`${gone}  down: ECONNREFUSED`);
    expect(stdout).not.to.include("No node answers");
  });

  it("ends with 0 if all answer", async () => {
    const { stdout, exitCode } = await status("--url", up.join(","), "--json");
    expect(exitCode).to.equal(0);
    const facts = stdout.trim().split("\n");
    expect(facts.map((line) => JSON.parse(line) as unknown)).to.have.length(2);
  });

  it("says what to do if none answers", async () => {
    const { stdout, exitCode } = await status("--url", gone);
    expect(exitCode).to.equal(1);
    expect(stdout).to.include(`${gone}  down: ECONNREFUSED`);
    expect(stdout).to.include("npx hardhat sequencer:run");
  });

  it("shows as down what answers, but is not a node", async () => {
    const answers = [
      ["not JSON", "it does not speak JSON-RPC"],
      ["{}", "it answers sequencer_status in another way"],
      ['{"result":{}}', "it answers sequencer_status in another way"],
      ['{"error":{"message":"no"}}', "it refused sequencer_status: no"],
    ] as const;
    for (const [body, reason] of answers) {
      const server = createServer((_request, response) => response.end(body));
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      const address = server.address();
      const port = typeof address === "object" ? address?.port : undefined;
      const url = `http://127.0.0.1:${String(port)}`;
      const facts = await askStatus({ url: `${url}, ${up[0] ?? ""}` });
      server.close();
      const [down, alice] = facts;
      expect(down).to.include({ type: "node-down", url });
      expect(down?.type === "node-down" && down.reason).to.include(reason);
      expect(alice).to.include({ type: "node-status", name: "alice" });
    }
  });

  it("goes on with --watch, sees a node go, and ends with 1", async () => {
    const mortal = new RunProcess(["--nodes", "1", "--rpc-port", "0"]);
    await mortal.until("ready");
    const node = await mortal.until("node");
    const watch = new Watch("--url", `${node.url},${up[0] ?? ""}`);
    await watch.until(
      ({ type, url }) => type === "node-status" && url === node.url,
    );
    mortal.kill("SIGKILL");
    await mortal.end();
    await watch.until(
      ({ type, url }) => type === "node-down" && url === node.url,
    );
    // The other one is asked again after that.
    const { length } = watch.lines;
    await watch.until(({ type }, i) => i >= length && type === "node-status");
    expect(await watch.interrupt()).to.equal(1);
  });
});

async function status(
  ...args: readonly string[]
): Promise<{ readonly stdout: string; readonly exitCode: number }> {
  return await runHardhat(["sequencer:status", ...args], {});
}

interface Line {
  readonly type: string;
  readonly url: string;
}

/** `sequencer:status --watch --json` in a process of its own. */
class Watch {
  readonly lines: Line[] = [];
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #onLine: () => void = () => undefined;

  constructor(...args: readonly string[]) {
    const { file, options } = commandOf({});
    const [program = "", ...rest] = file;
    const flags = ["sequencer:status", "--watch", "--json"];
    this.#child = spawn(program, [...rest, ...flags, ...args], {
      ...options,
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#ended = once(this.#child, "close");
    if (this.#child.stdout === null) throw new Error("no pipe");
    createInterface({ input: this.#child.stdout }).on("line", (line) => {
      this.lines.push(JSON.parse(line) as Line);
      this.#onLine();
    });
  }

  async until(isWanted: (line: Line, index: number) => boolean): Promise<void> {
    while (!this.lines.some(isWanted))
      await new Promise<void>((resolve) => {
        this.#onLine = resolve;
      });
  }

  async interrupt(): Promise<number | null> {
    this.#child.kill("SIGINT");
    await this.#ended;
    return this.#child.exitCode;
  }
}
