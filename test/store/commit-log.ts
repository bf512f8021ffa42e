import fs, { writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";

import { expect } from "chai";

import { CommitLog } from "../../src/store/commit-log.ts";
import { temporaryDirectory } from "../helpers/stores.ts";

describe("the log of commits on a disk that fails once", () => {
  const { fdatasync } = fs;
  afterEach(() => {
    fs.fdatasync = fdatasync;
    syncBuiltinESMExports();
  });

  it("never says again that something is durable", async () => {
    const directory = temporaryDirectory();
    const file = join(directory.path, "node.db-wal");
    writeFileSync(file, "");
    const log = new CommitLog(file);
    const flushed = async (): Promise<string> =>
      await new Promise((resolve) => {
        log.flush((error) => {
          resolve(error?.message ?? "durable");
        });
      });
    expect(await flushed()).to.equal("durable");
    fs.fdatasync = Object.assign(
      (_: number, done: (error: Error | null) => void) => {
        setImmediate(done, new Error("EIO"));
      },
      { __promisify__: fdatasync.__promisify__ },
    );
    syncBuiltinESMExports();
    expect(await flushed()).to.equal("EIO");
    fs.fdatasync = fdatasync;
    syncBuiltinESMExports();
    expect(await flushed()).to.equal("EIO");
    log.close();
    directory.remove();
  });
});
