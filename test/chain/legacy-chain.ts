import { expect } from "chai";
import hre from "hardhat";

import { openChainClient } from "../../src/chain/client/open.ts";
import { type ChainClient, ChainError } from "../../src/chain/ports.ts";
import { openTestLedger } from "../helpers/runtime-ledger.ts";
import { aPayer, SubmitterRig } from "../helpers/submitter-rig.ts";

/** A chain that knows nothing of EIP-1559, and says so as some nodes do. */
function withoutBaseFee(
  client: ChainClient,
  baseFee: { readonly baseFeePerGas?: null },
): ChainClient {
  return {
    ...client,
    request: async (method, params) => {
      if (method === "eth_maxPriorityFeePerGas")
        throw new ChainError("refused", "There is no such method.", {
          code: -32_601,
        });
      if (
        method === "eth_sendRawTransaction" &&
        String(params[0]).startsWith("0x02")
      )
        throw new ChainError("refused", "transaction type not supported", {
          code: -32_000,
        });
      const answer = await client.request(method, params);
      if (!method.startsWith("eth_getBlockBy")) return answer;
      const { baseFeePerGas: _, ...block } = answer as {
        baseFeePerGas?: unknown;
      };
      return { ...block, ...baseFee };
    },
  };
}

describe("runtime: a chain without a base fee", function () {
  this.timeout(60_000);

  for (const [name, baseFee] of [
    ["leaves it out", {}],
    ["says null", { baseFeePerGas: null }],
  ] as const)
    it(`is followed and used if it ${name}`, async () => {
      const client = openChainClient((await hre.network.create()).provider);
      const ledger = await openTestLedger(client);
      const group = await ledger.createGroup();
      const rig = new SubmitterRig([aPayer(5)]);
      rig.start(withoutBaseFee(client, baseFee), [group]);
      rig.submit(group, group.endorse());
      const mined = () => rig.index.transitionsOf(group.address).length;
      await rig.index.until(() => mined() + rig.failures.length > 0);
      expect(rig.failures).to.deep.equal([]);
      expect(mined()).to.equal(1);
      const hash = rig.index.blocks.flatMap((block) => block.transitions)[0]
        ?.transactionHash;
      const sent = await client.request("eth_getTransactionByHash", [hash]);
      expect(sent).to.include({ type: "0x0" });
      await rig.stop();
    });
});
