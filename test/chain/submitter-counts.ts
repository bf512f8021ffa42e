import { expect } from "chai";
import hre from "hardhat";

import { parseHex } from "../../src/ledger/index.ts";
import type { Digest } from "../../src/protocol/ids.ts";
import { openChainClient } from "../../src/chain/client/open.ts";
import type { ChainClient } from "../../src/chain/ports.ts";
import { impatientTimers } from "../helpers/impatient-timers.ts";
import { randomFrom } from "../helpers/random.ts";
import { aPayer, SubmitterRig } from "../helpers/submitter-rig.ts";

describe("runtime: counts of transactions that are wrong", function () {
  this.timeout(20_000);

  const payer = aPayer(5);
  const { address } = payer;
  const to = aPayer(9).address;
  const data = parseHex("0x");
  let chain: ChainClient;
  let rig: SubmitterRig;
  /** Makes a wrong count of a right one. */
  let bend: (count: number, tag: unknown) => number;

  beforeEach(async () => {
    chain = openChainClient((await hre.network.create()).provider);
    rig = new SubmitterRig([payer]);
    bend = (count) => count;
  });
  afterEach(async () => {
    await rig.stop();
  });

  const start = (options = {}): void => {
    const client: ChainClient = {
      ...chain,
      request: async (method, params) => {
        const answer = await chain.request(method, params);
        return method === "eth_getTransactionCount"
          ? `0x${bend(Number(answer), params[1]).toString(16)}`
          : answer;
      },
    };
    rig.start(client, [], options, impatientTimers);
  };
  const send = (): Digest => rig.submitPublic({ payer }, { to, data });
  const countOf = async (): Promise<number> =>
    Number(await chain.request("eth_getTransactionCount", [address, "latest"]));

  for (const tag of ["pending", "an indexed block"])
    it(`are refused when they are absurd (${tag})`, async () => {
      bend = (count, asked) =>
        (asked === "pending") === (tag === "pending") ? 10 ** 10 : count;
      start();
      const call = send();
      await rig.index.until(() => rig.troubles.length > 0);
      expect(rig.troubles[0]?.message).to.match(/10000000000 transactions/);
      bend = (count) => count;
      expect((await rig.endOf(call)).transaction.nonce).to.equal(0);
      expect(await countOf()).to.equal(1);
    });

  it("do not keep a transaction that once got an absurd nonce from happening", async () => {
    start();
    await rig.endOf(send());
    await chain.request("evm_setAutomine", [false]);
    const call = send();
    await rig.untilAll([call], "submitted");
    await rig.stop();
    rig.database.write(() =>
      rig.database.run(
        "UPDATE submissions SET nonce = 10000000000 WHERE nonce = 1",
      ),
    );
    await chain.request("hardhat_dropTransaction", [
      rig.database.get("SELECT hashes FROM submissions WHERE nonce > 1")?.[
        "hashes"
      ],
    ]);
    await chain.request("evm_setAutomine", [true]);
    start();
    const { transaction, failure } = await rig.endOf(call);
    expect(transaction.nonce).to.equal(1);
    expect(failure).to.equal(undefined);
    expect(await countOf()).to.equal(2);
  });

  it("do not make it use a nonce twice, whichever backend answers", async () => {
    const random = randomFrom(7);
    start({ settleBlocks: 1 });
    const digests: Digest[] = [];
    for (let i = 0; i < 20; i++) {
      // Also after a restart, with nothing but the disk to remember.
      if (i % 5 === 4) {
        await rig.stop();
        start({ settleBlocks: 1 });
      }
      bend = (count) => (random.chance(0.4) ? random.below(count + 1) : count);
      const digest = send();
      digests.push(digest);
      expect((await rig.endOf(digest)).failure).to.equal(undefined);
      await chain.request("evm_mine", []);
    }
    expect(await countOf()).to.equal(20);
    const nonces = digests.map(
      (digest) =>
        rig.ends.findLast((end) => end.digest === digest)?.transaction.nonce,
    );
    expect(nonces).to.deep.equal([...digests.keys()]);
  });
});
