import { expect } from "chai";

import type { Disk } from "../../../src/store/disk.ts";

/** A disk that can be opened again and again. */
export interface DiskUnderTest {
  /** For the first start of a node, or for the next one after `close` or `crash`. */
  readonly open: () => Disk;
  /** The process is gone at this moment, and with it the disk that was opened last. Undefined if nothing is left then. */
  readonly crash: (() => void) | undefined;
  /** Lets time go on until something holds. */
  readonly until: (holds: () => boolean) => Promise<void>;
  readonly remove: () => void;
}

/** What all disks do. A node relies on it for all that it promises. */
export function describeDisk(name: string, make: () => DiskUnderTest): void {
  describe(`disk: ${name}`, () => {
    let test: DiskUnderTest = make();
    let disk: Disk;
    beforeEach(() => {
      test = make();
      disk = test.open();
      transact("CREATE TABLE IF NOT EXISTS notes (text TEXT)");
    });
    afterEach(() => {
      disk.close();
      test.remove();
    });

    const transact = (...statements: readonly string[]): void => {
      disk.database.exec(disk.sql.begin);
      for (const one of statements) disk.database.exec(one);
      disk.database.exec(disk.sql.commit);
    };
    const note = (...texts: readonly string[]): void => {
      transact(...texts.map((text) => `INSERT INTO notes VALUES ('${text}')`));
    };
    const notes = (): readonly unknown[] =>
      disk.database
        .prepare("SELECT text FROM notes ORDER BY rowid")
        .all()
        .map(({ text }) => text);
    const flushed = async (): Promise<void> => {
      let isDone = false;
      disk.flush((error) => {
        expect(error).to.equal(null);
        isDone = true;
      });
      await test.until(() => isDone);
    };
    const crashAndOpen = (): void => {
      test.crash?.();
      disk = test.open();
    };

    it("reads what was committed, also before it is flushed", () => {
      note("one", "two");
      expect(notes()).to.deep.equal(["one", "two"]);
    });

    it("undoes a whole transaction, and goes on", () => {
      note("one");
      disk.database.exec(disk.sql.begin);
      disk.database.exec("INSERT INTO notes VALUES ('undone')");
      disk.database.exec(disk.sql.rollback);
      note("two");
      expect(notes()).to.deep.equal(["one", "two"]);
    });

    it("calls back once for every flush, in order", async () => {
      const told: string[] = [];
      note("one");
      disk.flush((error) => told.push(`first ${error?.message ?? "done"}`));
      note("two");
      disk.flush((error) => told.push(`second ${error?.message ?? "done"}`));
      disk.flush((error) => told.push(`third ${error?.message ?? "done"}`));
      await test.until(() => told.length >= 3);
      await flushed();
      expect(told).to.deep.equal(["first done", "second done", "third done"]);
    });

    it("tells those who wait when it is closed", async () => {
      let told = 0;
      note("one");
      for (let i = 0; i < 3; i++) disk.flush(() => told++);
      disk.close();
      await test.until(() => told === 3);
      disk = test.open();
    });

    if (test.crash === undefined) {
      test.remove();
      return;
    }
    test.remove();

    it("has after a crash what was flushed, and of the rest all of a transaction or nothing", async () => {
      note("one");
      await flushed();
      note("two", "three");
      note("four", "five");
      crashAndOpen();
      expect(notes().join(" ")).to.be.oneOf([
        "one",
        "one two three",
        "one two three four five",
      ]);
    });

    it("has nothing after a crash of what was not committed", async () => {
      note("one");
      await flushed();
      disk.database.exec(disk.sql.begin);
      disk.database.exec("INSERT INTO notes VALUES ('half')");
      crashAndOpen();
      expect(notes()).to.deep.equal(["one"]);
    });

    it("has after a crash what was flushed at once", () => {
      note("one", "two");
      disk.flushNow();
      crashAndOpen();
      expect(notes()).to.deep.equal(["one", "two"]);
    });

    it("has it all after it was flushed and closed, and takes more", async () => {
      note("one");
      await flushed();
      disk.close();
      disk = test.open();
      note("two");
      await flushed();
      crashAndOpen();
      expect(notes()).to.deep.equal(["one", "two"]);
    });
  });
}
