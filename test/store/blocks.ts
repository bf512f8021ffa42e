import { expect } from "chai";

import { StoreError } from "../../src/store/store-error.ts";
import { aBlock, aTransition } from "../helpers/blocks.ts";
import { groupAt, intentId, withEachStore, word } from "../helpers/stores.ts";

const group = groupAt(1);

describe("the table of blocks", () => {
  withEachStore((store) => {
    it("knows its head, and nothing before the first block", () => {
      const { blocks } = store();
      expect(blocks.head()).to.equal(undefined);
      blocks.add(aBlock(3));
      blocks.add({ number: 7, hash: word(7) });
      expect(blocks.head()).to.deep.equal({ number: 7, hash: word(7) });
      expect(blocks.hashAt(3)).to.equal(word(3));
      expect(blocks.hashAt(5)).to.equal(undefined);
    });

    it("refuses a block that does not lie above the head", () => {
      const { blocks } = store();
      blocks.add(aBlock(3));
      expect(() => {
        blocks.add(aBlock(3));
      }).to.throw("Block 3 cannot follow block 3.");
    });

    it("tells where an intent was fulfilled", () => {
      const { blocks } = store();
      blocks.add(aBlock(4, 1, 2));
      expect(blocks.fulfilment(group, intentId(5))).to.deep.equal({
        block: 4,
        transactionHash: word(2_002),
        transactionIndex: 3,
        logIndex: 2,
        transitionHash: word(1_002),
      });
      expect(blocks.fulfilment(group, intentId(6))).to.equal(undefined);
      expect(blocks.fulfilment(groupAt(2), intentId(5))).to.equal(undefined);
      expect(blocks.transitionOf(group, intentId(5))).to.deep.equal({
        ...aTransition(2),
        block: 4,
      });
      expect(blocks.transitionOf(group, intentId(6))).to.equal(undefined);
      expect(blocks.transitionOf(groupAt(2), intentId(5))).to.equal(undefined);
    });

    it("takes later blocks back, and gives what they did, newest first", () => {
      const { blocks } = store();
      blocks.add(aBlock(4, 1));
      blocks.add(aBlock(6, 2, 3));
      blocks.add(aBlock(9, 4));
      const later = [
        { ...aTransition(2), block: 6 },
        { ...aTransition(3), block: 6 },
        { ...aTransition(4), block: 9 },
      ];
      expect(blocks.transitionsAbove(5)).to.deep.equal(later);
      expect(blocks.revertTo(5)).to.deep.equal(later.toReversed());
      expect(blocks.head()).to.deep.equal({ number: 4, hash: word(4) });
      expect(blocks.fulfilment(group, intentId(4))).to.equal(undefined);
      expect(blocks.fulfilment(group, intentId(2))?.block).to.equal(4);
      expect(blocks.revertTo(5)).to.deep.equal([]);
    });

    it("has the anchor as its head when no earlier hash is left", () => {
      const { blocks } = store();
      blocks.add(aBlock(4, 1));
      blocks.add(aBlock(9, 4));
      blocks.prune(8);
      const anchor = { number: 5, hash: word(5) };
      blocks.revertTo(5, anchor);
      expect(blocks.head()).to.deep.equal(anchor);
      expect(blocks.fulfilment(group, intentId(2))?.block).to.equal(4);
      // Where one is left, nothing is added.
      blocks.revertTo(5, { number: 3, hash: word(3) });
      expect(blocks.head()).to.deep.equal(anchor);
    });

    it("takes a transition again that comes back in another block", () => {
      const { blocks } = store();
      blocks.add(aBlock(4, 1));
      blocks.revertTo(3);
      blocks.add(aBlock(5, 1));
      expect(blocks.fulfilment(group, intentId(2))?.block).to.equal(5);
    });

    it("prunes hashes, but never the head or a transition", () => {
      const { blocks } = store();
      blocks.add(aBlock(4, 1));
      blocks.add(aBlock(5));
      blocks.prune(5);
      expect(blocks.hashAt(4)).to.equal(undefined);
      blocks.prune(100);
      expect(blocks.head()?.number).to.equal(5);
      expect(blocks.fulfilment(group, intentId(2))?.block).to.equal(4);
    });

    it("takes in what happened to a group before this node joined it", () => {
      const { blocks } = store();
      blocks.add(aBlock(9));
      blocks.backfill({ ...aTransition(1), block: 4 });
      expect(blocks.fulfilment(group, intentId(2))?.block).to.equal(4);
      expect(blocks.head()?.number).to.equal(9);
    });

    it("names the table and the key of a damaged transition", () => {
      const { blocks, database } = store();
      blocks.add(aBlock(4, 1));
      database.write(() =>
        database.run("UPDATE transitions SET inputs = '[1'"),
      );
      expect(() => blocks.transitionsAbove(0))
        .to.throw(StoreError, `${word(1_001)} of table transitions`)
        .with.property("code", "CORRUPT");
    });
  });
});
