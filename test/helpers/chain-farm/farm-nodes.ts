import hre from "hardhat";

import { openChainClient } from "../../../src/chain/client/open.ts";
import type { ChainClient } from "../../../src/chain/ports.ts";
import type { NodeGroup } from "../../../src/node/service.ts";
import { names } from "../cluster.ts";
import { timersFaster } from "../impatient-timers.ts";
import { type Random, randomFrom } from "../random.ts";
import { RealNodes } from "../rpc/real-nodes.ts";
import { aTill } from "../till.ts";
import { ChainFarm, type FarmFaults } from "./farm.ts";
import { ChainRecord } from "./record.ts";

const faults: FarmFaults = {
  hideLogs: 0.2,
  loseReceipts: 0.1,
  loseBlocks: 0.03,
  rateLimit: 0.01,
  hang: 0.003,
  absurd: 0.01,
  stray: 0.002,
};
/** Pauses of nodes are so much shorter, so that much goes wrong in little time. */
const TIMES_FASTER = 8;

/** Four nodes with their APIs on one chain. Each client of the chain is behind a farm of backends of its own. */
export interface FarmNodes {
  readonly nodes: RealNodes;
  readonly farms: readonly ChainFarm[];
  readonly record: ChainRecord;
  /** Another chain, which backends are mistaken for. */
  readonly stranger: ChainClient;
  /** By node, the last blocks that stayed when it took others back. */
  readonly reverts: ReadonlyMap<string, number[]>;
  readonly group: NodeGroup;
  /** A contract that has nothing to do with ours. */
  readonly till: string;
}

/** Nothing is wrong with the farms yet. */
export async function openFarmNodes(seed: number): Promise<FarmNodes> {
  const stranger = await openStranger(randomFrom(seed));
  const farms: ChainFarm[] = [];
  let record: ChainRecord | undefined;
  const through = (chain: ChainClient): ChainClient => {
    record ??= new ChainRecord(chain);
    const random = randomFrom(seed * 100 + farms.length);
    const farm = new ChainFarm(
      { backends: 3, lagMax: 3, faults, strayTo: stranger, deadlineMs: 150 },
      { record, random },
    );
    farm.hasFaults = false;
    farm.isLate = false;
    farms.push(farm);
    return farm.openClient();
  };
  const reverts = new Map<string, number[]>(names.map((name) => [name, []]));
  const nodes = await RealNodes.start(names, {
    through,
    timers: timersFaster(TIMES_FASTER),
    onFact: (name, fact) => {
      if (fact.type === "BlocksReverted") reverts.get(name)?.push(fact.height);
    },
  });
  try {
    if (record === undefined) throw new Error("No node has opened a client.");
    // A group is not created through late backends: that is refused, and up to the user to try again.
    const group = await nodes.createGroup();
    const till = await deployTill(nodes);
    // From now on blocks come from time to time, and not with every transaction.
    await nodes.client.request("evm_setAutomine", [false]);
    return { nodes, farms, record, stranger, reverts, group, till };
  } catch (error) {
    await nodes.stop();
    throw error;
  }
}

async function deployTill(nodes: RealNodes): Promise<string> {
  const { abi, bytecode } = aTill();
  const id = await nodes.ask<string>("alice", "ptx_sendTransaction", {
    type: "public",
    from: "ann",
    abi,
    bytecode,
    data: [0],
  });
  const { contractAddress } = await nodes.receipt<{
    readonly contractAddress: string;
  }>("alice", id);
  return contractAddress;
}

/** A chain with another id, or one that was made anew with the same id. */
async function openStranger(random: Random): Promise<ChainClient> {
  const { provider } = await hre.network.create({
    override: {
      chainId: random.pick([31337, 4]),
      initialDate: "2020-01-01T00:00:00Z",
    },
  });
  const client = openChainClient(provider);
  await client.request("hardhat_mine", [`0x${random.below(200).toString(16)}`]);
  return client;
}
