import { expect } from "chai";

import { schemaOf } from "../../src/plugin/database-config.ts";
import configHandlers from "../../src/plugin/hook-handlers/config.ts";

const url = "postgres://user:secret@db.example/sequencer";

async function problemsOf(database: unknown): Promise<readonly string[]> {
  const { validateUserConfig } = await configHandlers();
  // The type of the configuration would refuse most of what is tested here.
  const problems = await validateUserConfig?.({
    sequencer: { database },
  } as never);
  return (problems ?? []).map(
    ({ path, message }) => `${path.slice(1).join(".")}: ${message}`,
  );
}

describe("plugin: configuration of the database", function () {
  it("takes a URL alone, and all settings", async function () {
    expect(await problemsOf({ url })).to.deep.equal([]);
    expect(
      await problemsOf({
        url,
        schema: "alice",
        leaseMs: 5_000,
        graceMs: 2_000,
        pollMs: 100,
        snapshotBytes: 1_048_576,
      }),
    ).to.deep.equal([]);
  });

  it("names all that is wrong at once, with its path, and never the URL", async function () {
    const problems = await problemsOf({
      url,
      schema: "Alice; DROP",
      leaseMs: 499,
      graceMs: "1s",
      pollMs: 0.5,
      snapshotBytes: 1,
      password: "secret",
    });
    expect(problems).to.have.length(6);
    const text = problems.join("\n");
    for (const name of ["schema", "leaseMs", "graceMs", "pollMs"])
      expect(text).to.include(`database.${name}: Expected`);
    expect(text).to.include("snapshotBytes").and.to.include("password");
    expect(text).to.not.include("secret@");
  });

  it("refuses replicas that look too seldom to get the lease", async function () {
    expect(await problemsOf({ url, pollMs: 1_500 })).to.deep.equal([]);
    expect(await problemsOf({ url, pollMs: 1_501 })).to.deep.equal([
      "database.pollMs: Expected at most half of leaseMs, which is 3000: replicas that look less often never take over",
    ]);
    expect(await problemsOf({ url, leaseMs: 600, pollMs: 400 })).to.have.length(
      1,
    );
  });

  it("needs a URL", async function () {
    const problems = await problemsOf({});
    expect(problems).to.have.length(1);
    expect(problems[0]).to.match(/^database\.url: /);
  });

  it("gives every node a schema with a valid name", function () {
    expect(schemaOf("Alice.2-b")).to.equal("sequencer_alice_2_b");
    expect(schemaOf("a".repeat(64))).to.have.length(51);
  });
});
