import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect } from "chai";

import { Acknowledged } from "../../src/replica/acknowledged.ts";
import { emptyHead, type Head } from "../../src/store/log/chain.ts";
import { FakeTimers } from "../helpers/fake-timers.ts";
import { temporaryDirectory } from "../helpers/stores.ts";

const turn = (sequence: number): Head => ({
  sequence,
  hash: sequence.toString(16).padStart(64, "0"),
});

describe("The last turn that was durable", () => {
  let directory: ReturnType<typeof temporaryDirectory>;
  let file: string;
  beforeEach(() => {
    directory = temporaryDirectory();
    file = join(directory.path, "node.db.acknowledged");
  });
  afterEach(() => {
    directory.remove();
  });

  function open(): Acknowledged {
    return new Acknowledged({ file }, { timers: new FakeTimers() });
  }

  function remembered(): Head {
    const one = open();
    one.close();
    return one.head;
  }

  it("is none at first, and is remembered by the next process", () => {
    expect(remembered()).to.deep.equal(emptyHead);
    const one = open();
    for (let n = 1; n <= 5; n++) {
      one.remember(turn(n));
      // As after the end of the process at this moment.
      expect(remembered()).to.deep.equal(turn(n));
    }
    one.close();
    expect(statSync(file).mode & 0o777).to.equal(0o600);
  });

  it("never goes back", () => {
    const one = open();
    one.remember(turn(7));
    one.remember(turn(6));
    one.close();
    expect(remembered()).to.deep.equal(turn(7));
    const again = open();
    again.remember(turn(8));
    again.close();
    expect(remembered()).to.deep.equal(turn(8));
  });

  it("is the one before if the last one was written in part", () => {
    const one = open();
    one.remember(turn(1));
    one.remember(turn(2));
    const before = readFileSync(file);
    one.remember(turn(3));
    one.close();
    const after = readFileSync(file);
    const places = [...after.keys()].filter((i) => after[i] !== before[i]);
    expect(places.length).to.be.greaterThan(2);
    const half = Buffer.from(after);
    for (const place of places.slice(places.length / 2))
      half[place] = before[place] ?? 0;
    writeFileSync(file, half);
    expect(remembered()).to.deep.equal(turn(2));
  });
});
