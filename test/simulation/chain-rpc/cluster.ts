import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect } from "chai";

import { topicOf } from "../../../src/ledger/index.ts";
import { machineTimers } from "../../../src/async/timers.ts";
import type { Block } from "../../../src/simulation/chain-rpc/block.ts";
import { SimulatedLedger } from "../../../src/simulation/chain-rpc/ledger.ts";
import {
  chainClientOf,
  type SimulatedClient,
} from "../../../src/simulation/chain-rpc/rpc/client.ts";
import { Random } from "../../../src/simulation/random.ts";
import { createTestCluster, payFromOnePot } from "../../helpers/cluster.ts";

/** How many intents the chain has. Each happens at most once. */
function fulfilledIn(ledger: SimulatedLedger): number {
  let count = 0;
  for (
    let block: Block | undefined = ledger.head;
    block !== undefined;
    block = block.parent
  )
    for (const { logs } of block.transactions)
      for (const { topics } of logs)
        if (topics[0] === topicOf("IntentFulfilled")) count++;
  return count;
}

describe("simulation: a cluster on the simulated chain", function () {
  this.timeout(60_000);

  it("creates a group and settles payments, behind late backends that hide logs", async () => {
    const ledger = new SimulatedLedger();
    const { chainId, factory } = ledger.options;
    const dataDir = mkdtempSync(join(tmpdir(), "simulated-"));
    let timestampMs = ledger.options.timestampMs;
    const mine = (): void => {
      ledger.mine({ timestampMs: (timestampMs += 1_000) });
    };
    const clients: SimulatedClient[] = [];
    const disturb = (isOn: boolean): void => {
      for (const { endpoint } of clients) {
        endpoint.hasFaults = isOn;
        endpoint.isLate = isOn;
      }
    };
    const cluster = createTestCluster({
      chainId,
      factory,
      dataDir,
      settings: { pollMs: 5 },
      openClient: () => {
        const random = new Random(7, `client ${clients.length}`);
        const client = chainClientOf(
          { ledger, timers: machineTimers, random },
          {
            backends: 3,
            lagMax: 2,
            latencyMs: [0, 2],
            tellsHeads: true,
            faults: { hideLogs: 0.2, loseReceipts: 0.1 },
          },
        );
        clients.push(client);
        return {
          ...client,
          // Every transaction gets a block.
          request: async (method, params) => {
            const answer = await client.request(method, params);
            if (method === "eth_sendRawTransaction") mine();
            return answer;
          },
        };
      },
    });
    cluster.start();
    // Groups are not created through late backends: that is refused, and the user tries again.
    disturb(false);
    const group = await cluster.createGroup({
      domain: "group-token",
      threshold: 3,
    });
    disturb(true);
    const receipts = await payFromOnePot(cluster, group, 12);
    expect(new Set(receipts)).to.deep.equal(new Set(["Confirmed"]));
    // The payments, and what they were paid from.
    expect(fulfilledIn(ledger)).to.equal(13);
    await cluster.stop();
    rmSync(dataDir, { recursive: true });
  });
});
