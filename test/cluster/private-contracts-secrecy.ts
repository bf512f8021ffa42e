import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect } from "chai";
import { Interface } from "ethers";
import hre from "hardhat";

import type { Cluster } from "../../src/cluster/cluster.ts";
import { receiptOf } from "../../src/domains/private-contracts/info.ts";
import { openChainClient } from "../../src/chain/client/open.ts";
import type { ChainClient } from "../../src/chain/ports.ts";
import type { NodeGroup } from "../../src/node/service.ts";
import { createTestCluster } from "../helpers/cluster.ts";
import { RecordingHub } from "../helpers/recording-hub.ts";
import { openTestLedger } from "../helpers/runtime-ledger.ts";

interface Block {
  readonly transactions: readonly {
    readonly to: string | null;
    readonly input: string;
  }[];
}

/** A text as it is in calldata, in storage and in payloads, which have it anywhere within groups of three bytes. */
function tracesOf(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  const inBase64 = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString("base64")
      .slice(4, -4),
  );
  return [text, bytes.toString("hex"), ...inBase64];
}

describe("Private contracts tell nobody else", function () {
  this.timeout(60_000);
  let dataDir: string;
  const secrets = {
    first: "the recipe of the brown sauce is secret",
    second: "the date of the wedding is a secret too",
  };
  const hub = new RecordingHub();
  let cluster: Cluster;
  let client: ChainClient;
  let groups: { readonly first: NodeGroup; readonly second: NodeGroup };

  /** Deploys a contract into a group, and has it write a secret down. */
  async function confide(
    group: NodeGroup,
    node: string,
    secret: string,
  ): Promise<void> {
    const { abi, bytecode } = await hre.artifacts.readArtifact("Workshop");
    const workshop = new Interface(abi);
    const member = cluster.member(node);
    const send = async (
      functionName: string,
      args: Readonly<Record<string, string>>,
    ) => {
      const { address } = group;
      const id = await member.send({
        group: address,
        function: functionName,
        args,
      });
      const { type } = await member.receipt(address, id);
      expect(type).to.equal("Confirmed");
      return receiptOf(member.node.effectOf(address, id)?.infos ?? []);
    };
    const deployed = await send("deploy(bytes)", { bytecode });
    const { receipt } = deployed as {
      readonly receipt: { readonly contractAddress: string };
    };
    const data = workshop.encodeFunctionData("order", [1n, 7n, secret, [1n]]);
    const to = receipt.contractAddress;
    await send("invoke(address,bytes)", { to, data });
  }

  before(async () => {
    dataDir = mkdtempSync(join(tmpdir(), "private-contracts-"));
    const { provider } = await hre.network.create();
    client = openChainClient(provider);
    const { chainId, factory } = await openTestLedger(client);
    cluster = createTestCluster({
      openClient: () => openChainClient(provider),
      chainId,
      factory,
      dataDir,
      hub,
      settings: { tickMs: 20, requestMs: 60, pollMs: 20 },
    });
    cluster.start();
    const domain = "private-contracts";
    groups = {
      first: await cluster.createGroup({ domain, members: ["alice", "bob"] }),
      second: await cluster.createGroup({ domain, members: ["bob", "carol"] }),
    };
    await confide(groups.first, "alice", secrets.first);
    await confide(groups.second, "carol", secrets.second);
  });

  after(async () => {
    await cluster.stop();
    await client.close();
    rmSync(dataDir, { recursive: true });
  });

  it("who is no member what happens in the group", () => {
    const outsiders = {
      first: ["carol", "dave"],
      second: ["alice", "dave"],
    } as const;
    for (const name of ["first", "second"] as const) {
      const traces = [...tracesOf(secrets[name]), groups[name].address];
      for (const outsider of outsiders[name])
        for (const { body } of hub.toldTo(outsider))
          for (const trace of traces) expect(body).to.not.include(trace);
    }
  });

  it("but members, who execute it", () => {
    const heard = hub
      .toldTo("bob")
      .map(({ body }) => body)
      .join("\n");
    for (const secret of Object.values(secrets))
      expect(tracesOf(secret).some((trace) => heard.includes(trace))).to.equal(
        true,
      );
  });

  it("the ledger more than hashes", async () => {
    const height = Number(await client.request("eth_blockNumber", []));
    let inputs = "";
    let transitions = 0;
    for (let number = 0; number <= height; number++) {
      const block = (await client.request("eth_getBlockByNumber", [
        `0x${number.toString(16)}`,
        true,
      ])) as Block;
      inputs += block.transactions.map(({ input }) => input).join("\n");
      transitions += block.transactions.filter(
        ({ to }) => to === groups.first.address,
      ).length;
    }
    expect(transitions).to.be.greaterThan(1);
    for (const secret of Object.values(secrets))
      for (const trace of tracesOf(secret))
        expect(inputs).to.not.include(trace);
    const { deployedBytecode } = await hre.artifacts.readArtifact("Workshop");
    expect(inputs).to.not.include(deployedBytecode.slice(2, 200));
  });
});
