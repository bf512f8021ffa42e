import { expect } from "chai";
import hre from "hardhat";

import {
  outputStateIds,
  parseCommitment,
  parseIntentId,
  type TransitionParts,
} from "../../../src/ledger/index.ts";
import { openChainClient } from "../../../src/runtime/ledger/client/open.ts";
import { executeGasMax } from "../../../src/runtime/ledger/submitter/gas.ts";
import type { ChainClient } from "../../../src/runtime/ports.ts";
import { randomFrom } from "../../helpers/random.ts";
import {
  openTestLedger,
  type TestGroup,
  type TestLedger,
} from "../../helpers/runtime-ledger.ts";

describe("runtime: gas of transitions", function () {
  this.timeout(60_000);

  let client: ChainClient;
  let ledger: TestLedger;
  before(async () => {
    client = openChainClient((await hre.network.create()).provider);
    ledger = await openTestLedger(client);
  });
  const random = randomFrom(7);
  const some = <Item>(count: number, make: () => Item): readonly Item[] =>
    Array.from({ length: count }, make);

  /** Runs a transition with exactly the limit, and compares it with what was used. */
  const run = async (
    group: TestGroup,
    parts: Partial<TransitionParts>,
  ): Promise<{ readonly used: number; readonly limit: number }> => {
    const { transition, data, signatures } = group.endorse(parts);
    const signers = (1n << BigInt(signatures)) - 1n;
    const limit = executeGasMax(transition, { data, signers });
    if (limit === undefined) throw new Error("There is no limit.");
    const hash = (await client.request("eth_sendTransaction", [
      {
        from: ledger.account,
        to: group.to,
        data,
        gas: `0x${limit.toString(16)}`,
      },
    ])) as string;
    const receipt = await ledger.chain.receiptOf(hash);
    expect(receipt?.isSuccess).to.equal(true);
    return { used: Number(receipt?.gasUsed), limit: Number(limit) };
  };

  for (const members of [1, 3, 10])
    it(`never needs more than the formula says, and not much less, with ${members} members`, async () => {
      const group = await ledger.createGroup(members);
      const neighbours = (count: number): TransitionParts["intents"] =>
        some(count, () => group.endorse().transition.intents).flat();
      const strangers = (count: number): TransitionParts["intents"] =>
        some(count, () => parseIntentId(random.bytes32()));
      const outputs = (count: number): TransitionParts["outputs"] =>
        some(count, () => parseCommitment(random.bytes32()));
      const states = async (
        count: number,
      ): Promise<ReturnType<typeof outputStateIds>> => {
        const parts = { intents: neighbours(1), outputs: outputs(count) ?? [] };
        const endorsed = group.endorse(parts);
        await client.request("eth_sendTransaction", [
          {
            from: ledger.account,
            to: group.to,
            data: endorsed.data,
            gas: "0xf00000",
          },
        ]);
        return outputStateIds(endorsed.transition);
      };
      const shapes: readonly Partial<TransitionParts>[] = [
        { intents: neighbours(1), outputs: [] },
        { intents: strangers(1), outputs: [] },
        { intents: neighbours(300), outputs: [] },
        { intents: strangers(100), outputs: outputs(1) ?? [] },
        { outputs: outputs(200) ?? [] },
        { inputs: await states(100), outputs: outputs(100) ?? [] },
        { inputs: await states(10), outputs: outputs(40) ?? [] },
        { reads: await states(100), outputs: [] },
        {
          intents: [...neighbours(20), ...strangers(20)],
          inputs: await states(7),
          reads: await states(5),
          outputs: outputs(9) ?? [],
        },
      ];
      for (const [i, shape] of shapes.entries()) {
        const { used, limit } = await run(group, shape);
        expect(used, `shape ${i}`).to.be.at.most(limit);
        expect(limit, `shape ${i}`).to.be.at.most(2 * used + 20_000);
      }
    });

  it("leaves external calls to the node", async () => {
    const group = await ledger.createGroup();
    const calls = [{ target: ledger.factory, data: group.endorse().data }];
    const { transition, data } = group.endorse({ calls });
    expect(executeGasMax(transition, { data, signers: 7n })).to.equal(
      undefined,
    );
  });
});
