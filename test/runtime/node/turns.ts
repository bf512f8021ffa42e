import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

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

  it("has done what follows from a commit when that is said to be on the disk", async () => {
    const folder = mkdtempSync(join(tmpdir(), "turns-"));
    const store = openStore({ file: join(folder, "node.db") });
    const told: string[] = [];
    const turns = new Turns({
      store,
      onFatal: (error) => told.push(String(error)),
    });
    const committed = new Promise<void>((resolve) => {
      turns.add({
        run: ({ writes, deeds }) => {
          writes.push(resolve);
          deeds.push(() => told.push("done"));
        },
        onDropped: () => told.push("dropped"),
      });
    });
    await committed;
    expect(told).to.deep.equal([]);
    await turns.flushed();
    turns.stop();
    expect(told).to.deep.equal(["done"]);
    await turns.flushed();
    store.close();
    rmSync(folder, { recursive: true });
  });

  it("writes a record once, as it is in the end", async () => {
    const store = openStore({ file: ":memory:" });
    const written: string[] = [];
    const turns = new Turns({
      store,
      onFatal: (error) => written.push(String(error)),
    });
    await new Promise<void>((resolve) => {
      const save = (key: string, text: string): void => {
        turns.add({
          run: ({ records }) =>
            void records.set(key, () => written.push(`${key} ${text}`)),
        });
      };
      save("a", "first");
      save("b", "first");
      save("a", "second");
      turns.add({ run: ({ deeds }) => void deeds.push(resolve) });
    });
    expect(written).to.deep.equal(["a second", "b first"]);
    store.close();
  });
});
