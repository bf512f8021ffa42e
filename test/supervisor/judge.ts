import { expect } from "chai";

import {
  judge,
  type Round,
  type SyncStatus,
} from "../../src/supervisor/judge.ts";
import { Windows } from "../../src/supervisor/window.ts";

const options = { dispatchMsMax: 60_000 };

function aStatus(changes: Partial<SyncStatus> = {}): SyncStatus {
  return {
    replica: "r",
    role: "passive",
    epoch: 1,
    applied: { sequence: 1, hash: "hash" },
    height: 100,
    hasChainTrouble: false,
    hasPayerTrouble: false,
    oldestDispatchMs: null,
    ...changes,
  };
}

const active = (changes: Partial<SyncStatus> = {}): SyncStatus =>
  aStatus({ role: "active", ...changes });

function aRound(
  r1: SyncStatus | string,
  ...others: readonly (SyncStatus | string)[]
): Round {
  return new Map(
    [r1, ...others].map((one, index) => [
      `r${index + 1}`,
      typeof one === "string" ? { reason: one } : one,
    ]),
  );
}

/** The names of those that failed. */
function failing(round: Round, before: Round = new Map()): readonly string[] {
  return [...judge(before, round, options)].flatMap(([name, failure]) =>
    failure === undefined ? [] : [name],
  );
}

describe("The judgement of a round of probes", () => {
  it("finds nothing wrong with replicas that do their work", () => {
    const round = aRound(active(), aStatus());
    expect(failing(round, round)).to.deep.equal([]);
  });

  it("says why there is no answer", () => {
    const round = aRound("it takes too long", aStatus());
    expect(judge(new Map(), round, options).get("r1")).to.equal(
      "it takes too long",
    );
  });

  for (const role of ["stopped", "outdated"] as const)
    it(`does not take a replica that is ${role} for one that works`, () => {
      expect(failing(aRound(aStatus({ role })))).to.deep.equal(["r1"]);
    });

  it("finds a replica that has lost the chain, if another one has not", () => {
    const lost = active({ hasChainTrouble: true });
    expect(failing(aRound(lost, aStatus()))).to.deep.equal(["r1"]);
    const blind = active({ height: null });
    expect(failing(aRound(blind, aStatus()))).to.deep.equal(["r1"]);
  });

  it("blames nobody for a chain that answers nobody", () => {
    const blind = { hasChainTrouble: true, height: null };
    expect(failing(aRound(active(blind), aStatus(blind)))).to.deep.equal([]);
    expect(failing(aRound(active(blind), "no answer"))).to.deep.equal(["r2"]);
  });

  it("finds a replica that stands still while another one sees more blocks", () => {
    const before = aRound(active(), aStatus());
    const after = aRound(active(), aStatus({ height: 103 }));
    expect(failing(after, before)).to.deep.equal(["r1"]);
  });

  it("blames nobody for a chain that stands still", () => {
    const round = aRound(active(), aStatus());
    expect(failing(round, round)).to.deep.equal([]);
  });

  it("lets a replica be behind that advances", () => {
    const before = aRound(active({ height: 10 }), aStatus());
    const after = aRound(active({ height: 11 }), aStatus());
    expect(failing(after, before)).to.deep.equal([]);
  });

  it("does not compare what was indexed with the head that was seen before", () => {
    const before = aRound(aStatus({ height: 103 }), aStatus({ height: 103 }));
    const after = aRound(active({ height: 99 }), aStatus({ height: 103 }));
    expect(failing(after, before)).to.deep.equal([]);
  });

  it("finds a replica that cannot pay, if another one could", () => {
    const poor = { hasPayerTrouble: true };
    expect(failing(aRound(active(poor), aStatus()))).to.deep.equal(["r1"]);
    expect(failing(aRound(active(poor), aStatus(poor)))).to.deep.equal([]);
  });

  it("finds an intent that does not get to the ledger", () => {
    const late = active({ oldestDispatchMs: 60_001 });
    expect(failing(aRound(late, aStatus()))).to.deep.equal(["r1"]);
    const young = active({ oldestDispatchMs: 60_000 });
    expect(failing(aRound(young, aStatus()))).to.deep.equal([]);
  });
});

describe("The window of probes", () => {
  const after = (...outcomes: readonly boolean[]): string => {
    const windows = new Windows({ size: 3 });
    for (const one of outcomes) windows.add("r1", one);
    return windows.healthOf("r1");
  };

  it("knows nothing of a replica that was never heard, until enough probes have failed", () => {
    expect(after()).to.equal("unknown");
    expect(after(false, false)).to.equal("unknown");
    expect(after(false, false, false)).to.equal("unhealthy");
  });

  it("is not changed by one failure less than it has places", () => {
    expect(after(true, false, false)).to.equal("healthy");
    expect(after(true, false, false, false)).to.equal("unhealthy");
  });

  it("is not changed by failures that come and go", () => {
    expect(after(false, true, false, true, false, false, true)).to.equal(
      "healthy",
    );
  });

  it("forgets replicas that are gone", () => {
    const windows = new Windows({ size: 1 });
    windows.add("r1", false);
    windows.keep(new Set(["r2"]));
    expect(windows.healthOf("r1")).to.equal("unknown");
  });
});
