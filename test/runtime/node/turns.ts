import { expect } from "chai";

import { Turns } from "../../../src/runtime/node/turns.ts";
import { openStore } from "../../../src/runtime/store/store.ts";

describe("The loop of a node", () => {
  it("drops what it was about to do when a commit fails", async () => {
    const store = openStore({ file: ":memory:" });
    const told: string[] = [];
    const failed = new Promise<unknown>((resolve) => {
      const turns = new Turns({ store, onFatal: resolve });
      const add = (name: string, write: () => void): void => {
        turns.add({
          run: ({ writes, deeds }) => {
            writes.push(write);
            deeds.push(() => told.push(`${name} done`));
          },
          onDropped: () => told.push(`${name} dropped`),
        });
      };
      add("first", () => undefined);
      add("second", () => {
        throw new Error("The disk is full.");
      });
      turns.add({ isAlone: true, run: () => undefined });
    });
    expect(await failed).to.have.property("message", "The disk is full.");
    expect(told).to.deep.equal(["first dropped", "second dropped"]);
    store.close();
  });
});
