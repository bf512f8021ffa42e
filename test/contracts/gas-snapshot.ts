import { readFileSync } from "node:fs";

import { expect } from "chai";

import { openChain } from "../helpers/chain.ts";
import { isReached, measureGas } from "../helpers/gas.ts";

describe("ledger: gas", function () {
  it("costs exactly what the snapshot says, and keeps every goal", async function () {
    const rows = await measureGas(await openChain());
    const snapshot: unknown = JSON.parse(
      readFileSync(new URL("gas-snapshot.json", import.meta.url), "utf8"),
    );
    expect(
      Object.fromEntries(rows.map(({ name, gasUsed }) => [name, gasUsed])),
      "Gas has changed. If that is intended, run: npm run bench:gas -- --update",
    ).to.deep.equal(snapshot);
    expect(rows.filter((row) => !isReached(row))).to.deep.equal([]);
  });
});
