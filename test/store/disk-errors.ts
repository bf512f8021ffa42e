import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect } from "chai";

import { Database } from "../../src/store/database.ts";
import { StoreError, translate } from "../../src/store/store-error.ts";

function failureOf(work: () => unknown): StoreError {
  try {
    work();
  } catch (error) {
    if (error instanceof StoreError) return error;
    throw error;
  }
  throw new Error("There is no error.");
}

describe("a disk that fails", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "disk-errors-"));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it("is named with its folder and the next step when it is full", () => {
    const file = join(folder, "node.db");
    const database = new Database(
      { file },
      { migrations: ["CREATE TABLE rows (text TEXT) STRICT;"] },
    );
    // As full as SQLite can be made without a disk of its own.
    database.get("PRAGMA max_page_count = 4");
    const failure = failureOf(() =>
      database.write(() =>
        database.run("INSERT INTO rows VALUES (?)", "a".repeat(100_000)),
      ),
    );
    database.close();
    expect(failure.code).to.equal("FAILED");
    expect(failure.message).to.include(folder).and.include("is full");
    expect(failure.message).to.include("Make room");
  });

  it("is named when the operating system says that it is full", () => {
    const system = Object.assign(new Error("ENOSPC: no space left on device"), {
      code: "ENOSPC",
    });
    expect(translate(join(folder, "node.db"), system).message)
      .to.include(folder)
      .and.include("is full");
  });

  it("is named with its folder and the next step when it is read-only", () => {
    const file = join(folder, "node.db");
    const database = new Database(
      { file },
      { migrations: ["CREATE TABLE rows (text TEXT) STRICT;"] },
    );
    // SQLite then answers as on a disk that was mounted read-only.
    database.get("PRAGMA query_only = ON");
    const failure = failureOf(() =>
      database.write(() => database.run("INSERT INTO rows VALUES (?)", "a")),
    );
    database.close();
    expect(failure.code).to.equal("FAILED");
    expect(failure.message).to.include(folder).and.include("read-only");
    expect(failure.message).to.include("writable");
  });
});
