import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { expect } from "chai";

import { nativeCurve } from "../../src/ledger/native-curve.ts";
import { curve } from "../../src/ledger/secp256k1.ts";
import { parseHex } from "../../src/ledger/index.ts";
import { RunProcess } from "../plugin/helpers/run.ts";

const root = path.resolve(import.meta.dirname, "../..");
const hook = path.join(root, "test/helpers/without-secp256k1.js");
const withoutLibrary = { NODE_OPTIONS: `--import=${hook}` };

const keys = ["11", "a5", "7f"].map((byte) => parseHex(`0x${byte.repeat(32)}`));
// Below the order of the curve, as every hash is but one of 2^128: RFC 6979 is read differently beyond it.
const digests = ["00", "22", "ee"].map((byte) =>
  parseHex(`0x${byte.repeat(32)}`),
);

describe("nodes without the package secp256k1", function () {
  this.timeout(120_000);

  it("sign as those that have it", () => {
    const program = `
      import { nativeCurve } from "./src/ledger/native-curve.ts";
      import { curve } from "./src/ledger/secp256k1.ts";
      const { keys, digests } = JSON.parse(process.argv[1]);
      const signatures = keys.flatMap((key) => digests.map(curve.signer(key)));
      console.log(JSON.stringify({ hasLibrary: nativeCurve !== undefined, signatures }));`;
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ["--input-type=module", "-e", program, JSON.stringify({ keys, digests })],
      {
        cwd: root,
        env: { ...process.env, ...withoutLibrary },
        encoding: "utf8",
      },
    );
    expect(stdout, stderr).to.not.equal("");
    expect(JSON.parse(stdout)).to.deep.equal({
      hasLibrary: false,
      signatures: keys.flatMap((key) => digests.map(curve.signer(key))),
    });
    // Otherwise both sides were the same.
    if (`${process.platform}-${process.arch}` === "linux-x64")
      expect(nativeCurve).to.not.equal(undefined);
  });

  for (const { name, variables, lines } of [
    { name: "say so in one line", variables: withoutLibrary, lines: 1 },
    { name: "are silent if it is there", variables: {}, lines: 0 },
  ])
    it(`confirm all intents, and ${name}`, async () => {
      const folder = mkdtempSync(path.join(tmpdir(), "slow-test-"));
      const args = ["--nodes", "3", "--intents", "20", "--rpc-port", "0"];
      const run = new RunProcess(args, { ...variables, TMPDIR: folder });
      const { exitCode, summary, stderr } = await run.end();
      rmSync(folder, { recursive: true });
      expect(exitCode, stderr).to.equal(0);
      expect(summary?.intents).to.include({ confirmed: 20, reverted: 0 });
      const told = run.facts.flatMap((fact) =>
        fact.type === "signatures-slow" ? [fact.reason] : [],
      );
      expect(told).to.have.lengthOf(lines);
      for (const reason of told) expect(reason).to.include("secp256k1");
    });
});
