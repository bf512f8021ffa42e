import { spawn } from "node:child_process";
import { once } from "node:events";

import { expect } from "chai";

import { parseHex } from "../../../src/ledger/index.ts";
import type { DomainStep } from "../../../src/domains/domain.ts";
import { FairQueue } from "../../../src/domains/private-contracts/executor/fair-queue.ts";
import {
  WorkerThread,
  type WorkerThreadOptions,
} from "../../../src/domains/private-contracts/executor/worker-thread.ts";
import { privateContractsOn } from "../../../src/domains/private-contracts/private-contracts.ts";
import {
  deploying,
  longestOperation,
  opcodePrograms,
} from "../../helpers/domains/hostile-bytecode.ts";
import {
  freshIntentId,
  nodeName,
  PlayedGroup,
} from "../../helpers/domains/played-group.ts";
import { receiptOf, sendRaw } from "../../helpers/domains/private-contracts.ts";

/** Runs until its gas is spent. */
const spin = "5b5f5a5f525f5a5f5250505f56";
/** Does nothing. */
const rest = "00";
/** Returns so many bytes as it is called with. */
const give = "5f355ff3";

/** A group on a thread of its own. */
class Tried {
  readonly thread: WorkerThread;
  readonly group: PlayedGroup;

  constructor(options: WorkerThreadOptions, gasLimit = "30000000") {
    this.thread = new WorkerThread(options);
    const configuration = { gasLimit, evmVersion: "prague" };
    const domain = privateContractsOn(this.thread);
    const members = ["alice", "bob", "carol"];
    this.group = new PlayedGroup({ members, configuration }, { domain });
  }

  async deploy(code: string): Promise<string> {
    const bytecode = deploying(code);
    const ended = await sendRaw(this.group, "carol", "deploy(bytes)", {
      bytecode,
    });
    const { contractAddress } = receiptOf(ended).receipt;
    if (contractAddress === null) throw new Error("Nothing was deployed.");
    return contractAddress;
  }

  /** What an endorser says of somebody's call. It is never right: what it does is not in the step. */
  async judge(sender: string, to: string, data = ""): Promise<string> {
    const { group, domain, ledger } = this.group;
    const { payload } = domain.check({
      group,
      node: nodeName(sender),
      from: sender,
      signature: "invoke(address,bytes)",
      args: { to, data: parseHex(`0x${data}`) },
    });
    const step: DomainStep = {
      group,
      intentId: freshIntentId(),
      sender: nodeName(sender),
      payload,
      inputs: [],
      reads: ledger.all(),
      outputs: [],
      infos: [],
      calls: [],
    };
    try {
      return (await domain.endorse(step)) ?? "right";
    } catch (error) {
      return String(error);
    }
  }
}

/** A call that does something else than its step says, and was executed. */
const EXECUTED = /is not what the transaction does/;

describe("The thread for private contracts", function () {
  this.timeout(120_000);
  let tried: Tried;

  async function open(
    options: WorkerThreadOptions = {},
    gasLimit?: string,
  ): Promise<void> {
    tried = new Tried(options, gasLimit);
    await tried.group.begin();
  }
  afterEach(async () => {
    await tried.thread.stop();
  });

  it("declines a call that takes too long, and goes on", async () => {
    await open({ budgetMs: 1_000 });
    const [endless, honest] = [
      await tried.deploy(spin),
      await tried.deploy(rest),
    ];
    const thread = tried.thread.threadId;
    expect(await tried.judge("carol", endless)).to.include("took too long");
    expect(await tried.judge("bob", honest)).to.match(EXECUTED);
    expect(tried.thread.threadId).to.equal(thread);
  });

  it("executes short calls of others while long ones are under way", async () => {
    await open();
    const [endless, honest] = [
      await tried.deploy(spin),
      await tried.deploy(rest),
    ];
    let isOver = false;
    const long = tried.judge("carol", endless).finally(() => {
      isOver = true;
    });
    for (let count = 0; count < 5; count++)
      expect(await tried.judge("bob", honest)).to.match(EXECUTED);
    expect(isOver).to.equal(false);
    await tried.thread.stop();
    expect(await long).to.include("stopped");
  });

  it("executes one call of a member at a time, and declines those that are too many", async () => {
    await open();
    const [endless, honest] = [
      await tried.deploy(spin),
      await tried.deploy(rest),
    ];
    const ended: string[] = [];
    const all = Array.from({ length: 1_100 }, async () => {
      ended.push(await tried.judge("carol", endless));
    });
    expect(await tried.judge("bob", honest)).to.match(EXECUTED);
    // One runs, 1,024 wait, and what is left is declined at once.
    expect(ended.length).to.equal(1_100 - 1_025);
    for (const fault of ended) expect(fault).to.include("waiting here already");
    await tried.thread.stop();
    await Promise.all(all);
  });

  it("outlives a call that takes more memory than there is", async () => {
    await open({ heapMb: 40 }, "100000000");
    // Every entry of transient storage stays until the end.
    const bomb = await tried.deploy(opcodePrograms["TSTORE"]?.code ?? "");
    const honest = await tried.deploy(rest);
    expect(await tried.judge("bob", honest)).to.match(EXECUTED);
    const thread = tried.thread.threadId;
    const both = await Promise.all([
      tried.judge("carol", bomb),
      tried.judge("bob", honest),
    ]);
    expect(both[0]).to.match(/thread for contracts failed/);
    expect(both[1]).to.match(EXECUTED);
    expect(await tried.judge("bob", honest)).to.match(EXECUTED);
    expect(tried.thread.threadId).to.not.equal(thread);
  });

  it("replaces a thread that is stuck in one operation, and executes what others have in it", async () => {
    await open({ lookMs: 50 });
    const stuck = await tried.deploy(longestOperation.code);
    const honest = await tried.deploy(rest);
    const thread = tried.thread.threadId;
    const [first, second] = await Promise.all([
      tried.judge("carol", stuck, longestOperation.data),
      tried.judge("bob", honest),
    ]);
    expect(first).to.include("One operation");
    expect(second).to.match(EXECUTED);
    expect(tried.thread.threadId).to.not.equal(thread);
  });

  it("answers questions with so much and no more", async () => {
    await open();
    const to = await tried.deploy(give);
    const ask = async (bytes: number): Promise<unknown> => {
      const data = `0x${bytes.toString(16).padStart(64, "0")}`;
      const asked = tried.group.query("bob", {
        signature: "call(address,bytes)",
        args: { to, data },
      });
      return await asked.then(
        ({ returned }) => JSON.stringify(returned).length - 2,
        (error: unknown) => String(error),
      );
    };
    expect(await ask(131_072)).to.equal(2 + 2 * 131_072);
    expect(await ask(131_073)).to.include("131072 is the most");
  });

  it("ends calls within calls, however deep", async () => {
    await open({}, "10000000");
    const program = opcodePrograms["a call of itself in a call of itself"];
    const to = await tried.deploy(program?.code ?? "");
    expect(await tried.judge("carol", to)).to.match(/^It (ran|asks)/);
  });

  it("declines what is under way when it is stopped, and starts again", async () => {
    await open();
    const [endless, honest] = [
      await tried.deploy(spin),
      await tried.deploy(rest),
    ];
    const long = [tried.judge("carol", endless), tried.judge("carol", endless)];
    expect(await tried.judge("bob", honest)).to.match(EXECUTED);
    await tried.thread.stop();
    for (const fault of await Promise.all(long))
      expect(fault).to.include("stopped");
    expect(await tried.judge("bob", honest)).to.match(EXECUTED);
  });

  it("does not keep a process alive that is done with everything else", async () => {
    await open();
    const script = `
      import { workerThread } from "./src/domains/private-contracts/executor/worker-thread.ts";
      const group = { address: "0x${"42".repeat(20)}", members: ["alice"], endorsers: ["alice"], configuration: { gasLimit: "100000000" } };
      const payload = JSON.stringify({ from: "alice", data: Buffer.from("${spin}", "hex").toString("base64") });
      const accounts = { id: "0x${"01".repeat(32)}", schema: "directory", label: "accounts/", data: { names: [] } };
      const step = { group, intentId: "0x${"07".repeat(32)}", sender: "alice", payload, inputs: [], reads: [accounts], outputs: [], infos: [], calls: [] };
      const begun = new Promise((resolve) => setTimeout(resolve, 500));
      workerThread.run({ type: "endorse", step }, () => undefined).then((answer) => console.log(JSON.stringify(answer)));
      await begun;
    `;
    const child = spawn(
      process.execPath,
      ["--input-type=module-typescript", "--eval", script],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    const output: unknown[] = [];
    child.stdout.on("data", (chunk) => output.push(String(chunk)));
    const [code] = (await once(child, "exit")) as [number | null];
    expect({ code, output }).to.deep.equal({ code: 0, output: [] });
  });
});

describe("The queue for the thread of private contracts", () => {
  const everybody = (): boolean => true;

  it("takes turns between groups, and between the members of a group", () => {
    const queue = new FairQueue<string>({ waitingMax: 10 });
    for (let count = 1; count <= 3; count++)
      queue.push({ group: "a", member: "mallory" }, `a-mallory-${count}`);
    queue.push({ group: "a", member: "bob" }, "a-bob");
    queue.push({ group: "b", member: "mallory" }, "b-mallory");
    const taken = Array.from({ length: 6 }, () => queue.take(everybody));
    expect(taken).to.deep.equal([
      "a-mallory-1",
      "b-mallory",
      "a-bob",
      "a-mallory-2",
      "a-mallory-3",
      undefined,
    ]);
  });

  it("passes over those that may not run, and has room for so many of each", () => {
    const queue = new FairQueue<number>({ waitingMax: 2 });
    const mallory = { group: "a", member: "mallory" };
    expect([1, 2, 3].map((item) => queue.push(mallory, item))).to.deep.equal([
      true,
      true,
      false,
    ]);
    expect(queue.push({ group: "a", member: "bob" }, 4)).to.equal(true);
    expect(queue.take(({ member }) => member !== "mallory")).to.equal(4);
    expect(queue.take(({ member }) => member !== "mallory")).to.equal(
      undefined,
    );
    expect(queue.drain()).to.deep.equal([1, 2]);
  });
});
