import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { expect } from "chai";

import { parseContracts, rangeOf, walk } from "../../scripts/mutation/ast.ts";
import { equivalents } from "../../scripts/mutation/equivalent.ts";
import {
  applyMutant,
  contractFiles,
  generateMutants,
  sampleMutants,
  type Mutant,
} from "../../scripts/mutation/generate.ts";
import { readRelations } from "../../scripts/mutation/imports.ts";
import { isGuard } from "../../scripts/mutation/statements.ts";
import { staleEquivalents, summarize } from "../../scripts/mutation/report.ts";
import { runMutants, type Result } from "../../scripts/mutation/run.ts";

const root = path.resolve(import.meta.dirname, "../..");

const COUNTER = `// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

contract Counter {
    uint256 public count;
    error TooMany();

    function increase() external {
        if (count >= 2) revert TooMany();
        count += 1;
    }
}
`;

/** A test that pins the count, and the bound as well if asked. */
const counterTest = (
  checksBound: boolean,
): string => `// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import { Counter } from "../contracts/Counter.sol";

contract CounterTest {
    function test_Counts() public {
        Counter counter = new Counter();
        counter.increase();
        require(counter.count() == 1);
        ${checksBound ? "counter.increase(); try counter.increase() { revert(); } catch {}" : ""}
    }
}
`;

describe("scripts: mutants", function () {
  this.timeout(120_000);

  let mutants: Mutant[];

  before(function () {
    mutants = generateMutants(root);
  });

  it("breaks every guard of every contract", function () {
    const sources = parseContracts(root, contractFiles(root));
    const guards: string[] = [];
    for (const { file, ast } of sources)
      walk(ast, (node) => {
        if (isGuard(node)) guards.push(`${file}:${rangeOf(node).start}`);
      });
    const dropped = mutants
      .filter(({ operator }) => operator === "drop-guard")
      .map(({ file, start }) => `${file}:${start}`);
    expect(dropped).to.have.members(guards);
    // The text knows it too, whatever the syntax tree is thought to mean.
    const reverts = sources
      .map(({ content }) => content.toString("utf8").match(/\brevert [A-Z]/g))
      .reduce((sum, found) => sum + (found?.length ?? 0), 0);
    expect(guards).to.have.length(reverts);
  });

  it("breaks more than guards", function () {
    const kinds = new Set(mutants.map(({ operator }) => operator));
    expect(mutants.length).to.be.greaterThan(60);
    expect(kinds).to.include.all.keys(
      "drop-emit",
      "drop-write",
      "drop-call",
      "drop-modifier",
      "drop-assembly",
      "drop-argument 0",
      "swap-arguments 0",
      "change-text",
      "only-left",
      "only-right",
      "< to <=",
      ">> to <<",
      "sender to origin",
    );
  });

  it("gives each mutant an id of its own", function () {
    expect(new Set(mutants.map(({ id }) => id)).size).to.equal(mutants.length);
  });

  it("changes nothing outside the range of a mutant", function () {
    for (const mutant of mutants) {
      const content = readFileSync(path.join(root, mutant.file));
      const changed = applyMutant(content, mutant);
      const { start, end, original, replacement } = mutant;
      expect(changed.equals(content)).to.equal(false, mutant.id);
      expect(changed.subarray(0, start).equals(content.subarray(0, start))).to
        .be.true;
      const rest = start + Buffer.byteLength(replacement);
      expect(changed.subarray(rest).equals(content.subarray(end))).to.be.true;
      expect(content.subarray(start, end).toString()).to.equal(original);
    }
  });

  it("samples by the seed alone, in order", function () {
    const sample = sampleMutants(mutants, { size: 20, seed: 7 });
    expect(sample).to.deep.equal(sampleMutants(mutants, { size: 20, seed: 7 }));
    expect(sample).to.not.deep.equal(
      sampleMutants(mutants, { size: 20, seed: 8 }),
    );
    const places = sample.map((mutant) => mutants.indexOf(mutant));
    expect(places).to.deep.equal(places.toSorted((a, b) => a - b));
  });

  it("knows which tests take in a contract", function () {
    const relations = readRelations(root);
    const typedData = relations("contracts/libraries/TypedData.sol");
    // Through the base that all tests of groups inherit.
    expect(typedData.bound).to.include("test/contracts/Execute.t.sol");
    const registers = relations("contracts/libraries/StateRegisters.sol");
    expect(registers.free).to.include("test/contracts/Execute.t.sol");
    for (const { bound, direct, free } of [typedData, registers]) {
      expect(bound).to.include.members([...direct]);
      expect([...bound, ...free]).to.have.members(
        globSync("test/**/*.t.sol", { cwd: root }),
      );
    }
  });

  it("has a mutant for every entry of the list of equivalent ones", function () {
    expect(staleEquivalents(mutants, equivalents)).to.deep.equal([]);
    const gone = { id: "Gone.sol:1:drop-guard", original: "", reason: "" };
    expect(staleEquivalents(mutants, [gone])).to.deep.equal([gone]);
  });

  describe("in a small project", function () {
    let project: string;

    beforeEach(function () {
      project = mkdtempSync(path.join(tmpdir(), "mutation-test-"));
      for (const folder of ["contracts", "test"])
        mkdirSync(path.join(project, folder));
      writeFileSync(path.join(project, "package.json"), `{"type":"module"}`);
      writeFileSync(path.join(project, "contracts/Counter.sol"), COUNTER);
    });

    afterEach(function () {
      rmSync(project, { recursive: true, force: true });
    });

    async function mutate(checksBound: boolean): Promise<Result[]> {
      const test = path.join(project, "test/Counter.t.sol");
      writeFileSync(test, counterTest(checksBound));
      return await runMutants(
        generateMutants(project).filter(({ operator }) =>
          ["drop-guard", "drop-write"].includes(operator),
        ),
        {
          root: project,
          workers: 1,
          solidityOnly: true,
          onResult: () => undefined,
        },
      );
    }

    it("kills what the tests notice", async function () {
      const results = await mutate(true);
      expect(results.map(({ outcome }) => outcome)).to.deep.equal([
        "killed",
        "killed",
      ]);
      expect(results[0]?.by).to.equal("CounterTest.test_Counts");
    });

    it("lets survive what they do not", async function () {
      const results = await mutate(false);
      expect(
        results.map(({ mutant, outcome }) => [mutant.id, outcome]),
      ).to.deep.equal([
        ["Counter.sol:9:drop-guard", "survived"],
        ["Counter.sol:10:drop-write", "killed"],
      ]);
      expect(summarize(results, 0)).to.include({ killed: 1, survived: 1 });
      const untouched = readFileSync(
        path.join(project, "contracts/Counter.sol"),
        "utf8",
      );
      expect(untouched).to.equal(COUNTER);
    });
  });
});
