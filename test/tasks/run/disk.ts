import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect } from "chai";

import { openDataDir } from "../../../tasks/shared/data-dir.ts";
import { openIdentity } from "../../../tasks/shared/node-identity.ts";
import { KeyError } from "../../../src/keys/key-error.ts";
import { loadIdentity } from "../../../src/keys/identity-file.ts";
import { expectError } from "../../plugin/helpers/errors.ts";

/** Nobody can write there, not even the administrator. */
const readOnly = "/sys";

describe("plugin: a disk that takes nothing", function () {
  before(function () {
    // Only Linux has a disk that is always full, and one that is always read-only.
    if (process.platform !== "linux") this.skip();
  });

  it("is named when it is full", async () => {
    const folder = mkdtempSync(join(tmpdir(), "full-disk-"));
    try {
      symlinkSync("/dev/full", join(folder, "run.json.draft"));
      const { save } = openDataDir(folder);
      const { message } = await expectError("DATA_DIR_DAMAGED", () => {
        save({
          version: 1,
          chainId: 1,
          genesis: "0x",
          factory: "0x",
          nodes: [{ name: "alice", address: "0x" }],
        });
      });
      expect(message).to.include(folder).and.include("is full");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  for (const [name, open] of Object.entries({
    "sequencer:run": openDataDir,
    "sequencer:node": openIdentity,
  }))
    it(`is named when it is read-only, by ${name}`, async () => {
      const { message } = await expectError("DATA_DIR_DAMAGED", () =>
        open(join(readOnly, "nodes", "alice")),
      );
      expect(message)
        .to.include(`The folder ${readOnly}`)
        .and.include("read-only");
    });

  it("is named when keys cannot be kept", () => {
    expect(() => loadIdentity({ directory: readOnly })).to.throw(
      KeyError,
      /read-only/,
    );
  });
});
