import { expect } from "chai";
import fc from "fast-check";

import { DeliveryRig } from "../helpers/rpc/delivery-rig.ts";

const place = fc.nat({ max: 2 });
const steps = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant("settle"), count: fc.nat({ max: 150 }) }),
    fc.record({ type: fc.constant("reorganise"), count: fc.nat({ max: 20 }) }),
    fc.record({ type: fc.constant("attach"), count: fc.constant(0) }),
    fc.record({ type: fc.constant("detach"), count: place }),
    fc.record({ type: fc.constant("ack"), count: place }),
    fc.record({ type: fc.constant("twice"), count: place }),
    fc.record({ type: fc.constant("nack"), count: place }),
    fc.record({ type: fc.constant("restart"), count: fc.constant(0) }),
    fc.record({ type: fc.constant("make"), count: fc.constant(0) }),
    // Otherwise little would ever be sent.
    {
      weight: 4,
      arbitrary: fc.record({
        type: fc.constant("go on"),
        count: fc.constant(0),
      }),
    },
  ),
  { maxLength: 40, size: "max" },
);

async function play(
  rig: DeliveryRig,
  { type, count }: { readonly type: string; readonly count: number },
): Promise<void> {
  if (type === "settle") rig.settle(count);
  else if (type === "reorganise") rig.reorganise(count);
  else if (type === "attach") rig.attach();
  else if (type === "detach") rig.detach(count);
  else if (type === "nack") rig.nack(count);
  else if (type === "restart") rig.restart();
  else if (type === "make") await rig.make();
  else if (type === "go on") await rig.goOn();
  else {
    rig.ack(count);
    if (type === "twice") rig.ack(count);
  }
}

describe("the delivery of receipts", function () {
  this.timeout(60_000);

  it("acknowledges no batch that was not sent", async () => {
    const rig = new DeliveryRig();
    rig.settle(250);
    rig.attach();
    await rig.goOn();
    rig.ack(0);
    rig.ack(0);
    expect(rig.book.listeners.checkpointOf("all")).to.equal(100);
    await rig.finish();
    expect(rig.acknowledged).to.deep.equal(
      Array.from({ length: 250 }, (_, index) => index + 1),
    );
    rig.database.close();
  });

  it("finds the receipts of a listener among thousands of others", async () => {
    const rig = new DeliveryRig({ type: "private" });
    const mine: number[] = [];
    for (const others of [4_096, 9_000, 5_000]) {
      rig.settle(others);
      rig.settle(2, "private");
      mine.push(...rig.sequences().slice(-2));
    }
    // No piece of the search looks at all of them.
    const { receipts, end } = rig.book.receipts.after(
      4_098,
      { type: "private" },
      100,
    );
    expect(receipts).to.deep.equal([]);
    expect(end).to.be.lessThan(4_098 + 9_000);
    await rig.finish();
    expect(rig.acknowledged).to.deep.equal(mine);
    rig.restart();
    rig.database.close();
  });

  it("leaves no gap and repeats nothing that was acknowledged, whatever happens", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (list) => {
        const rig = new DeliveryRig();
        try {
          for (const step of list) await play(rig, step);
          await rig.finish();
          const got = rig.acknowledged;
          expect(got).to.deep.equal([...new Set(got)].sort((a, b) => a - b));
          const seen = new Set(got);
          expect(rig.sequences().filter((one) => !seen.has(one))).to.deep.equal(
            [],
          );
          expect(rig.errors).to.deep.equal([]);
        } finally {
          rig.restart();
          rig.database.close();
        }
      }),
      { numRuns: 300 },
    );
  });
});
