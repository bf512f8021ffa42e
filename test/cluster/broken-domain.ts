import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect } from "chai";
import hre from "hardhat";

import { limits } from "../../src/protocol/limits.ts";
import type { Cluster } from "../../src/cluster/cluster.ts";
import { openChainClient } from "../../src/chain/client/open.ts";
import type { NodeFact } from "../../src/node/ports.ts";
import type { NodeGroup } from "../../src/node/service.ts";
import { createTestCluster, names } from "../helpers/cluster.ts";
import {
  brokenDomain,
  type DomainFault,
  faults,
} from "../helpers/domains/broken-domain.ts";
import { openTestLedger } from "../helpers/runtime-ledger.ts";

/** What a receipt says about each fault. */
const reasons: Readonly<Record<DomainFault, RegExp>> = {
  throws: /^The domain failed: a bug in assemble$/,
  rejects: /^The domain failed: a late bug in assemble$/,
  "answers nothing": /must be an object, but is undefined/,
  "answers nonsense": /inputs must be a list, but is a string/,
  "answers an unknown type": /type must be "assembled"/,
  "names no state": /inputs\[0\] must be the id of a state/,
  "creates no JSON": /BigInt/,
  "creates too much":
    /^The content of output 0 has 70\d{3} characters, and 65536 is the most/,
  "creates too many": /^It creates 300 states, and 256 is the most/,
  "reverts at length": /^r+$/,
  hangs: /^The domain failed: It gave no answer within \d+ ms/,
  "throws at endorsers": /^Not endorsed: a bug in endorse$/,
  "answers nonsense at endorsers": /^Not endorsed: endorse must give text/,
  "hangs at endorsers": /^Not endorsed: It gave no answer within \d+ ms/,
};

describe("A domain that fails", function () {
  this.timeout(120_000);
  let cluster: Cluster;
  let group: NodeGroup;
  let dataDir: string;
  const facts: NodeFact[] = [];
  const closers: (() => Promise<void>)[] = [];

  before(async () => {
    const { provider } = await hre.network.create();
    const client = openChainClient(provider);
    const { chainId, factory } = await openTestLedger(client);
    dataDir = mkdtempSync(join(tmpdir(), "broken-"));
    cluster = createTestCluster({
      openClient: () => openChainClient(provider),
      chainId,
      factory,
      dataDir,
      domains: [brokenDomain],
      settings: {
        tickMs: 10,
        requestMs: 40,
        requestMsMax: 80,
        stateMs: 400,
        pollMs: 20,
        retriesMax: 2,
        validForBlocks: 4,
      },
      onFact: (_, fact) => facts.push(fact),
    });
    closers.push(
      async () => {
        await cluster.stop();
      },
      async () => {
        await client.close();
      },
    );
    cluster.start();
    group = await cluster.createGroup({ domain: "broken", threshold: 3 });
  });

  after(async () => {
    for (const close of closers) await close();
    rmSync(dataDir, { recursive: true });
  });

  async function endOf(node: string, fault: string): Promise<string> {
    const member = cluster.member(node);
    const { address } = group;
    const id = await member.send({
      group: address,
      function: "write(string)",
      args: { fault },
    });
    const receipt = await member.receipt(address, id);
    return receipt.type === "Reverted" ? receipt.reason : receipt.type;
  }

  for (const fault of faults)
    it(`ends an intent with the reason when it ${fault}, and others go on`, async () => {
      let reason: string | undefined;
      const failing = endOf("carol", fault).then((end) => {
        reason = end;
      });
      // A step that was signed can happen for some blocks, which the others make.
      do {
        const others = await Promise.all(
          names.map(async (name) => await endOf(name, "nothing")),
        );
        expect(others).to.deep.equal(names.map(() => "Confirmed"));
      } while (reason === undefined);
      await failing;
      expect(reason).to.match(reasons[fault]);
      expect(reason.length).to.be.at.most(limits.reasonBytes);
      expect(await endOf("carol", "nothing")).to.equal("Confirmed");
    });

  it("harms none of many intents that come with it and after it", async () => {
    const broken = Promise.all(
      (["throws", "creates too much", "creates no JSON"] as const).map(
        async (fault) => {
          expect(await endOf("carol", fault)).to.match(reasons[fault]);
        },
      ),
    );
    const twenty = async (): Promise<void> => {
      const ends = await Promise.all(
        Array.from(
          { length: 20 },
          async (_, index) =>
            await endOf(names[index % names.length] ?? "carol", "nothing"),
        ),
      );
      expect(ends).to.deep.equal(ends.map(() => "Confirmed"));
    };
    await twenty();
    await broken;
    await twenty();
  });

  it("tells its author of each error once, with the stack", () => {
    const told = facts.flatMap((fact) =>
      fact.type === "DomainFailed" && fact.reason === "a bug in assemble"
        ? [fact]
        : [],
    );
    expect(told).to.have.length(1);
    expect(told[0]?.stack[0]).to.include("broken-domain.ts");
  });
});
