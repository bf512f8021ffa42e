import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect } from "chai";
import hre from "hardhat";

import type { IntentId } from "../../src/protocol/ids.ts";
import type { Cluster } from "../../src/cluster/cluster.ts";
import type { Json } from "../../src/domains/domain.ts";
import { openChainClient } from "../../src/chain/client/open.ts";
import type { NodeGroup } from "../../src/node/service.ts";
import { createTestCluster } from "../helpers/cluster.ts";
import { RecordingHub } from "../helpers/recording-hub.ts";
import { openTestLedger } from "../helpers/runtime-ledger.ts";

/** A word that can only come from one place, and the holders who may hear it. The notaries hear all. */
interface Secret {
  readonly word: string;
  readonly holders: readonly string[];
}

interface Running {
  readonly cluster: Cluster;
  readonly group: NodeGroup;
  readonly dataDir: string;
}

/** Two notaries, alice and dave, and two holders, bob and carol. Everything that they say is recorded. */
class Scene {
  readonly hub = new RecordingHub();
  readonly secrets: Secret[] = [];
  #running: Running | undefined;

  async start(): Promise<void> {
    const dataDir = mkdtempSync(join(tmpdir(), "secrecy-"));
    const { provider } = await hre.network.create();
    const client = openChainClient(provider);
    const { chainId, factory } = await openTestLedger(client);
    await client.close();
    const cluster = createTestCluster({
      openClient: () => openChainClient(provider),
      chainId,
      factory,
      dataDir,
      hub: this.hub,
    });
    cluster.start();
    const group = await cluster.createGroup({
      domain: "notarised-token",
      configuration: { notaries: "alice,dave" },
      threshold: 2,
    });
    this.#running = { cluster, group, dataDir };
  }

  async stop(): Promise<void> {
    const { cluster, dataDir } = this.#started;
    await cluster.stop();
    rmSync(dataDir, { recursive: true });
  }

  get cluster(): Cluster {
    return this.#started.cluster;
  }

  get group(): NodeGroup {
    return this.#started.group;
  }

  get #started(): Running {
    if (this.#running === undefined) throw new Error("It has not started.");
    return this.#running;
  }

  /** An amount that nothing else has in it by chance. */
  large(number: number, ...holders: readonly string[]): string {
    return this.#secret(`9${number}7305561${number}8204413`, holders);
  }

  /** The same, of which a large one pays many. */
  small(number: number, ...holders: readonly string[]): string {
    return this.#secret(`31${number}4402${number}97`, holders);
  }

  /** Bytes of the same kind. */
  data(number: number, ...holders: readonly string[]): string {
    return this.#secret(`0xdeed${number}c0ffee${number}`, holders);
  }

  account(name: string, ...holders: readonly string[]): string {
    this.#secret(name, holders);
    return `${name}@${holders[0] ?? ""}`;
  }

  /** Resolves with the id when it is confirmed. */
  async send(
    who: string,
    signature: string,
    args: Readonly<Record<string, Json>>,
  ): Promise<IntentId> {
    const [from = "", node = ""] = who.split("@");
    const { cluster, group } = this.#started;
    const member = cluster.member(node);
    const { address } = group;
    const call = { group: address, function: signature, args, from };
    const id = await member.send(call);
    const receipt = await member.receipt(address, id);
    if (receipt.type === "Reverted") throw new Error(receipt.reason);
    return id;
  }

  /** Nothing is missing at any node. */
  async settled(): Promise<void> {
    const { members } = this.cluster;
    const isBehind = (): boolean => {
      const heights = members.map(({ node }) => node.height());
      return (
        new Set(heights).size > 1 ||
        members.some(({ node }) =>
          node.status().groups.some(({ missingStates }) => missingStates > 0),
        )
      );
    };
    while (isBehind()) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  /** Which of these words a node was told, in whatever message. */
  heardBy(name: string, words: readonly string[]): readonly string[] {
    const told = this.hub.toldTo(name);
    return words.filter((word) => told.some(({ body }) => body.includes(word)));
  }

  #secret(word: string, holders: readonly string[]): string {
    this.secrets.push({ word, holders });
    return word;
  }
}

const transfer = "transfer(string,uint256,bytes)";

describe("What nodes of a notarised token send each other", function () {
  this.timeout(60_000);
  const scene = new Scene();
  before(async () => {
    await scene.start();
    await work(scene);
  });
  after(async () => {
    await scene.stop();
  });

  it("tells a notary everything that others do", function () {
    const words = scene.secrets.map(({ word }) => word);
    expect(scene.heardBy("dave", words)).to.deep.equal(words);
  });

  for (const holder of ["bob", "carol"])
    it(`tells ${holder} nothing of what others have, pay or say`, function () {
      const words = scene.secrets
        .filter(({ holders }) => !holders.includes(holder))
        .map(({ word }) => word);
      expect(words.length).to.be.greaterThan(5);
      expect(scene.heardBy(holder, words)).to.deep.equal([]);
      const { node } = scene.cluster.member(holder);
      const states = JSON.stringify(node.states(scene.group.address));
      expect(words.filter((word) => states.includes(word))).to.deep.equal([]);
    });

  it("tells holders what is theirs", function () {
    for (const [holder, account] of [
      ["bob", "bobs-drawer"],
      ["carol", "carols-drawer"],
    ] as const)
      expect(scene.heardBy(holder, [account])).to.deep.equal([account]);
  });
});

/** Both holders are paid, pay each other and themselves, lock and burn, at once, and through restarts of everybody. */
async function work(scene: Scene): Promise<void> {
  const bobs = scene.account("bobs-drawer", "bob");
  const carols = scene.account("carols-drawer", "carol");
  const bob = "front@bob";
  const carol = "desk@carol";
  const clerk = "clerk@alice";
  const mint = "mint(string,uint256,bytes)";
  await Promise.all([
    scene.send(clerk, mint, {
      to: bob,
      amount: scene.large(1, "bob"),
      data: scene.data(1),
    }),
    scene.send(clerk, mint, {
      to: carol,
      amount: scene.large(2, "carol"),
      data: scene.data(2),
    }),
    scene.send(clerk, mint, {
      to: bobs,
      amount: scene.large(3, "bob"),
      data: "0x",
    }),
  ]);
  await Promise.all(
    [11, 12, 13].flatMap((number) => [
      scene.send(bob, transfer, {
        to: bobs,
        amount: scene.small(number, "bob"),
        data: scene.data(number, "bob"),
      }),
      scene.send(carol, transfer, {
        to: carols,
        amount: scene.small(10 + number, "carol"),
        data: scene.data(10 + number, "carol"),
      }),
    ]),
  );
  // A member that was away asks for what it has missed.
  await scene.settled();
  await scene.cluster.member("carol").crash();
  await scene.send(bobs, "lock(uint256,bytes)", {
    amount: scene.small(3, "bob"),
    data: scene.data(3, "bob"),
  });
  scene.cluster.member("carol").start();
  await scene.cluster.member("alice").crash();
  scene.cluster.member("alice").start();
  await Promise.all([
    scene.send(bob, transfer, {
      to: carol,
      amount: scene.small(4, "bob", "carol"),
      data: scene.data(4, "bob"),
    }),
    scene.send(carol, "burn(uint256,bytes)", {
      amount: scene.small(5, "carol"),
      data: scene.data(5, "carol"),
    }),
  ]);
  await scene.settled();
}
