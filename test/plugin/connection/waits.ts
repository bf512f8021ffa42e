import { expect } from "chai";

import { Waits } from "../../../src/plugin/connection/waits.ts";
import { runScript } from "../helpers/scripts.ts";

const never = new Promise<never>(() => undefined);

async function outcomeOf(promise: Promise<unknown>): Promise<string> {
  return await promise.then(String, (error: unknown) => String(error));
}

describe("connection.sequencer: waits", function () {
  this.timeout(30_000);

  it("end as what they wait for does", async function () {
    const waits = new Waits();
    const done = Promise.resolve(7);
    const failed = Promise.reject(new Error("no"));
    expect(await outcomeOf(waits.until("alice", done))).to.equal("7");
    expect(await outcomeOf(waits.until("alice", failed))).to.equal("Error: no");
    let isTrue = false;
    const truth = waits.untilTrue(() => isTrue);
    isTrue = true;
    await truth;
  });

  it("end when the node that they are about fails, and only then", async function () {
    const waits = new Waits();
    const alice = outcomeOf(waits.until("alice", never));
    const bob = outcomeOf(waits.until("bob", never));
    waits.fail("alice", new Error("disk"));
    expect(await alice).to.equal("Error: disk");
    waits.stop(new Error("stopped"));
    expect(await bob).to.equal("Error: stopped");
  });

  it("do not begin after the end", async function () {
    const waits = new Waits();
    waits.stop(new Error("stopped"));
    expect(await outcomeOf(waits.until("alice", never))).to.equal(
      "Error: stopped",
    );
    expect(await outcomeOf(waits.untilTrue(() => false))).to.equal(
      "Error: stopped",
    );
  });

  it("keep the process alive, but not for longer", async function () {
    const { exitCode, stdout } = await runScript(`
      import { Waits } from "./src/plugin/connection/waits.ts";
      const done = new Promise((resolve) => setTimeout(resolve, 100).unref());
      await new Waits().until("alice", done);
      console.log("done");
    `);
    expect({ exitCode, stdout }).to.deep.equal({
      exitCode: 0,
      stdout: "done\n",
    });
  });
});
