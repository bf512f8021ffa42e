import { expect } from "chai";
import hre from "hardhat";

import { parseHex } from "../../src/ledger/index.ts";
import { Chain } from "../../src/chain/chain.ts";
import { openChainClient } from "../../src/chain/client/open.ts";
import type { ChainClient } from "../../src/chain/ports.ts";
import { impatientTimers } from "../helpers/impatient-timers.ts";
import { randomFrom } from "../helpers/random.ts";
import { aPayer, SubmitterRig } from "../helpers/submitter-rig.ts";

describe("runtime: submitter among backends that stray", function () {
  this.timeout(20_000);

  const payer = aPayer(5);
  const to = aPayer(9).address;
  let chain: ChainClient;
  let rig: SubmitterRig;

  beforeEach(async () => {
    chain = await openChain();
    rig = new SubmitterRig([payer]);
  });
  afterEach(async () => {
    await rig.stop();
  });

  const openChain = async (): Promise<ChainClient> =>
    openChainClient((await hre.network.create()).provider);

  it("believes no receipt of another chain in a block that is not remembered", async () => {
    // It has the same id, and the payer has money there too.
    const stranger = await openChain();
    await stranger.request("hardhat_mine", ["0x2"]);
    // What is indexed begins above the block in which the other chain has the transaction.
    await chain.request("hardhat_mine", ["0x8"]);
    await chain.request("evm_setAutomine", [false]);
    let isStray = true;
    let asked = 0;
    const client: ChainClient = {
      ...chain,
      request: async (method, params) => {
        const strayMethods = [
          "eth_sendRawTransaction",
          "eth_getTransactionCount",
          "eth_getTransactionReceipt",
        ];
        if (!isStray || !strayMethods.includes(method))
          return await chain.request(method, params);
        if (method === "eth_getTransactionReceipt") asked++;
        const [address] = params;
        return await stranger.request(
          method,
          method === "eth_getTransactionCount" ? [address, "latest"] : params,
        );
      },
    };
    rig.start(client, [], {}, impatientTimers);
    const call = rig.submitPublic({ payer }, { to, data: parseHex("0x") });
    while (asked < 5 && rig.ends.length === 0) await rig.index.turn();
    expect(rig.ends).to.deep.equal([]);
    isStray = false;
    await chain.request("evm_setAutomine", [true]);
    const end = await rig.endOf(call);
    const receipt = await new Chain(chain).receiptOf(
      end.place?.transactionHash ?? "",
    );
    expect(receipt?.blockNumber).to.equal(end.place?.block);
    expect(end.place?.block).to.be.above(8);
  });

  it("finds a transaction again in a block whose hash is not kept any more", async () => {
    rig.start(chain, [], {}, impatientTimers);
    const first = rig.submitPublic({ payer }, { to, data: parseHex("0x") });
    const { place } = await rig.endOf(first);
    await chain.request("evm_mine", []);
    await rig.stop();
    rig.ends.length = 0;
    // As after a long time: the block is indexed, and only later hashes are left.
    rig.index.forgetBelow((place?.block ?? 0) + 1);
    rig.start(chain, [], {}, impatientTimers);
    await chain.request("evm_mine", []);
    expect((await rig.endOf(first)).place).to.deep.equal(place);
  });

  it("does not take the receipt of another transaction", async () => {
    const hash = await chain.request("eth_sendTransaction", [
      { from: (await accounts())[0], to },
    ]);
    const confused: ChainClient = {
      ...chain,
      request: async (method) => await chain.request(method, [hash]),
    };
    const error = await new Chain(confused)
      .receiptOf(randomFrom(1).bytes32())
      .catch((thrown: unknown) => thrown);
    expect(error).to.include({ name: "ChainError", kind: "unreachable" });
    expect(await new Chain(confused).receiptOf(String(hash))).to.have.property(
      "transactionHash",
      hash,
    );
  });

  const accounts = async (): Promise<readonly string[]> =>
    (await chain.request("eth_accounts", [])) as string[];
});
