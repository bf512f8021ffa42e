import { expect } from "chai";

import { FarmScene } from "../helpers/chain-farm/scene.ts";
import { isDropped, untrueThings } from "../helpers/chain-farm/truth.ts";
import { names } from "../helpers/cluster.ts";

/** More of them: FARM_SEEDS=500 npx mocha test/cluster/farm.ts */
const SEEDS = Number(process.env["FARM_SEEDS"] ?? 3);
const FIRST_SEED = Number(process.env["FARM_FIRST_SEED"] ?? 1);
const ROUNDS = 3;
/** Once nothing is wrong with the farms any more, all is true by then: whatever was signed is valid for 200 blocks. */
const SETTLE_BLOCKS = 800;

/** Resolves when all receipts are what the chain says. */
async function settle(scene: FarmScene): Promise<void> {
  const last = (await scene.height()) + SETTLE_BLOCKS;
  let untrue: readonly string[] = [];
  await scene.until(
    async () => {
      untrue = await untrueThings(scene.parts, scene.sent);
      return untrue.length === 0 || (await scene.height()) > last;
    },
    { blocks: 3 },
  );
  expect(untrue).to.deep.equal([]);
}

/** Every node told of the reorganisations that happened, and of no other. */
function checkReverts(scene: FarmScene): void {
  const heights = scene.forks.map(({ height }) => height);
  const seen = scene.forks.filter(({ isSeen }) => isSeen);
  for (const [name, reverts] of scene.parts.reverts) {
    const what = `${name} took back all above ${reverts.join()}`;
    // A node that was late has nothing to take back.
    expect(heights, what).to.include.members(reverts);
    expect(new Set(reverts).size, what).to.equal(reverts.length);
    expect(reverts, what).to.include.members(seen.map(({ height }) => height));
  }
}

/** Listeners got everything once, and once more after a reorganisation that took it back. Nothing of it was ever invented. */
async function checkListener(scene: FarmScene, node: string): Promise<void> {
  const listening = scene.listenings.get(node);
  if (listening === undefined) throw new Error(`Nobody listens to ${node}.`);
  const { heard, wrong } = listening;
  expect(wrong).to.deep.equal([]);
  const final = await scene.parts.nodes.ask<
    readonly { readonly id: string; readonly sequence: number }[]
  >(node, "ptx_queryTransactionReceipts", { limit: 1000 });
  const keyOf = (one: { readonly id: string; readonly sequence: number }) =>
    `${one.sequence} ${one.id}`;
  await scene.until(() => {
    const keys = new Set(heard.map(keyOf));
    return final.every((receipt) => keys.has(keyOf(receipt)));
  });
  const reverts = scene.parts.reverts.get(node) ?? [];
  const explained = new Map<string, Set<number>>();
  const finalKeys = new Set(final.map(keyOf));
  for (const receipt of heard) {
    const { id, transactionHash = "", blockNumber = -1, success } = receipt;
    const places = scene.parts.record.placesOf(transactionHash);
    expect(
      places.map(({ block, isSuccess }) => `${block} ${isSuccess}`),
      JSON.stringify(receipt),
    ).to.include(`${blockNumber} ${success === true || isDropped(receipt)}`);
    if (finalKeys.has(keyOf(receipt))) continue;
    const used = explained.get(id) ?? new Set();
    explained.set(id, used);
    const revert = reverts.find(
      (height) => height < blockNumber && !used.has(height),
    );
    if (revert === undefined)
      throw new Error(`Withdrawn without reason: ${JSON.stringify(receipt)}`);
    used.add(revert);
  }
}

describe("A cluster behind farms of backends", function () {
  this.timeout(120_000);

  for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++)
    it(`tells the truth in the end, and nothing twice (seed ${seed})`, async () => {
      const scene = await FarmScene.open(seed);
      try {
        scene.disturb(true);
        for (let round = 0; round < ROUNDS; round++) await scene.round();
        scene.disturb(false);
        await settle(scene);
        checkReverts(scene);
        for (const name of names) await checkListener(scene, name);
        expect(scene.parts.nodes.errors).to.deep.equal([]);
      } finally {
        await scene.close();
      }
    });
});
