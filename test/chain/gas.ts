import { expect } from "chai";
import hre from "hardhat";

import {
  type Address,
  buildTransition,
  type ExternalCall,
  MEMBERS_MAX,
  outputStateIds,
  parseCommitment,
  parseHex,
  parseIntentId,
  parseStateId,
  parseUint64,
  type TransitionParts,
} from "../../src/ledger/index.ts";
import { limits } from "../../src/protocol/limits.ts";
import { openChainClient } from "../../src/chain/client/open.ts";
import {
  executeGasMax,
  executeGasWorst,
  TRANSACTION_GAS_MAX,
} from "../../src/chain/submitter/gas.ts";
import type { ChainClient } from "../../src/chain/ports.ts";
import { randomFrom } from "../helpers/random.ts";
import {
  openTestLedger,
  type TestGroup,
  type TestLedger,
} from "../helpers/runtime-ledger.ts";

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

  /** Burns as much gas as the first word of its data says, and a little more. */
  const BURNER = "0x600c8060095f395ff35a5b5a81035f35116001570000";
  const burn = (target: Address, gas: number): ExternalCall => ({
    target,
    data: parseHex(`0x${gas.toString(16).padStart(64, "0")}`),
    gasMin: parseUint64(gas + 200),
  });

  it("gives external calls what they were signed for, without asking the node", async () => {
    const burner = await ledger.deploy(BURNER);
    for (const members of [1, 10]) {
      const group = await ledger.createGroup(members, { externalCalls: true });
      for (const gases of [
        [0],
        [100_000],
        [3_000_000, 50_000],
        [20, 2_900_000],
        some(16, () => 300_000),
      ]) {
        const calls = gases.map((gas) => burn(burner, gas));
        const { used, limit } = await run(group, { calls });
        expect(used).to.be.at.most(limit);
        expect(limit, `${gases.length} calls`).to.be.at.most(2 * used + 20_000);
      }
    }
  });

  it("gives each target its minimum, however little those before it need", async () => {
    const burner = await ledger.deploy(BURNER);
    const group = await ledger.createGroup(1, { externalCalls: true });
    const calls = [burn(burner, 10), burn(burner, 5_000_000)];
    await run(group, { calls });
    const [idle] = calls;
    if (idle === undefined) throw new Error("There is no call.");
    await run(group, {
      calls: [...calls.slice(1), { ...idle, gasMin: parseUint64(900_000) }],
    });
  });

  describe("of the largest bundles", () => {
    const strangers = (count: number) =>
      some(count, () => parseIntentId(random.bytes32()));
    const outputs = (count: number) =>
      some(count, () => parseCommitment(random.bytes32()));

    it("fits a transaction, with every signature that there may be", async () => {
      const group = await ledger.createGroup(MEMBERS_MAX);
      const { limit, used } = await run(group, {
        intents: strangers(limits.bundle),
        outputs: outputs(limits.bundleStates),
      });
      expect(limit).to.be.below(Number(TRANSACTION_GAS_MAX));
      expect(used).to.be.above(15_000_000);
    });

    it("fits a transaction, whatever the steps are made of", () => {
      for (let i = 0; i < 300; i++) {
        const intents = strangers(1 + random.below(limits.bundle));
        const changed = random.below(limits.bundleStates + 1);
        const spent = random.below(changed + 1);
        const reads = limits.bundleStates - changed;
        const parts = {
          epoch: 0n,
          intents,
          inputs: some(spent, () => parseStateId(random.bytes32())),
          reads: some(reads, () => parseStateId(random.bytes32())),
          outputs: outputs(changed),
        };
        const gas = executeGasWorst(buildTransition(parts), MEMBERS_MAX);
        expect(gas <= TRANSACTION_GAS_MAX, `${gas}`).to.equal(true);
      }
    });

    it("fits a transaction, if one step has all the calls that it may have", () => {
      const bytes = limits.callsDigits / 2 / limits.calls;
      const gasMin = parseUint64(Math.floor(limits.callsGas / limits.calls));
      const transition = buildTransition({
        epoch: 0n,
        intents: strangers(1),
        reads: some(limits.states, () => parseStateId(random.bytes32())),
        outputs: outputs(limits.states),
        calls: some(limits.calls, () => ({
          target: ledger.factory,
          data: parseHex(`0x${"ff".repeat(bytes)}`),
          gasMin,
        })),
      });
      const gas = executeGasWorst(transition, MEMBERS_MAX);
      expect(gas <= TRANSACTION_GAS_MAX, `${gas}`).to.equal(true);
    });

    it("is never more than a transaction may have, even where that is too little", async () => {
      const group = await ledger.createGroup(1);
      const { transition, data } = group.endorse({ outputs: outputs(1_000) });
      expect(executeGasWorst(transition, 1) > TRANSACTION_GAS_MAX).to.equal(
        true,
      );
      expect(executeGasMax(transition, { data, signers: 1n })).to.equal(
        TRANSACTION_GAS_MAX,
      );
    });
  });
});
