import { expect } from "chai";

import type { DomainStep } from "../../../src/domains/domain.ts";
import { freshIntentId, nodeName } from "../../helpers/domains/played-group.ts";
import {
  addressOf,
  compiled,
  deploy,
  openContracts,
} from "../../helpers/domains/private-contracts.ts";
import { randomFrom } from "../../helpers/random.ts";

const SUPPLY = 1_000n;
const TRANSFERS = 150;

describe("A private token", function () {
  this.timeout(60_000);

  for (const seed of [1, 2])
    it(`keeps its supply when transactions are built on each other, fall, and are tried again (seed ${seed})`, async () => {
      const random = randomFrom(seed);
      const group = await openContracts();
      const { members } = group.group;
      const coin = await deploy(group, "alice", await compiled("Coin"), [
        SUPPLY,
      ]);
      const holders = await Promise.all(
        members.flatMap((node) =>
          ["a", "b"].map((name) => addressOf(group, `${name}@${node}`)),
        ),
      );
      await coin.send("alice", "transfer", [holders[0], SUPPLY]);

      let overlay = group.overlay();
      let flying: DomainStep[] = [];
      const ends = { landed: 0, fell: 0, reverted: 0 };
      const land = (): void => {
        // Somewhere in the middle, one is lost: what is built on it cannot land either.
        const lost = random.chance(0.5) ? random.below(flying.length + 1) : -1;
        for (const [i, step] of flying.entries())
          try {
            if (i === lost) throw new Error("lost");
            group.apply(step);
            ends.landed += 1;
          } catch {
            ends.fell += 1;
          }
        flying = [];
        overlay = group.overlay();
      };
      for (let i = 0; i < TRANSFERS; i++) {
        const node = random.pick(members);
        const amount = BigInt(random.below(300));
        const data = coin.abi.encodeFunctionData("transfer", [
          random.pick(holders),
          amount,
        ]);
        const { payload } = group.domain.check({
          group: group.group,
          node,
          from: random.pick(["a", "b"]),
          signature: "invoke(address,bytes)",
          args: { to: coin.address, data },
        });
        const intent = { id: freshIntentId(), sender: nodeName(node), payload };
        const step = await group.assemble(intent, overlay);
        if ("inputs" in step) {
          expect(await group.refusalsOf(step, overlay)).to.deep.equal([]);
          const { inputs, outputs } = group.netOf(step);
          overlay.apply(inputs, outputs);
          flying.push(step);
        } else ends.reverted += 1;
        if (random.chance(0.15)) land();
      }
      land();
      const balances = await Promise.all(
        holders.map((holder) => coin.call("alice", "balanceOf", [holder])),
      );
      const sum = balances.reduce((a: bigint, b) => a + (b as bigint), 0n);
      expect(sum).to.equal(SUPPLY);
      expect(ends.landed).to.be.greaterThan(20);
      expect(ends.fell).to.be.greaterThan(5);
      expect(ends.reverted).to.be.greaterThan(5);
    });
});
