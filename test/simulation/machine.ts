import { expect } from "chai";

import { parseGroupAddress, parseNodeName } from "../../src/protocol/ids.ts";
import type { GroupEvent } from "../../src/node/node-events.ts";
import { Queue } from "../../src/simulation/queue.ts";
import { Random } from "../../src/simulation/random.ts";
import { Backlog } from "../../src/simulation/whole/backlog.ts";
import { SimulatedDisk } from "../../src/simulation/whole/disk.ts";
import { SimulatedMachine } from "../../src/simulation/whole/machine.ts";

describe("A simulated machine", () => {
  let queue: Queue;
  let machine: SimulatedMachine;
  let held: number[];
  let done: string[];

  beforeEach(() => {
    queue = new Queue();
    [held, done] = [[], []];
    machine = new SimulatedMachine({
      queue,
      disk: new SimulatedDisk({
        flushMs: () => 0,
        drawFault: () => "none",
        onFlushed: () => undefined,
      }),
      random: new Random(1),
      keyBytesOf: () => "",
      onHeld: (ms) => held.push(ms),
    });
  });

  function note(what: string): () => void {
    return () => {
      done.push(`${what} at ${queue.now}`);
    };
  }

  it("does what comes while it works afterwards, in the order in which it came", () => {
    machine.at(10, () => {
      machine.work(5);
      machine.work(2);
      machine.timers.after(0, note("what the work asked for"));
      expect(machine.timers.now()).to.equal(17);
    });
    machine.at(12, note("what came at 12"));
    machine.at(11, note("what came at 11"));
    while (queue.step());
    expect(held).to.deep.equal([5, 7]);
    expect(done).to.deep.equal([
      "what came at 11 at 17",
      "what came at 12 at 17",
      "what the work asked for at 17",
    ]);
  });

  it("lets what waits have its turn between two pieces of work", () => {
    const work = (times: number): void => {
      machine.work(20);
      if (times > 1)
        machine.timers.after(0, () => {
          work(times - 1);
        });
    };
    machine.at(0, () => {
      work(3);
    });
    machine.at(5, note("a request"));
    while (queue.step());
    expect(done).to.deep.equal(["a request at 20"]);
    expect(held).to.deep.equal([20, 20, 20]);
  });

  it("does nothing of what waits once it is gone", () => {
    machine.at(0, () => {
      machine.work(20);
    });
    machine.at(5, note("a request"));
    queue.after(10, () => {
      machine.kill();
    });
    while (queue.step());
    expect(done).to.deep.equal([]);
  });
});

describe("The bound on what waits of one peer", () => {
  const alice = parseNodeName("alice");
  const bob = parseNodeName("bob");
  const group = parseGroupAddress(`0x${"11".repeat(20)}`);

  it("is noticed when a node keeps one message too many, and counts each peer for itself", () => {
    if (alice === undefined || bob === undefined || group === undefined)
      throw new Error("A name is invalid.");
    const backlog = new Backlog(alice);
    const from = (peer: typeof bob): GroupEvent => ({
      type: "group",
      group,
      event: { type: "Tick" },
      charge: { from: peer, length: 10, isReleased: false },
    });
    for (let i = 0; i < 4_096; i++) {
      backlog.see(from(bob), "posted");
      backlog.see(from(alice), "posted");
    }
    backlog.see(from(bob), "stepped");
    backlog.see(from(bob), "posted");
    expect(() => {
      backlog.see(from(bob), "posted");
    }).to.throw("L22");
  });
});
