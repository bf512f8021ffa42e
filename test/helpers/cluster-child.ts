import type { Cluster } from "../../src/cluster/cluster.ts";
import { openChainClient } from "../../src/chain/client/open.ts";
import type { ChainClient } from "../../src/chain/ports.ts";
import type { NodeGroup } from "../../src/node/service.ts";
import type { IntentId } from "../../src/protocol/ids.ts";
import { balanceAt, createTestCluster, names } from "./cluster.ts";

// A cluster in a process of its own, to be killed. It says what it accepted, one line each, only when it is on disk. With
// "fill" it sees to it first that there is something to spend, and says when there is. With "drain" it takes nothing new,
// waits until nothing is open, and says what became of the intents it is asked about ("node:id") and what the balances are.

const [url = "", factory = "", dataDir = "", mode = "load", ...asked] =
  process.argv.slice(2);

function say(what: object): void {
  process.stdout.write(`${JSON.stringify(what)}\n`);
}

async function main(): Promise<void> {
  // Nodes do not keep a process alive; whoever runs them does.
  const alive = setInterval(() => undefined, 1_000);
  const client = openChainClient(url);
  const chainId = BigInt(String(await client.request("eth_chainId", [])));
  const cluster = createTestCluster({
    openClient: () => openChainClient(url),
    chainId,
    factory,
    dataDir,
  });
  cluster.start();
  const known = cluster.member("alice").node.groups()[0];
  const group: NodeGroup =
    known ??
    (await cluster.createGroup({ domain: "group-token", threshold: 3 }));
  say({ group: group.address });
  if (mode === "fill") await fillPot(cluster, group);
  if (mode !== "drain") await load(cluster, group);
  await drain(cluster, client, group);
  await cluster.stop();
  await client.close();
  clearInterval(alive);
}

async function load(cluster: Cluster, group: NodeGroup): Promise<void> {
  const one = async (name: string): Promise<never> => {
    for (;;) {
      const member = cluster.member(name);
      if (member.node.group(group.address) === undefined) {
        await soon();
        continue;
      }
      const id: IntentId = await member.send({
        group: group.address,
        function: "transfer(string,string,uint256)",
        args: { from: "pot", to: "shop", amount: "1" },
      });
      say({ accepted: id, node: name });
      // Two at a time: one that waits, one that is new.
      if (Number(id.slice(-4)) % 2 === 0)
        await member.receipt(group.address, id);
    }
  };
  await Promise.all(names.map(one));
}

/** Mints once, however often the process was killed before: nobody can pay out of an empty pot. */
async function fillPot(cluster: Cluster, group: NodeGroup): Promise<void> {
  const alice = cluster.member("alice");
  while (isOpen(cluster, "alice")) await soon();
  if ((await balanceAt(cluster, "alice", group, "pot")) === 0) {
    const id = await alice.send({
      group: group.address,
      function: "mint(string,uint256)",
      args: { to: "pot", amount: "100000" },
    });
    say({ accepted: id, node: "alice" });
    await alice.receipt(group.address, id);
  }
  say({ filled: true });
}

/** Whether a node has something under way, or does not know yet what a state of the ledger holds. */
function isOpen(cluster: Cluster, name: string): boolean {
  const { groups } = cluster.member(name).node.status();
  return groups.some(
    ({ own, missingStates }) =>
      missingStates > 0 ||
      Object.entries(own).some(
        ([state, count]) =>
          count > 0 && state !== "Confirmed" && state !== "Reverted",
      ),
  );
}

function soon(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}

async function drain(
  cluster: Cluster,
  client: ChainClient,
  group: NodeGroup,
): Promise<void> {
  while (names.some((name) => isOpen(cluster, name))) await soon();
  for (const one of asked) {
    const [name = "", id = ""] = one.split(":");
    const receipt = await cluster
      .member(name)
      .receipt(group.address, id as IntentId);
    say({ ended: id, receipt });
  }
  const head = Number(await client.request("eth_blockNumber", []));
  for (const name of names) {
    const { node } = cluster.member(name);
    while (node.height() < head) await soon();
    say({
      node: name,
      pot: await balanceAt(cluster, name, group, "pot"),
      shop: await balanceAt(cluster, name, group, "shop"),
    });
  }
}

// Every file under test/ is loaded with the tests; only the process that is made for it runs it.
if (process.argv[1] === import.meta.filename) await main();
