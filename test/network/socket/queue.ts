import { expect } from "chai";
import fc from "fast-check";

import { WireQueue } from "../../../src/network/socket/queue.ts";

describe("what waits for a peer", () => {
  it("is bounded in number and bytes, and keeps the newest in order", () => {
    const lengths = fc.array(fc.nat({ max: 12 }), { maxLength: 50 });
    fc.assert(
      fc.property(lengths, (all) => {
        const queue = new WireQueue({ countMax: 5, bytesMax: 20 });
        let lost = 0;
        for (const length of all) {
          lost += queue.add(new Uint8Array(length));
          expect(queue.size).to.be.at.most(5);
          expect(queue.bytes).to.be.at.most(20);
        }
        expect(lost + queue.size).to.equal(all.length);
        for (const length of all.slice(lost))
          expect(queue.take()?.length).to.equal(length);
        expect(queue.take()).to.equal(undefined);
        expect(queue.bytes).to.equal(0);
      }),
      { seed: 7, numRuns: 300 },
    );
  });

  it("loses even the newest, if that alone is too much", () => {
    const queue = new WireQueue({ countMax: 5, bytesMax: 20 });
    queue.add(new Uint8Array(3));
    expect(queue.add(new Uint8Array(21))).to.equal(2);
    expect(queue.size).to.equal(0);
  });
});
