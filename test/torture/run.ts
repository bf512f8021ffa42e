import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { expect } from "chai";

import { figuresOf } from "./harness/report/figures.ts";
import { usual } from "./harness/settings.ts";
import { torture } from "./harness/torture.ts";

const SEED = 1;
const FAULTS_MIN = 10;
/** Fewer would mean that nodes did not do their work. */
const CONFIRMED_MIN = 50;

describe("Nodes in processes of their own, under torture", function () {
  // Two minutes of faults, and time to come to rest on a busy machine.
  this.timeout(1_200_000);

  it(`keep every promise (seed ${SEED})`, async () => {
    const outDir = mkdtempSync(path.join(tmpdir(), "torture-"));
    const said: string[] = [];
    const { violations, evidence } = await torture(
      { ...usual, seed: SEED, faultMs: 120_000, outDir },
      (line) => said.push(line),
    );
    const where = `seed ${SEED}, everything is in ${outDir}: ${said.join("; ")}`;
    expect(violations, where).to.deep.equal([]);
    expect(evidence.faults.length, where).to.be.at.least(FAULTS_MIN);
    expect(figuresOf(evidence)["intents confirmed"], where).to.be.at.least(
      CONFIRMED_MIN,
    );
    expect(
      evidence.faults.filter(({ detail }) => detail.includes("failed")),
      where,
    ).to.deep.equal([]);
    // What went well leaves nothing behind.
    rmSync(outDir, { recursive: true });
  });
});
