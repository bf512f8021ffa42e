import { expect } from "chai";
import fc from "fast-check";

import {
  bitmapWordOf,
  intentIdAt,
  LANE_BYTES,
  laneFrom,
  laneOf,
  parseLane,
  seriesOf,
  UINT64_MAX,
} from "../../src/ledger/index.ts";

const anyLane = fc
  .uint8Array({ minLength: LANE_BYTES, maxLength: LANE_BYTES })
  .filter((bytes) => bytes.some((byte) => byte !== 0))
  .map(laneFrom);
const anySeries = fc.bigInt({ min: 0n, max: UINT64_MAX });

describe("ledger: lanes", function () {
  it("give ids that tell their lane and number", function () {
    fc.assert(
      fc.property(anyLane, anySeries, (lane, series) => {
        const intentId = intentIdAt(lane, series);
        expect(BigInt(intentId)).to.equal((BigInt(lane) << 64n) | series);
        expect(laneOf(intentId)).to.equal(lane);
        expect(seriesOf(intentId)).to.equal(series);
        expect(parseLane(lane)).to.equal(lane);
      }),
    );
  });

  it("put 256 ids in a row into one word of the bitmap", function () {
    fc.assert(
      fc.property(
        anyLane,
        fc.bigInt({ min: 0n, max: (UINT64_MAX >> 8n) - 1n }),
        (lane, block) => {
          const first = intentIdAt(lane, block << 8n);
          const last = intentIdAt(lane, (block << 8n) + 255n);
          const next = intentIdAt(lane, (block << 8n) + 256n);
          expect(bitmapWordOf(first)).to.equal(bitmapWordOf(last));
          expect(bitmapWordOf(next)).not.to.equal(bitmapWordOf(last));
          expect(BigInt(bitmapWordOf(first))).to.equal(BigInt(first) >> 8n);
        },
      ),
    );
  });

  it("end with a clear error", function () {
    const lane = laneFrom(new Uint8Array(LANE_BYTES).fill(1));
    expect(intentIdAt(lane, UINT64_MAX)).to.equal(`${lane}${"ff".repeat(8)}`);
    expect(() => intentIdAt(lane, UINT64_MAX + 1n))
      .to.throw()
      .with.property("code", "LANE_EXHAUSTED");
    expect(() => intentIdAt(lane, -1n))
      .to.throw()
      .with.property("code", "INVALID_VALUE");
  });

  it("are not drawn from too few bytes, or from none", function () {
    for (const bytes of [
      new Uint8Array(LANE_BYTES),
      new Uint8Array(23).fill(1),
      new Uint8Array(32).fill(1),
    ]) {
      expect(() => laneFrom(bytes))
        .to.throw()
        .with.property("code", "INVALID_VALUE");
    }
  });
});
