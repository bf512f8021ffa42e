import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect } from "chai";

import { identityOf } from "../../../tasks/identity/identity.ts";
import { parseNodeOptions } from "../../../tasks/node/options.ts";
import { plainReporter } from "../../../tasks/node/reporter.ts";
import { serve } from "../../../tasks/node/serve.ts";
import { Parts } from "../../../src/host/parts.ts";
import { anEnvironment } from "../../plugin/helpers/environment.ts";
import { expectError } from "../../plugin/helpers/errors.ts";

describe("tasks: the identity of sequencer:node", function () {
  this.timeout(60_000);
  let folder: string;
  let key: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "node-identity-"));
    ({ key } = identityOf({ name: "alice", dataDir: join(folder, "nodes") }));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  async function start(dataDir: string): Promise<void> {
    const hre = await anEnvironment({
      sequencer: {
        peers: {
          alice: {
            address: "127.0.0.1:1",
            key,
            endorser: `0x${"11".repeat(20)}`,
          },
        },
      },
    });
    const parts = new Parts();
    const fail = (error: unknown): never => {
      throw error;
    };
    try {
      await serve(parseNodeOptions({ name: "alice", dataDir }), {
        hre,
        parts,
        reporter: plainReporter(
          { node: "alice" },
          { write: () => undefined, report: fail },
        ),
        onFatal: fail,
      });
    } finally {
      await parts.close();
    }
  }

  it("is not made for a mistyped --data-dir, and nothing is written", async () => {
    const before = readdirSync(folder, { recursive: true });
    for (const name of ["node", "nodes/alice", "nodes/alice/identity.pem"])
      await expectError("IDENTITY_MISSING", async () => {
        await start(join(folder, name));
      });
    expect(readdirSync(folder, { recursive: true })).to.deep.equal(before);
  });

  it("is not made in a folder that is there and empty", async () => {
    const other = join(folder, "other");
    mkdirSync(join(other, "alice"), { recursive: true });
    await expectError("IDENTITY_MISSING", async () => {
      await start(other);
    });
    expect(readdirSync(join(other, "alice"))).to.deep.equal([]);
  });

  it("is found where sequencer:identity made it", async () => {
    // The simulated chain is what it stops at.
    await expectError("NETWORK_TEMPORARY", async () => {
      await start(join(folder, "nodes"));
    });
  });

  it("must be readable for its owner alone", async () => {
    chmodSync(join(folder, "nodes/alice/identity.pem"), 0o644);
    await expectError("DATA_DIR_DAMAGED", async () => {
      await start(join(folder, "nodes"));
    });
  });
});
