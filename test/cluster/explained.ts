import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect } from "chai";
import hre from "hardhat";

import type { IntentId } from "../../src/protocol/ids.ts";
import type { Cluster } from "../../src/cluster/cluster.ts";
import type { Member } from "../../src/cluster/member.ts";
import { openChainClient } from "../../src/chain/client/open.ts";
import { type ChainClient, ChainError } from "../../src/chain/ports.ts";
import { createTestCluster, names } from "../helpers/cluster.ts";
import { openTestLedger } from "../helpers/runtime-ledger.ts";

describe("An intent that waits", function () {
  this.timeout(60_000);
  let cluster: Cluster;
  let client: ChainClient;
  let dataDir: string;
  /** The request that the chain refuses. */
  let refused: string | undefined;

  before(async () => {
    const { provider } = await hre.network.create();
    client = openChainClient(provider);
    const { chainId, factory } = await openTestLedger(client);
    dataDir = mkdtempSync(join(tmpdir(), "explained-"));
    cluster = createTestCluster({
      openClient: () => {
        const { request, ...rest } = openChainClient(provider);
        return {
          ...rest,
          request: async (method, params) => {
            if (method === refused)
              throw new ChainError("unreachable", "Nobody is there.");
            return await request(method, params);
          },
        };
      },
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

  for (const method of ["eth_sendRawTransaction", "eth_getBlockByNumber"])
    it(`says that the chain does not answer ${method}`, async () => {
      const { address } = await cluster.createGroup({
        domain: "group-token",
        threshold: 3,
      });
      refused = method;
      const sent = await Promise.all(
        names.map(async (name) => ({
          member: cluster.member(name),
          id: await cluster.member(name).send({
            group: address,
            function: "mint(string,uint256)",
            args: { to: name, amount: "1" },
          }),
        })),
      );
      // One of them coordinates, and knows.
      while (
        !sent.some(({ member: { node }, id }) =>
          node.explain(id)?.includes(`${method}: Nobody is there.`),
        )
      )
        await new Promise((resolve) => setTimeout(resolve, 5));
      refused = undefined;
      for (const { member, id } of sent) {
        expect((await member.receipt(address, id)).type).to.equal("Confirmed");
        expect(member.node.explain(id)).to.equal(undefined);
      }
    });
});
