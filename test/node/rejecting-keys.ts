import { expect } from "chai";

import { createEndorser, createPayer } from "../../src/keys/secp256k1.ts";
import type { Endorser, Payer } from "../../src/keys/ports.ts";
import { keyOf } from "../helpers/cluster.ts";
import {
  type HandmadeNodes,
  startHandmade,
} from "../helpers/handmade-nodes.ts";

const REJECTIONS = 3;

/** A remote signer that is away a few times. */
async function answer<Signature>(
  count: { left: number },
  sign: () => Signature,
): Promise<Awaited<Signature>> {
  await Promise.resolve();
  if (count.left === 0) return await sign();
  count.left -= 1;
  throw new Error("Nobody answers at https://user:password@vault/keys/7");
}

describe("A node with keys that cannot always be used", function () {
  this.timeout(30_000);
  const unhandled: unknown[] = [];
  const onUnhandled = (error: unknown): void => void unhandled.push(error);
  const count = { left: 0 };
  let nodes: HandmadeNodes;

  const payer = (name: string): Payer => {
    const { address, signTransaction } = createPayer(keyOf(name));
    return {
      address,
      signTransaction: async (unsigned) =>
        await answer(count, () => signTransaction(unsigned)),
    };
  };
  const endorser = (name: string): Endorser => {
    const { address, sign } = createEndorser(keyOf(name));
    return {
      address,
      sign: async (digest) => await answer(count, () => sign(digest)),
    };
  };

  beforeEach(() => {
    count.left = 0;
    unhandled.length = 0;
    process.on("unhandledRejection", onUnhandled);
  });
  afterEach(async () => {
    await nodes.stop();
    process.off("unhandledRejection", onUnhandled);
    expect(unhandled).to.deep.equal([]);
  });

  const mint = async (): Promise<void> => {
    const group = await nodes.createGroup();
    count.left = REJECTIONS;
    const alice = nodes.member("alice");
    const id = await alice.send({
      group: group.address,
      function: "mint(string,uint256)",
      args: { to: "pot", amount: "1" },
    });
    const receipt = await alice.receipt(group.address, id);
    expect(receipt.type).to.equal("Confirmed");
    expect(count.left).to.equal(0);
  };
  /** What was told of trouble of a kind, in order. */
  const troubles = (kind: string): readonly (string | undefined)[] =>
    nodes.facts.flatMap(([, fact]) =>
      fact.type === kind && "reason" in fact ? [fact.reason] : [],
    );

  it("tells that a payer is in trouble, and tries again", async () => {
    nodes = await startHandmade(["alice"], {
      replace: (name) => ({ payers: [payer(name)] }),
    });
    await mint();
    const { address } = createPayer(keyOf("alice"));
    await nodes.until(() => troubles("PayerTrouble").length > 1);
    const told = troubles("PayerTrouble");
    expect(told).to.deep.equal([
      `The key of ${address} cannot be used: Nobody answers at https://vault`,
      undefined,
    ]);
  });

  it("tells that it cannot endorse, and tries again", async () => {
    nodes = await startHandmade(["alice", "bob"], {
      replace: (name) => (name === "bob" ? { endorser: endorser(name) } : {}),
    });
    await mint();
    const told = troubles("EndorserTrouble");
    expect(told).to.have.lengthOf(REJECTIONS + 1);
    expect(told[0]).to.equal("Nobody answers at https://vault");
    expect(told.at(-1)).to.equal(undefined);
  });
});
