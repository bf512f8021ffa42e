import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { text as textOf } from "node:stream/consumers";

import { expect } from "chai";

import { openChainClient } from "../../src/chain/client/open.ts";
import { randomFrom } from "../helpers/random.ts";
import { openTestLedger } from "../helpers/runtime-ledger.ts";
import { fulfilledIn } from "../plugin/helpers/fulfilled.ts";
import {
  type Node as ChainProcess,
  startHardhatNode,
} from "../plugin/helpers/processes.ts";

const KILLS = 20;
const MINTED = 100_000;

/** What the process says, one line each. */
interface Line {
  readonly group?: string;
  readonly filled?: boolean;
  readonly accepted?: string;
  readonly node?: string;
  readonly ended?: string;
  readonly receipt?: { readonly type: string };
  readonly pot?: number;
  readonly shop?: number;
}

describe("A process full of nodes", function () {
  this.timeout(300_000);
  let chain: ChainProcess;
  let factory: string;
  let dataDir: string;

  before(async () => {
    chain = await startHardhatNode();
    // Blocks go on without traffic, as on any real chain.
    await chain.request("evm_setIntervalMining", 100);
    const client = openChainClient(chain.url);
    ({ factory } = await openTestLedger(client));
    await client.close();
    dataDir = mkdtempSync(join(tmpdir(), "kill-"));
  });

  after(async () => {
    await chain.stop();
    rmSync(dataDir, { recursive: true });
  });

  function start(
    mode: "fill" | "load" | "drain",
    asked: readonly string[] = [],
  ): ChildProcessByStdio<null, Readable, Readable> {
    const helpers = join(import.meta.dirname, "../helpers");
    const child = join(helpers, "cluster-child.ts");
    const options = [
      "--no-warnings",
      "--import",
      join(helpers, "keep-compiled.js"),
    ];
    return spawn(
      process.execPath,
      [...options, child, chain.url, factory, dataDir, mode, ...asked],
      {
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...process.env, NODE_OPTIONS: "" },
      },
    );
  }

  it(`loses nothing that it accepted when it is killed ${KILLS} times under load`, async () => {
    const random = randomFrom(7);
    /** The nodes that accepted intents, by intent. */
    const accepted = new Map<string, string>();
    let group = "";
    let isFilled = false;
    for (let kill = 0; kill < KILLS; kill++) {
      // Sometimes before it has done anything, mostly in the middle of things.
      const linesUntilKill = 1 + random.below(40);
      const child = start(isFilled ? "load" : "fill");
      const exited = once(child, "close");
      const trouble = textOf(child.stderr);
      let lines = 0;
      for await (const text of createInterface({ input: child.stdout })) {
        const line = JSON.parse(text) as Line;
        if (line.group !== undefined) group = line.group;
        isFilled ||= line.filled === true;
        if (line.accepted !== undefined)
          accepted.set(line.accepted, line.node ?? "");
        lines += 1;
        if (lines === linesUntilKill) child.kill("SIGKILL");
      }
      const [code, signal] = (await exited) as [number | null, string | null];
      expect({ code, signal }, await trouble).to.deep.equal({
        code: null,
        signal: "SIGKILL",
      });
    }
    expect(accepted.size).to.be.greaterThan(KILLS);

    const child = start(
      "drain",
      [...accepted].map(([id, node]) => `${node}:${id}`),
    );
    const exited = once(child, "close");
    const trouble = textOf(child.stderr);
    const balances: Line[] = [];
    const reverted: Line[] = [];
    for await (const text of createInterface({ input: child.stdout })) {
      const line = JSON.parse(text) as Line;
      if (line.pot !== undefined) balances.push(line);
      if (line.receipt?.type === "Reverted") reverted.push(line);
    }
    expect(await exited, await trouble).to.deep.equal([0, null]);

    expect(reverted, "accepted and reverted").to.deep.equal([]);
    const fulfilled = await fulfilledIn(chain, group);
    expect(new Set(fulfilled).size, "an intent twice").to.equal(
      fulfilled.length,
    );
    const lost = [...accepted.keys()].filter((id) => !fulfilled.includes(id));
    expect(lost, "accepted and lost").to.deep.equal([]);
    // One intent minted; every other one moved 1.
    const moved = fulfilled.length - 1;
    for (const { pot, shop } of balances)
      expect({ pot, shop }).to.deep.equal({ pot: MINTED - moved, shop: moved });
    expect(balances).to.have.length(4);
  });
});
