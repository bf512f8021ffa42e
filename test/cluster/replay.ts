import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect } from "chai";
import hre from "hardhat";

import type { NodeName } from "../../src/protocol/ids.ts";
import type { Cluster } from "../../src/cluster/cluster.ts";
import type { Member } from "../../src/cluster/member.ts";
import { openChainClient } from "../../src/chain/client/open.ts";
import type { Carrier } from "../../src/network/carrier.ts";
import { readEnvelope } from "../../src/network/envelope-bytes.ts";
import { Hub } from "../../src/network/in-process.ts";
import { createTestCluster, payFromOnePot } from "../helpers/cluster.ts";
import { openTestLedger } from "../helpers/runtime-ledger.ts";
import { nodeName } from "../helpers/stores.ts";

/** A network on which somebody records all that comes to a node. */
class TappedHub extends Hub {
  readonly recorded = new Map<NodeName, Uint8Array[]>();

  override connect(
    name: NodeName,
    arrive: (wire: Uint8Array) => void,
  ): Carrier {
    return super.connect(name, (wire) => {
      const wires = this.recorded.get(name) ?? [];
      this.recorded.set(name, wires);
      wires.push(Uint8Array.from(wire));
      arrive(wire);
    });
  }

  /** What a node was told, without greetings. */
  toldTo(name: NodeName): readonly Uint8Array[] {
    return [...(this.recorded.get(name) ?? [])].filter(
      (wire) => readEnvelope(wire)?.body.length !== 0,
    );
  }
}

const mallory = nodeName("mallory");
const bob = nodeName("bob");

/** Envelopes that a node did not even look into. */
function droppedAt({ node }: Member): number {
  const { dropped } = node.status();
  return ["replayed", "misaddressed", "wrong-network"].reduce(
    (sum, reason) => sum + (dropped[reason] ?? 0),
    0,
  );
}

describe("Envelopes that somebody recorded", function () {
  this.timeout(60_000);
  let dataDir: string;
  let clusters: Cluster[];
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), "replay-"));
    clusters = [];
  });
  afterEach(async () => {
    for (const cluster of clusters) await cluster.stop();
    rmSync(dataDir, { recursive: true });
  });

  /** Four nodes with the keys of this test, on a chain and a network of their own. */
  const open = async (
    disks: string,
    factory?: string,
  ): Promise<{ readonly cluster: Cluster; readonly hub: TappedHub }> => {
    const { provider } = await hre.network.create();
    const openClient = () => openChainClient(provider);
    const hub = new TappedHub();
    const cluster = createTestCluster({
      ...(await openTestLedger(openClient())),
      ...(factory !== undefined && { factory }),
      openClient,
      hub,
      dataDir: join(dataDir, disks),
    });
    clusters.push(cluster);
    cluster.start();
    return { cluster, hub };
  };

  /** Sends everything to bob again; resolves with how many were dropped when all have come. */
  const replay = async (
    member: Member,
    hub: Hub,
    wires: readonly Uint8Array[],
  ): Promise<number> => {
    const before = droppedAt(member);
    const recorder = hub.connect(mallory, () => undefined);
    for (const wire of wires) recorder.carry(bob, wire);
    while (hub.size > 0) await new Promise((resolve) => setImmediate(resolve));
    await recorder.stop();
    return droppedAt(member) - before;
  };

  it("are not heard again after a crash, however soon it comes", async () => {
    const { cluster, hub } = await open("disks");
    const group = await cluster.createGroup({ domain: "group-token" });
    await payFromOnePot(cluster, group, 20);
    const member = cluster.member("bob");
    for (const one of cluster.members) await one.crash();
    const wires = hub.toldTo(bob);
    expect(wires.length).to.be.greaterThan(3);
    member.start();
    expect(await replay(member, hub, wires)).to.equal(wires.length);
  });

  for (const { what, factory } of [
    { what: "nodes with other disks on a chain like it", factory: undefined },
    { what: "nodes of another factory", factory: `0x${"fa".repeat(20)}` },
  ])
    it(`are not heard by ${what}, although the keys are the same`, async () => {
      const { cluster, hub } = await open("disks");
      const group = await cluster.createGroup({ domain: "group-token" });
      await payFromOnePot(cluster, group, 20);
      for (const { name } of cluster.members) {
        const folder = join(dataDir, "others", name);
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        for (const file of ["identity.pem", "wallet.secret"])
          copyFileSync(join(dataDir, "disks", name, file), join(folder, file));
      }
      const other = await open("others", factory);
      for (const name of ["alice", "carol", "dave"])
        await other.cluster.member(name).crash();
      const member = other.cluster.member("bob");
      const wires = hub.toldTo(bob);
      expect(await replay(member, other.hub, wires)).to.equal(wires.length);
    });
});
