import { expect } from "chai";

import { Random } from "../../src/simulation/random.ts";

const draw = (random: Random): number[] =>
  Array.from({ length: 100 }, () => random.word());

describe("Random", () => {
  it("gives the same numbers for the same seed and stream", () => {
    expect(draw(new Random(7, "a"))).to.deep.equal(draw(new Random(7, "a")));
  });

  it("gives other numbers for another seed or stream", () => {
    const numbers = draw(new Random(7, "a"));
    expect(draw(new Random(8, "a"))).to.not.deep.equal(numbers);
    expect(draw(new Random(7, "b"))).to.not.deep.equal(numbers);
    expect(draw(new Random(7 + 2 ** 32, "a"))).to.not.deep.equal(numbers);
  });

  it("spreads numbers evenly", () => {
    const random = new Random(1);
    const counts = Array<number>(10).fill(0);
    for (let i = 0; i < 100_000; i++) {
      const at = random.below(10);
      counts[at] = (counts[at] ?? 0) + 1;
    }
    for (const count of counts) expect(count).to.be.within(9_500, 10_500);
  });

  it("keeps to its bounds", () => {
    const random = new Random(2);
    for (let i = 0; i < 10_000; i++) {
      expect(random.between(3, 5)).to.be.within(3, 5);
      expect(random.tail(10)).to.be.within(0, 200);
    }
  });

  it("is right as often as the probability says", () => {
    const random = new Random(3);
    let count = 0;
    for (let i = 0; i < 100_000; i++) if (random.chance(0.3)) count++;
    expect(count).to.be.within(29_000, 31_000);
    expect(random.chance(0)).to.equal(false);
  });

  it("shuffles without losing anything", () => {
    const items = Array.from({ length: 50 }, (_, i) => i);
    const shuffled = new Random(4).shuffle(items);
    expect(shuffled).to.not.deep.equal(items);
    expect(shuffled.toSorted((a, b) => a - b)).to.deep.equal(items);
  });
});
