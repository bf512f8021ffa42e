import { expect } from "chai";

import { Queue } from "../../src/simulation/queue.ts";
import { Random } from "../../src/simulation/random.ts";
import {
  type FlushFault,
  SimulatedDisk,
} from "../../src/simulation/whole/disk.ts";
import { SimulatedMachine } from "../../src/simulation/whole/machine.ts";
import type { DurableFacts } from "../../src/simulation/whole/watch/durable-facts.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { groupAt } from "../helpers/stores.ts";

const group = groupAt(1);

/** A disk in virtual time, and processes that use it one after the other. */
class Rig {
  readonly queue = new Queue();
  /** Of all flushes from now on. */
  fault: FlushFault = "none";
  readonly disk = new SimulatedDisk({
    flushMs: () => 1,
    drawFault: () => this.fault,
    onFlushed: () => undefined,
  });

  start(): Process {
    const { queue, disk } = this;
    const random = new Random(1);
    const machine = new SimulatedMachine({
      queue,
      disk,
      random,
      keyBytesOf: () => "",
    });
    const { openDisk, randomBytes } = machine;
    const ports = { openDisk, randomBytes, now: machine.wallMs };
    return new Process(openStore({ file: "node" }, ports), machine.durable);
  }

  flush({ store }: Process): void {
    store.flush(() => undefined);
    while (this.queue.step());
  }
}

class Process {
  readonly store: Store;
  readonly facts: DurableFacts;

  constructor(store: Store, facts: DurableFacts) {
    this.store = store;
    this.facts = facts;
  }

  write(signedUntil: number): void {
    this.store.write(() => {
      this.store.records.save(group, { kind: "horizon", signedUntil });
    });
  }

  get knows(): number {
    return this.facts.signedUntil(group);
  }
}

describe("A row of a simulated node", () => {
  let rig: Rig;
  let node: Process;

  beforeEach(() => {
    rig = new Rig();
    node = rig.start();
    node.write(1);
    rig.flush(node);
    node.write(2);
  });

  afterEach(() => {
    rig.disk.close();
  });

  it("is durable when it is flushed, and not when it is written", () => {
    expect(node.knows).to.equal(1);
    rig.flush(node);
    expect(node.knows).to.equal(2);
  });

  it("is not durable if the disk only says so, or refuses it", () => {
    for (const fault of ["lies", "fails"] as const) {
      rig.fault = fault;
      rig.flush(node);
      expect(node.knows, fault).to.equal(1);
    }
  });

  it("is durable if the disk took it and says that it did not", () => {
    rig.fault = "fails after all";
    rig.flush(node);
    expect(node.knows).to.equal(2);
  });

  it("is not durable if its write is taken back", () => {
    const { store } = node;
    const failing = (): void => {
      store.write(() => {
        store.records.save(group, { kind: "horizon", signedUntil: 3 });
        throw new Error("The write fails.");
      });
    };
    expect(failing).to.throw("The write fails.");
    rig.flush(node);
    expect(node.knows).to.equal(2);
  });

  for (const isKept of [true, false])
    it(`is ${isKept ? "" : "not "}known to the next process if a crash ${isKept ? "keeps" : "loses"} it`, () => {
      rig.disk.crash({ isKept });
      expect(rig.start().knows).to.equal(isKept ? 2 : 1);
    });

  it("is not durable if an old instance writes it when another process has the disk", () => {
    rig.disk.leave();
    const successor = rig.start();
    node.write(3);
    successor.write(4);
    rig.flush(successor);
    expect([node.knows, successor.knows]).to.deep.equal([2, 4]);
  });

  it("is as old as the backup that the next process starts with", () => {
    rig.flush(node);
    rig.disk.backUp();
    node.write(5);
    rig.flush(node);
    rig.disk.restore();
    const next = rig.start();
    expect([node.knows, next.knows]).to.deep.equal([5, 2]);
    next.write(6);
    rig.flush(next);
    expect(next.knows).to.equal(6);
  });

  it("is unknown after the disk was lost", () => {
    rig.flush(node);
    rig.disk.lose();
    expect(rig.start().knows).to.equal(-1);
  });
});
