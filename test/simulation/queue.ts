import { expect } from "chai";

import { Queue } from "../../src/simulation/queue.ts";
import { Random } from "../../src/simulation/random.ts";

describe("Queue", () => {
  it("makes things happen in the order of their times", () => {
    const queue = new Queue();
    const random = new Random(1);
    const times: number[] = [];
    for (let i = 0; i < 1_000; i++)
      queue.after(random.below(500), () => times.push(queue.now));
    while (queue.step());
    expect(times).to.have.length(1_000);
    expect(times).to.deep.equal(times.toSorted((a, b) => a - b));
  });

  it("keeps the order of things at the same moment", () => {
    const queue = new Queue();
    const order: number[] = [];
    for (let i = 0; i < 100; i++) queue.after(5, () => order.push(i));
    while (queue.step());
    expect(order).to.deep.equal(Array.from({ length: 100 }, (_, i) => i));
  });

  it("takes what is scheduled while it runs, and never goes back", () => {
    const queue = new Queue();
    const seen: string[] = [];
    queue.after(10, () => {
      seen.push(`first ${queue.now}`);
      queue.after(-3, () => seen.push(`second ${queue.now}`));
    });
    queue.after(11, () => seen.push(`third ${queue.now}`));
    while (queue.step());
    expect(seen).to.deep.equal(["first 10", "second 10", "third 11"]);
    expect(queue.step()).to.equal(false);
  });
});
