import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

import { expect } from "chai";

import { type DrainFact, drainNode } from "../../../tasks/drain/drain-node.ts";

const busy = { isDone: false, reasons: ["it still coordinates."] };

/** What the task tells of a node that answers so, one status after the other; the last one again and again. */
async function told(
  statuses: readonly (typeof busy | undefined)[],
): Promise<readonly DrainFact[]> {
  const left = [...statuses];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const isStatus = body.includes("sequencer_status");
      const [draining] = left;
      if (isStatus && left.length > 1) left.shift();
      const result = isStatus ? { name: "alice", draining } : true;
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result }));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const facts: DrainFact[] = [];
  try {
    const url = `http://127.0.0.1:${port}`;
    await drainNode({ url, timeout: "3" }, (fact) => facts.push(fact));
  } finally {
    server.close();
    server.closeAllConnections();
  }
  return facts;
}

describe("sequencer:drain", function () {
  this.timeout(20_000);

  it("says when the node can be stopped", async () => {
    const facts = await told([undefined, busy, { isDone: true, reasons: [] }]);
    expect(facts.map(({ type }) => type)).to.deep.equal([
      "draining",
      "drained",
    ]);
  });

  it("does not wait for a node that is not drained any more, and says that it takes part", async () => {
    const facts = await told([busy, undefined]);
    expect(facts.map(({ type }) => type)).to.deep.equal([
      "draining",
      "not-draining",
    ]);
  });
});
