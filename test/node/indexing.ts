import { expect } from "chai";

import { createIndexer } from "../../src/node/indexing.ts";
import type { NodeEvent } from "../../src/node/node-events.ts";
import { Requests } from "../../src/node/requests.ts";
import { defaultSettings } from "../../src/node/settings.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import type { StoredGroup } from "../../src/store/groups.ts";
import type { TestGroup } from "../helpers/runtime-ledger.ts";
import { SimulatedChain } from "../helpers/simulated-chain.ts";
import { aStoredGroup } from "../helpers/stores.ts";

/** Follows the chain with a store, until all of it is indexed; gives the transitions of the group that were told. */
async function transitionsIn(
  chain: SimulatedChain,
  store: Store,
): Promise<readonly string[]> {
  const requests = new Requests();
  const told: string[] = [];
  const post = (event: NodeEvent): void => {
    if (event.type !== "blocks") throw new Error(`Unexpected ${event.type}.`);
    store.write(() => {
      for (const block of event.blocks) store.blocks.add(block);
    });
    for (const { transitions } of event.blocks)
      for (const { transitionHash } of transitions) told.push(transitionHash);
    requests.answer(event.request, undefined);
  };
  const { chainId, factory } = chain.ledger.options;
  const indexer = createIndexer(
    { chainId, factory, settings: defaultSettings },
    {
      store,
      requests,
      loop: { post },
      client: chain.client(),
      timers: chain.timers,
      troubles: { seeChain: () => undefined },
      isStopped: () => false,
      fail: (error) => {
        throw error;
      },
    },
  );
  indexer.start();
  const { number } = chain.ledger.head;
  await chain.until(() => store.blocks.head()?.number === number);
  await indexer.stop();
  return told;
}

describe("The blocks that a node indexes", () => {
  let chain: SimulatedChain;
  let group: TestGroup;
  let store: Store;

  beforeEach(async () => {
    chain = new SimulatedChain(1);
    chain.mine();
    group = await chain.createGroup();
    await group.execute();
    await group.execute();
    chain.mine();
    store = openStore({ file: ":memory:" });
  });

  afterEach(() => {
    store.close();
  });

  const join = (changes: Partial<StoredGroup> = {}): void => {
    const { address, block: createdBlock } = group;
    store.write(() => {
      store.groups.save(aStoredGroup(1, { address, createdBlock, ...changes }));
    });
  };

  it("begin with the head of the chain if it has no group", async () => {
    expect(await transitionsIn(chain, store)).to.deep.equal([]);
    expect(store.blocks.knownAt(chain.ledger.head.number - 1)).to.equal(
      undefined,
    );
  });

  it("begin with the first group if it stopped when it had joined, and had indexed nothing", async () => {
    join();
    const told = await transitionsIn(chain, store);
    expect(told).to.deep.equal(chain.transitionsOf(group));
    expect(told).to.have.length(2);
  });
});
