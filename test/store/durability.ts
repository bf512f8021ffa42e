import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { expect } from "chai";

import { parseLane } from "../../src/ledger/index.ts";
import { Database } from "../../src/store/database.ts";
import { migrations } from "../../src/store/schema.ts";
import { openStore } from "../../src/store/store.ts";
import { StoreError } from "../../src/store/store-error.ts";
import {
  anIntentRecord,
  groupAt,
  intentId,
  temporaryDirectory,
  withEachStore,
} from "../helpers/stores.ts";

const group = groupAt(1);

const storeModule = pathToFileURL(
  join(import.meta.dirname, "../../src/store/store.ts"),
).href;

/** Runs statements in another process that has opened the store. If it cannot, it ends with code 3. */
function startChild(file: string, statements: string): ChildProcess {
  const script = `
    import { writeSync } from "node:fs";
    import { openStore } from ${JSON.stringify(storeModule)};
    let store;
    try {
      store = openStore({ file: ${JSON.stringify(file)} });
    } catch (error) {
      process.exit(error.code === "LOCKED" ? 3 : 4);
    }
    ${statements}`;
  return spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

async function kill(child: ChildProcess): Promise<void> {
  // Until then, some of what it told may not have been read.
  const isOver = once(child, "close");
  child.kill("SIGKILL");
  await isOver;
}

async function isReady(child: ChildProcess): Promise<void> {
  if (child.stdout === null) throw new Error("The child has no output.");
  await once(child.stdout, "data");
}

const wait = "setInterval(() => {}, 1_000);";

describe("a store", () => {
  withEachStore((store) => {
    it("does all of a commit", () => {
      const result = store().write(() => {
        store().records.save(group, anIntentRecord(1));
        store().records.save(group, anIntentRecord(2));
        return "done";
      });
      expect(result).to.equal("done");
      expect(store().records.open(group)).to.have.length(2);
    });

    it("does nothing of a commit that throws, and goes on", () => {
      const mistake = new Error("a mistake");
      store().records.save(group, anIntentRecord(1));
      expect(() => {
        store().write(() => {
          store().records.save(group, anIntentRecord(2));
          store().records.erase(group, `intent:${intentId(1)}`);
          throw mistake;
        });
      }).to.throw(mistake);
      expect(store().records.open(group)).to.deep.equal([anIntentRecord(1)]);
      store().write(() => {
        store().records.save(group, anIntentRecord(3));
      });
      expect(store().records.open(group)).to.have.length(2);
    });

    it("refuses a commit inside a commit", () => {
      expect(() => {
        store().write(() => {
          store().write(() => undefined);
        });
      }).to.throw("A commit is under way already.");
    });

    it("loses nothing earlier when the disk is full", () => {
      const { database, records, write } = store();
      records.save(group, anIntentRecord(1));
      const pages = Number(database.get("PRAGMA page_count")?.["page_count"]);
      database.get(`PRAGMA max_page_count = ${pages}`);
      expect(() => {
        write(() => {
          for (let n = 2; n < 2_000; n++)
            records.save(group, anIntentRecord(n));
        });
      })
        .to.throw(StoreError, "full")
        .with.property("code", "FAILED");
      expect(records.open(group)).to.deep.equal([anIntentRecord(1)]);
      database.get(`PRAGMA max_page_count = ${10 * pages}`);
      write(() => {
        records.save(group, anIntentRecord(2));
      });
      expect(records.open(group)).to.have.length(2);
    });

    it("loses nothing earlier when the disk lets nobody write", () => {
      const { database, records, write } = store();
      records.save(group, anIntentRecord(1));
      database.get("PRAGMA query_only = ON");
      expect(() => {
        write(() => {
          records.save(group, anIntentRecord(2));
        });
      })
        .to.throw(StoreError)
        .with.property("code", "FAILED");
      expect(records.open(group)).to.deep.equal([anIntentRecord(1)]);
    });
  });
});

describe("a store in a file", () => {
  let directory: ReturnType<typeof temporaryDirectory>;
  let file = "";
  beforeEach(() => {
    directory = temporaryDirectory();
    file = join(directory.path, "node.db");
  });
  afterEach(() => {
    directory.remove();
  });

  it("is as it was when it is opened again, and counts its boots", () => {
    const first = openStore({ file });
    first.write(() => {
      first.records.save(group, anIntentRecord(1));
    });
    first.close();
    first.close();
    const second = openStore({ file });
    expect(second.records.open(group)).to.deep.equal([anIntentRecord(1)]);
    expect([first.boot, second.boot]).to.deep.equal([1, 2]);
    second.close();
  });

  it("gives later starts greater numbers, also if it was lost or its clock went back", () => {
    const startedAt = (now: number): number => {
      const store = openStore({ file }, { randomBytes, now: () => now });
      store.close();
      return store.startedAt;
    };
    expect([5_000, 5_000, 4_000, 6_000].map(startedAt)).to.deep.equal([
      5_000, 5_001, 5_002, 6_000,
    ]);
    rmSync(file);
    expect(startedAt(7_000)).to.equal(7_000);
  });

  it("never gives the same number for an intent, whenever it is opened", () => {
    const lanes = new Set<string>();
    for (let i = 0; i < 3; i++) {
      const store = openStore({ file });
      lanes.add(
        store.lanes.nextSeries(group, (salt) => parseLane(salt.padEnd(50, "0")))
          .lane,
      );
      store.close();
    }
    expect(lanes.size).to.equal(3);
  });

  it("is for its owner only", function () {
    if (process.platform === "win32") this.skip();
    const store = openStore({ file });
    store.write(() => {
      store.records.save(group, anIntentRecord(1));
    });
    for (const name of [file, `${file}-wal`])
      expect(statSync(name).mode & 0o777).to.equal(0o600);
    store.close();
  });

  it("has nothing of a commit during which its process was killed", async () => {
    const child = startChild(
      file,
      `const record = (n) => (${JSON.stringify(anIntentRecord(1))});
       store.write(() => store.records.save("${group}", record()));
       store.write(() => {
         store.records.erase("${group}", "intent:${intentId(1)}");
         // More than the cache holds, so that some of it is on the disk already.
         for (let n = 0; n < 20; n++) store.states.saveContent("${group}", {
           id: "${intentId(1)}", ledgerId: "0x" + n, schema: "", label: "", content: "x".repeat(1_000_000),
         });
         process.stdout.write("ready");
         for (;;);
       });`,
    );
    try {
      await isReady(child);
    } finally {
      await kill(child);
    }
    expect(statSync(`${file}-wal`).size).to.be.greaterThan(10_000_000);
    const store = openStore({ file });
    expect(store.boot).to.equal(2);
    expect(store.records.open(group)).to.deep.equal([anIntentRecord(1)]);
    expect(
      store.database.get("SELECT count(*) AS count FROM contents"),
    ).to.include({ count: 0 });
    store.close();
  });

  it("has every commit that was told, each in full, whenever its process is killed", async () => {
    const child = startChild(
      file,
      `for (let n = 1; ; n++) {
         store.write(() => {
           for (const kind of ["one", "other"]) store.records.save("${group}", {
             kind: "handover", key: kind + ":" + n, context: "x".repeat(n % 5_000),
           });
         });
         writeSync(1, n + "\\n");
       }`,
    );
    let told = "";
    child.stdout?.on("data", (text) => (told += String(text)));
    try {
      while (told.length < 1_000) await isReady(child);
    } finally {
      await kill(child);
    }
    const count = told.split("\n").length - 1;
    const store = openStore({ file });
    const saved = store.records.open(group).length / 2;
    expect(Number.isInteger(saved)).to.equal(true);
    expect(saved).to.be.within(count, count + 1);
    store.close();
  });

  it("belongs to one process, until that ends", async () => {
    const child = startChild(file, `process.stdout.write("ready"); ${wait}`);
    try {
      await isReady(child);
      expect(() => openStore({ file }))
        .to.throw(StoreError, "in use by another process")
        .with.property("code", "LOCKED");
    } finally {
      await kill(child);
    }
    openStore({ file }).close();
  });

  it("keeps its lock when the same process tries to open it twice", async () => {
    const store = openStore({ file });
    expect(() => openStore({ file }))
      .to.throw(StoreError)
      .with.property("code", "LOCKED");
    const child = startChild(file, "store.close();");
    const [code] = (await once(child, "exit")) as [number | null];
    expect(code).to.equal(3);
    store.close();
  });

  it("says so when a newer version wrote it", () => {
    openStore({ file }).close();
    new Database({ file }, { migrations: [...migrations, "SELECT 1"] }).close();
    expect(() => openStore({ file }))
      .to.throw(StoreError, "Update hardhat-sequencer")
      .with.property("code", "NEWER");
  });

  it("takes the steps that an older version did not know", () => {
    const store = openStore({ file });
    store.write(() => {
      store.records.save(group, anIntentRecord(1));
    });
    store.close();
    const newer = new Database(
      { file },
      { migrations: [...migrations, "CREATE TABLE later (value)"] },
    );
    expect(newer.all("SELECT * FROM later")).to.deep.equal([]);
    expect(newer.all("SELECT * FROM records")).to.have.length(1);
    newer.close();
  });

  it("says so when it is no database, or has no place", () => {
    copyFileSync(import.meta.filename, file);
    expect(() => openStore({ file }))
      .to.throw(StoreError)
      .with.property("code", "CORRUPT");
    expect(() => openStore({ file: join(directory.path, "none", "node.db") }))
      .to.throw(StoreError)
      .with.property("code", "FAILED");
    expect(() => openStore({ file: directory.path }))
      .to.throw(StoreError)
      .with.property("code", "FAILED");
  });
});
