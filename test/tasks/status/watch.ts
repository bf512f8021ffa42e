import { expect } from "chai";

import type { StatusFact } from "../../../src/view/status.ts";
import { watchStatus } from "../../../tasks/status/watch.ts";

const down = (reason: string): StatusFact => ({
  type: "node-down",
  url: "http://127.0.0.1:1",
  reason,
});

describe("tasks: sequencer:status --watch", () => {
  it("asks again after every pause, until it is stopped", async () => {
    const shown: unknown[] = [];
    let asked = 0;
    let stop: () => void = () => undefined;
    const stopped = new Promise<void>((resolve) => {
      stop = resolve;
    });
    const last = await watchStatus(
      { ask: async () => await Promise.resolve([down(String((asked += 1)))]) },
      {
        show: (facts) => {
          shown.push(...facts);
        },
        pause: async () => {
          if (asked === 3) stop();
          await (asked === 3 ? new Promise(() => undefined) : undefined);
        },
        stopped,
      },
    );
    expect(shown).to.deep.equal([down("1"), down("2"), down("3")]);
    expect(last).to.deep.equal([down("3")]);
  });

  it("does not wait for a node that does not answer when it is stopped", async () => {
    const last = await watchStatus(
      { ask: async () => await new Promise(() => undefined) },
      {
        show: () => {
          throw new Error("There is nothing to show.");
        },
        pause: async () => await Promise.resolve(0),
        stopped: Promise.resolve(),
      },
    );
    expect(last).to.deep.equal([]);
  });
});
