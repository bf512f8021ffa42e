import { expect } from "chai";
import hre from "hardhat";

import { openChainClient } from "../../src/chain/client/open.ts";
import { RateLimit } from "../../src/chain/client/rate-limit.ts";
import type { ChainClient } from "../../src/chain/ports.ts";
import { ChainFarm } from "../helpers/chain-farm/farm.ts";
import { ChainRecord } from "../helpers/chain-farm/record.ts";
import { type HttpEndpoint, serveOverHttp } from "../helpers/http-endpoint.ts";
import { impatientTimers } from "../helpers/impatient-timers.ts";
import { randomFrom } from "../helpers/random.ts";
import { openTestLedger } from "../helpers/runtime-ledger.ts";
import { aPayer, SubmitterRig } from "../helpers/submitter-rig.ts";

const farmFaults = {
  hideLogs: 0.2,
  loseReceipts: 0.1,
  loseBlocks: 0.05,
  rateLimit: 0.02,
};

const batchFaults = {
  refuse: 0.05,
  cut: 0.05,
  rateLimit: 0.02,
  miss: 0.1,
  fail: 0.05,
  lateMsMax: 5,
};

describe("runtime: indexer and submitter over batches in which much goes wrong", function () {
  this.timeout(120_000);

  for (let seed = 1; seed <= 6; seed++)
    it(`gets everything mined and told once (seed ${seed})`, async () => {
      const random = randomFrom(seed);
      const chain = openChainClient((await hre.network.create()).provider);
      const ledger = await openTestLedger(chain);
      const groups = [await ledger.createGroup(), await ledger.createGroup()];
      const record = new ChainRecord(chain);
      const farm = new ChainFarm(
        { backends: 3, lagMax: 2, faults: farmFaults },
        { record, random: randomFrom(100 + seed) },
      );
      const endpoint = await serveOverHttp(farm, batchFaults, random);
      const client = openOver(endpoint);
      const rig = new SubmitterRig([aPayer(5), aPayer(6)]);
      await chain.request("evm_setAutomine", [false]);
      const options = { resubmitBlocks: 2, resendMs: 500, sendsAtOnce: 4 };
      rig.start(client, groups, options, impatientTimers);

      let submitted = 0;
      for (let round = 0; round < 12; round++) {
        for (let i = random.below(5); i > 0; i--, submitted++) {
          const group = random.pick(groups);
          rig.submit(group, group.endorse());
        }
        await chain.request("evm_mine", []);
        await rig.index.turn();
      }
      const confirmed = (): number =>
        groups.flatMap(({ address }) => rig.index.transitionsOf(address))
          .length;
      // The faults last: what is sent gets through nevertheless.
      for (let i = 0; i < 2_000 && confirmed() < submitted; i++) {
        await chain.request("evm_mine", []);
        await rig.index.turn();
      }
      expect(confirmed(), `seed ${seed}`).to.equal(submitted);
      expect(endpoint.batches(), `seed ${seed}`).to.be.above(5);
      expect(rig.index.reverts).to.deep.equal([]);
      await rig.stop();
      await client.close();
      await endpoint.stop();
    });
});

function openOver({ url }: HttpEndpoint): ChainClient {
  const rateLimit = new RateLimit({ timers: impatientTimers });
  return openChainClient(url, { rateLimit });
}
