import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import hre from "hardhat";

import { ledgerDomain, parseAddress } from "../../../src/ledger/index.ts";
import type { Cluster } from "../../../src/cluster/cluster.ts";
import { openChainClient } from "../../../src/chain/client/open.ts";
import { createEndorser } from "../../../src/keys/secp256k1.ts";
import type { ChainClient } from "../../../src/chain/ports.ts";
import type { NodeGroup } from "../../../src/node/service.ts";
import {
  createTestCluster,
  keyOf,
  names,
} from "../../../test/helpers/cluster.ts";
import { openTestLedger } from "../../../test/helpers/runtime-ledger.ts";
import { type Census, takeCensus } from "../census.ts";
import type { Goal, Row } from "../goals.ts";
import type { Contents } from "./ledger-view.ts";
import { Loner, type LonerGroup } from "./loner.ts";

/** How much is to be done. */
export interface ContentionOptions {
  readonly intents: number;
  readonly blockMs: number;
}

/** Enough to see the difference, few enough for some seconds. */
export const contentionDefaults: ContentionOptions = {
  intents: 200,
  blockMs: 50,
};

/** What came of intents that all spend one state. */
export interface Contention extends Census {
  readonly seconds: number;
  readonly blocks: number;
}

/** The same intents by the same four members on one chain, with a coordinator and without. */
export interface ContentionResult {
  readonly coordinated: Contention;
  readonly uncoordinated: Contention;
}

const THRESHOLD = 3;

/** Lets four members spend one pot, first as a cluster, then each for itself. */
export async function measureContention({
  intents,
  blockMs,
}: ContentionOptions): Promise<ContentionResult> {
  const { provider } = await hre.network.create();
  const client = openChainClient(provider);
  const { chainId, factory } = await openTestLedger(client);
  await client.request("evm_setAutomine", [false]);
  await client.request("evm_setIntervalMining", [blockMs]);
  const dataDir = mkdtempSync(join(tmpdir(), "bench-"));
  const cluster = createTestCluster({
    openClient: () => openChainClient(provider),
    chainId,
    factory,
    dataDir,
  });
  // A chain that mines in this process does not keep the process alive by itself.
  const alive = setInterval(() => undefined, 1_000);
  try {
    cluster.start();
    const newGroup = { domain: "group-token", threshold: THRESHOLD } as const;
    const createdBlock = await heightOf(client);
    const group = await cluster.createGroup(newGroup);
    const other = await cluster.createGroup(newGroup);
    const coordinated = await payTogether(client, cluster, group, intents);
    await cluster.stop();
    const lonerGroup: LonerGroup = {
      ...other,
      ledger: ledgerDomain({ chainId, group: parseAddress(other.address) }),
      endorsers: other.members,
      committee: other.members
        .map((name) => createEndorser(keyOf(name)).address)
        .sort(),
      createdBlock,
    };
    const uncoordinated = await payAlone(client, lonerGroup, intents);
    return { coordinated, uncoordinated };
  } finally {
    await cluster.stop();
    await client.request("evm_setIntervalMining", [0]);
    await client.close();
    rmSync(dataDir, { recursive: true });
    clearInterval(alive);
  }
}

/** The members give their intents to their nodes, which put them in an order. */
async function payTogether(
  client: ChainClient,
  cluster: Cluster,
  { address: group }: NodeGroup,
  intents: number,
): Promise<Contention> {
  const pay = async (name: string, call: Call): Promise<void> => {
    const member = cluster.member(name);
    const id = await member.send({ group, ...call });
    const { type } = await member.receipt(group, id);
    if (type !== "Confirmed") throw new Error(`${id} is not confirmed.`);
  };
  await pay(names[0], mint(intents));
  return await contentionOf(client, group, async () => {
    await Promise.all(
      Array.from({ length: intents }, async (_, i) => {
        await pay(nameAt(i), payment(i));
      }),
    );
  });
}

/** The members do everything themselves, each its own intents one after the other. */
async function payAlone(
  client: ChainClient,
  group: LonerGroup,
  intents: number,
): Promise<Contention> {
  const contents: Contents = new Map();
  const loners = group.members.map(
    (name) =>
      new Loner({ name, key: keyOf(name) }, { group, client, contents }),
  );
  const pay = async (loner: Loner, call: Call): Promise<void> => {
    const { payload } = group.domain.check({
      group,
      node: loner.name,
      from: loner.name,
      signature: call.function,
      args: call.args,
    });
    await loner.confirm(payload, loners);
  };
  const [first] = loners;
  if (first === undefined) throw new Error("The group has no members.");
  await pay(first, mint(intents));
  const contention = await contentionOf(client, group.address, async () => {
    await Promise.all(
      loners.map(async (loner, at) => {
        for (let i = at; i < intents; i += loners.length)
          await pay(loner, payment(i));
      }),
    );
  });
  for (const loner of loners)
    if ((await loner.balanceOf("pot")) !== 0)
      throw new Error("All is paid, and the pot is not empty.");
  return contention;
}

/** Runs something, and counts what the chain had to do for it. */
async function contentionOf(
  client: ChainClient,
  group: string,
  run: () => Promise<void>,
): Promise<Contention> {
  const before = await heightOf(client);
  const start = performance.now();
  await run();
  const seconds = (performance.now() - start) / 1_000;
  const after = await heightOf(client);
  const census = await takeCensus(client, group, [before + 1, after]);
  return { ...census, seconds, blocks: after - before };
}

/** What was measured, for whoever reads the table. */
export function contentionTitle({
  intents,
  blockMs,
}: ContentionOptions): string {
  return `${intents} intents that spend one state, a block every ${blockMs} ms`;
}

/** Base-ledger transactions that a coordinator sent must not revert. */
export function contentionGoal({ coordinated }: ContentionResult): Goal {
  return {
    name: "the number of coordinated transactions that reverted",
    value: coordinated.reverts,
    valueMax: 0,
  };
}

/** The result as a table: both, and how many times as much the coordinated one is. */
export function contentionRows(
  { coordinated, uncoordinated }: ContentionResult,
  { intents }: ContentionOptions,
): readonly Row[] {
  const figuresOf = (
    contention: Contention,
  ): Readonly<Record<string, number>> => ({
    "intents/s": intents / contention.seconds,
    blocks: contention.blocks,
    transactions: contention.transactions,
    "transactions per intent": contention.transactions / intents,
    reverts: contention.reverts,
    "gas per intent": Number(contention.gas) / intents,
    "of it wasted": Number(contention.gasWasted) / intents,
  });
  const a = figuresOf(coordinated);
  const b = figuresOf(uncoordinated);
  return [
    { coordinator: "with", ...a },
    { coordinator: "without", ...b },
    {
      coordinator: "ratio",
      ...Object.fromEntries(
        Object.entries(b).map(([name, value]) => [
          name,
          value === 0 ? "-" : ((a[name] ?? NaN) / value).toFixed(3),
        ]),
      ),
    },
  ];
}

interface Call {
  readonly function: string;
  readonly args: Readonly<Record<string, string>>;
}

function mint(amount: number): Call {
  return {
    function: "mint(string,uint256)",
    args: { to: "pot", amount: String(amount) },
  };
}

/** All of them spend the pot. */
function payment(i: number): Call {
  return {
    function: "transfer(string,string,uint256)",
    args: { from: "pot", to: `shop${i % 5}`, amount: "1" },
  };
}

function nameAt(i: number): string {
  return names[i % names.length] ?? names[0];
}

async function heightOf(client: ChainClient): Promise<number> {
  return Number(await client.request("eth_blockNumber", []));
}
