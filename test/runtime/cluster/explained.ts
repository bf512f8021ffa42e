import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect } from "chai";
import hre from "hardhat";

import type { IntentId } from "../../../src/protocol/ids.ts";
import type { Cluster } from "../../../src/runtime/cluster/cluster.ts";
import type { Member } from "../../../src/runtime/cluster/member.ts";
import { openChainClient } from "../../../src/runtime/ledger/client/open.ts";
import type { ChainClient } from "../../../src/runtime/ports.ts";
import { createTestCluster } from "../../helpers/cluster.ts";
import { openTestLedger } from "../../helpers/runtime-ledger.ts";

describe("An intent that too few members endorse", function () {
  this.timeout(60_000);
  let cluster: Cluster;
  let client: ChainClient;
  let dataDir: string;

  before(async () => {
    const { provider } = await hre.network.create();
    client = openChainClient(provider);
    const { chainId, factory } = await openTestLedger(client);
    dataDir = mkdtempSync(join(tmpdir(), "explained-"));
    cluster = createTestCluster({
      openClient: () => openChainClient(provider),
      chainId,
      factory,
      dataDir,
      settings: { tickMs: 10, requestMs: 50, pollMs: 20 },
    });
    cluster.start();
  });

  after(async () => {
    await cluster.stop();
    await client.close();
    rmSync(dataDir, { recursive: true });
  });

  it("says how many endorse, who is missing, and since when", async () => {
    const { address } = await cluster.createGroup({
      domain: "group-token",
      threshold: 3,
    });
    for (const name of ["carol", "dave"]) await cluster.member(name).crash();
    const sent: { readonly member: Member; readonly id: IntentId }[] = [];
    for (const name of ["alice", "bob"]) {
      const member = cluster.member(name);
      const id = await member.send({
        group: address,
        function: "mint(string,uint256)",
        args: { to: name, amount: "1" },
      });
      sent.push({ member, id });
    }
    const why =
      /It has [12] of 3 endorsements; missing: .*(carol|dave) \((last heard \d+ s ago|not heard since the start)\)/;
    const told = (): readonly string[] =>
      sent.flatMap(({ member: { node }, id }) => [
        node.explain(id) ?? "",
        ...node
          .status()
          .groups.flatMap((group) =>
            group.blocked.map((blocked) => blocked.why),
          ),
      ]);
    // Each coordinator asks again and again: sooner or later it is seen to wait, in both places.
    while (told().filter((text) => why.test(text)).length < 2)
      await new Promise((resolve) => setTimeout(resolve, 5));
    for (const name of ["carol", "dave"]) cluster.member(name).start();
    for (const { member, id } of sent)
      expect((await member.receipt(address, id)).type).to.equal("Confirmed");
  });
});
