import { expect } from "chai";

import { decodeMessage, encodeMessage } from "../../src/protocol/codec.ts";
import type { Message } from "../../src/protocol/messages.ts";
import { messageTypes } from "../../src/simulation/liars/hearsay.ts";
import { edgeHeights } from "../../src/simulation/liars/heights.ts";
import { liarKindNames } from "../../src/simulation/liars/kinds.ts";
import { simulate } from "../../src/simulation/simulate.ts";

const seeds = Array.from({ length: 40 }, (_, i) => i + 1);

describe("Simulated liars", function () {
  this.timeout(60_000);

  it("say things of every type, all of which pass the codec", () => {
    const said = new Set<Message["type"]>();
    const malformed = new Set<Message["type"]>();
    const overhear = (message: Message): void => {
      const { type } = decodeMessage(encodeMessage(message));
      (type === "message" ? said : malformed).add(message.type);
    };
    for (const seed of seeds)
      simulate({ seed, faults: "byzantine", liar: "precise", overhear });
    expect([...malformed]).to.deep.equal([]);
    expect([...said].sort()).to.deep.equal([...messageTypes].sort());
  });

  it("speak of the blocks around every boundary", () => {
    const rules = { rangeSizeBlocks: 8, validForBlocks: 10 };
    const edges = edgeHeights(21, rules);
    for (const block of [20, 21, 22, 15, 16, 17, 23, 24, 25, 30, 31, 32])
      expect(edges).to.include(block);
  });

  for (const liar of liarKindNames)
    it(`do the same thing again for the same seed: ${liar}`, () => {
      const options = { seed: 5, faults: "byzantine", liar } as const;
      const once = simulate(options);
      const again = simulate({ ...options, transcript: () => undefined });
      expect(again.traceHash).to.equal(once.traceHash);
      expect(once.liar?.kind).to.equal(liar);
    });

  it("tell the truth in the end, and not before all others have what they want", () => {
    const options = { faults: "byzantine", liar: "precise" } as const;
    const lasting = seeds.map((seed) =>
      simulate({ ...options, seed, isLasting: true }),
    );
    for (const { violation } of lasting)
      expect(violation?.message).to.equal(undefined);
    expect(lasting.some(({ liar }) => liar?.isLasting === true)).to.equal(true);
  });
});
