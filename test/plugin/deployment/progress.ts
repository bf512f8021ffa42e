import { expect } from "chai";

import type { DeployFact } from "../../../src/plugin/deployment/facts.ts";
import {
  createProgress,
  type Waiting,
} from "../../../src/plugin/deployment/progress.ts";

describe("plugin: the progress of a deployment", () => {
  it("is told at first, when something changes, and every 15 seconds", () => {
    const told: (readonly [number, number])[] = [];
    let nowMs = 1_000;
    const see = createProgress(
      (fact: DeployFact) => {
        if (fact.type === "pending")
          told.push([fact.elapsedMs, fact.confirmations]);
      },
      () => nowMs,
    );
    const waiting = (confirmations: number): Waiting => ({
      name: "factory",
      tx: "0x01",
      block: confirmations === 0 ? null : 7,
      confirmations,
      wanted: 3,
    });
    for (; nowMs <= 41_000; nowMs += 2_000) see(waiting(0));
    see(waiting(1));
    see(waiting(1));
    nowMs += 1_000;
    see(waiting(2));
    expect(told).to.deep.equal([
      [0, 0],
      [16_000, 0],
      [32_000, 0],
      [42_000, 1],
      [43_000, 2],
    ]);
  });
});
