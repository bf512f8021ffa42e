import { readFileSync } from "node:fs";

import { expect } from "chai";

import { id } from "ethers";

import { ledgerSalt } from "../../../src/plugin/deployment/addresses.ts";

describe("plugin: the reference of deploy", function () {
  const text = readFileSync(
    new URL("../../../docs/reference/deploy.md", import.meta.url),
    "utf8",
  );

  it("has the salt of the factories", function () {
    expect(text).to.include('keccak256("hardhat-sequencer")');
    expect(ledgerSalt).to.equal(id("hardhat-sequencer"));
  });
});
