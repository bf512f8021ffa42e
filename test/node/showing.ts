import { expect } from "chai";

import { Showing } from "../../src/node/showing.ts";
import { LoneNode, rank } from "../helpers/lone-node.ts";
import { aStep, bundleOf, intent } from "../helpers/simulated-group.ts";
import { groupAt } from "../helpers/stores.ts";

const [asker, other] = [rank(1), rank(2)];
const { id } = intent(1, "");
const bundle = bundleOf([aStep({ intentId: id, sender: asker })], 10);
const { sequencer } = new LoneNode({ self: rank(0) });

describe("Steps that members want to see", () => {
  it("cost a bounded number of bundles for each member, whatever the groups are", () => {
    let reads = 0;
    const shownTo: string[] = [];
    const showing = new Showing({
      bundles: {
        find: () => {
          reads += 1;
          return bundle;
        },
      },
      send: (to) => shownTo.push(to),
    });
    const { digest } = bundle;
    const effect = { type: "ShowStep", to: asker, id, digest } as const;
    for (let group = 0; group < 100; group++)
      showing.show({ stored: { address: groupAt(group) }, sequencer }, effect);
    expect(reads).to.equal(16);
    const stored = { address: groupAt(1) };
    showing.show({ stored, sequencer }, { ...effect, to: other });
    expect(reads).to.equal(17);
    showing.renew();
    showing.show({ stored, sequencer }, effect);
    expect(reads).to.equal(18);
    expect(new Set(shownTo)).to.deep.equal(new Set([asker]));
  });
});
