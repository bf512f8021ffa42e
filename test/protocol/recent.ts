import { expect } from "chai";

import {
  createRecent,
  forget,
  forgetAll,
  isRemembered,
  recall,
  remember,
} from "../../src/protocol/recent.ts";

describe("Recent", () => {
  it("remembers the last entries, and at most twice as many", () => {
    const recent = createRecent<number, string>(10);
    for (let key = 0; key < 1_000; key++) {
      remember(recent, key, `value ${key}`);
      for (let back = 0; back < Math.min(10, key + 1); back++)
        expect(recall(recent, key - back)).to.equal(`value ${key - back}`);
      expect(recent.newer.size + recent.older.size).to.be.at.most(20);
    }
    expect(isRemembered(recent, 900)).to.equal(false);
  });

  it("gives the newest value for a key", () => {
    const recent = createRecent<string, number>(2);
    remember(recent, "a", 1);
    remember(recent, "b", 2);
    remember(recent, "a", 3);
    expect(recall(recent, "a")).to.equal(3);
  });

  it("forgets an entry wherever it is", () => {
    const recent = createRecent<string, number>(2);
    remember(recent, "a", 1);
    remember(recent, "b", 2);
    remember(recent, "a", 3);
    forget(recent, "a");
    expect(isRemembered(recent, "a")).to.equal(false);
    expect(isRemembered(recent, "b")).to.equal(true);
    forgetAll(recent);
    expect(isRemembered(recent, "b")).to.equal(false);
  });
});
