import { expect } from "chai";

import {
  type Address,
  buildGroupConfig,
  buildTransition,
  decodeLogs,
  encodeCreateGroup,
  encodeExecute,
  type Hex,
  ledgerDomain,
  ledgerErrorOf,
  packEndorsements,
  parseAddress,
  parseBytes32,
  parseCommitment,
  parseHex,
  parseIntentId,
  privacyGroupFactoryInterface,
  privacyGroupInterface,
  topicOf,
  type Transition,
  transitionDigest,
} from "../../../src/ledger/index.ts";
import { readArtifact } from "../../../src/plugin/deployment/artifacts.ts";
import { Chain } from "../../../src/chain/chain.ts";
import { LogBlooms } from "../../../src/chain/indexer/bloom.ts";
import { verdictOf } from "../../../src/chain/submitter/verdict.ts";
import type { Receipt } from "../../../src/chain/values.ts";
import { ChainError } from "../../../src/chain/ports.ts";
import { signersInOrder } from "../../helpers/keys.ts";
import {
  aTestAccount,
  type ChainUnderTest,
  type TestAccount,
} from "../../helpers/ports/chain-under-test.ts";

const SALT = parseBytes32(`0x${"5a".repeat(32)}`);
const GWEI = 1_000_000_000n;
const id = (number: number): string =>
  `0x${number.toString(16).padStart(64, "0")}`;

/** What every chain does whose clients implement the port, as far as indexer and submitter rely on it. */
export function describeChain(
  name: string,
  open: () => Promise<ChainUnderTest>,
): void {
  describe(`chain: ${name}`, function () {
    this.timeout(30_000);
    const signers = signersInOrder(3);
    const config = buildGroupConfig({
      members: signers.map(({ address }) => address),
      threshold: 2,
      externalCalls: false,
    });
    let test: ChainUnderTest;
    let chain: Chain;
    let deployer: TestAccount;
    let user: TestAccount;
    let factory: Address;
    let group: Address;

    const send = async (raw: Hex): Promise<string> =>
      String(await test.client.request("eth_sendRawTransaction", [raw]));
    const mined = async (raw: Hex): Promise<Receipt> => {
      const hash = await send(raw);
      await test.mine();
      const receipt = await chain.receiptOf(hash);
      if (receipt === undefined) throw new Error("It was not mined.");
      return receipt;
    };
    const refusal = async (request: Promise<unknown>): Promise<ChainError> => {
      try {
        await request;
      } catch (error) {
        if (error instanceof ChainError) return error;
        throw error;
      }
      throw new Error("It was not refused.");
    };
    const executing = (
      parts: Partial<Transition> = {},
      endorsers = signers.slice(0, 2),
    ): Hex => {
      const transition = {
        ...buildTransition({
          epoch: 0n,
          intents: [parseIntentId(id(1))],
          outputs: [parseCommitment(id(2))],
        }),
        ...parts,
      };
      const domain = ledgerDomain({ chainId: 31_337n, group });
      const digest = transitionDigest(domain, transition);
      return encodeExecute(
        transition,
        packEndorsements(
          config,
          endorsers.map(({ address, sign }) => ({
            member: address,
            signature: sign(digest),
          })),
        ),
      );
    };

    beforeEach(async () => {
      test = await open();
      chain = new Chain(test.client);
      [deployer, user] = [aTestAccount(0), aTestAccount(1)];
      const data = parseHex(readArtifact("PrivacyGroupFactory").bytecode);
      const deployed = await mined(
        await deployer.sign({ data, gasLimit: 16_000_000n }),
      );
      factory = parseAddress(deployed.contractAddress);
      const created = await mined(
        await user.sign({ to: factory, data: encodeCreateGroup(config, SALT) }),
      );
      const [fact] = decodeLogs(created.logs);
      if (fact?.type !== "GroupCreated") throw new Error("There is no group.");
      group = fact.group;
    });
    afterEach(async () => {
      await test.close();
    });

    it("links blocks by their hashes, and has none above its head", async () => {
      await test.mine();
      expect(await chain.chainId()).to.equal(31_337n);
      const head = await chain.header("latest");
      if (head === undefined) throw new Error("There is no head.");
      expect(head.number).to.equal(3);
      expect(Number(await test.client.request("eth_blockNumber", []))).to.equal(
        3,
      );
      for (let number = 3; number > 0; number--) {
        const [block, parent] = [
          await chain.header(number),
          await chain.header(number - 1),
        ];
        expect(block?.parentHash).to.equal(parent?.hash);
        expect(await chain.headerOf(block?.hash ?? "")).to.deep.equal(block);
        expect(block?.timestamp).to.be.at.least(parent?.timestamp ?? Infinity);
      }
      expect(await chain.header(4)).to.equal(undefined);
      expect(await chain.headerOf(id(4))).to.equal(undefined);
    });

    it("puts a group where the factory says, with its configuration as code", async () => {
      const asked = privacyGroupFactoryInterface.encodeFunctionData(
        "groupAddress",
        [user.address, config, SALT],
      );
      const answer = await chain.call({ to: factory, data: asked }, "latest");
      expect(parseAddress(`0x${answer.slice(26)}`)).to.equal(group);
      const implementation = await chain.call(
        {
          to: factory,
          data: privacyGroupFactoryInterface.encodeFunctionData(
            "implementation",
          ),
        },
        "latest",
      );
      expect(await chain.codeAt(group)).to.equal(
        `0x363d3d373d3d3d363d73${implementation.slice(26)}5af43d82803e903d91602b57fd5bf30002${config.members.map((member) => member.slice(2).padStart(64, "0")).join("")}`,
      );
      expect(await chain.codeAt(id(7).slice(0, 42))).to.equal("0x");
      const committee = await chain.call(
        {
          to: group,
          data: privacyGroupInterface.encodeFunctionData("committee"),
        },
        "latest",
      );
      expect(committee).to.equal(
        privacyGroupInterface.encodeFunctionResult("committee", [
          0n,
          config.members,
          2,
        ]),
      );
    });

    it("says why it does not create the same group again", async () => {
      const data = encodeCreateGroup(config, SALT);
      const error = await refusal(
        chain.call({ from: user.address, to: factory, data }, "latest"),
      );
      expect(error.kind).to.equal("refused");
      expect(ledgerErrorOf(error)).to.deep.equal({
        type: "PrivacyGroupFactoryGroupExists",
        group,
      });
      const receipt = await mined(await user.sign({ to: factory, data }));
      expect(receipt).to.include({ isSuccess: false });
      expect(receipt.logs).to.deep.equal([]);
    });

    it("logs a transition, and finds it by block, range, address and topic", async () => {
      const raw = await user.sign({ to: group, data: executing() });
      const receipt = await mined(raw);
      expect(receipt).to.include({ isSuccess: true, blockNumber: 3 });
      const [fact] = decodeLogs(receipt.logs);
      expect(fact).to.deep.include({ type: "Transitioned", intents: [id(1)] });
      const topics = [topicOf("Transitioned"), topicOf("IntentFulfilled")];
      const filter = { addresses: [group], topics };
      expect(await chain.logsOf(receipt.blockHash, filter)).to.deep.equal(
        receipt.logs,
      );
      expect(await chain.logsBetween([0, 9], filter)).to.deep.equal(
        receipt.logs,
      );
      expect(
        await chain.logsBetween([0, 9], { ...filter, addresses: [factory] }),
      ).to.deep.equal([]);
      const [last] = receipt.logs.slice(-1);
      expect(
        await chain.logsBetween([0, 9], {
          addresses: undefined,
          topics: topics.slice(0, 1),
        }),
      ).to.deep.equal([last]);
      expect(await chain.logsBetween([0, 2], filter)).to.deep.equal([]);
    });

    it("names the writers of logs in the headers of blocks", async () => {
      await mined(await user.sign({ to: group, data: executing() }));
      const writers = async (number: number): Promise<unknown> => {
        const header = await chain.header(number);
        const watched = { groups: new Set([group]), factory };
        return header && new LogBlooms().writersIn(header, watched);
      };
      expect(await writers(3)).to.deep.equal([group]);
      expect(await writers(2)).to.include(factory);
    });

    it("mines what reverts, says why to those who ask, and changes nothing", async () => {
      await mined(await user.sign({ to: group, data: executing() }));
      const bad: Readonly<Record<string, Hex>> = {
        PrivacyGroupIntentFulfilled: executing(),
        PrivacyGroupWrongEpoch: executing({
          ...buildTransition({ epoch: 1n, intents: [parseIntentId(id(9))] }),
        }),
        PrivacyGroupThresholdNotReached: executing(
          { intents: [parseIntentId(id(9))] },
          signers.slice(0, 1),
        ),
        PrivacyGroupExpired: executing({
          ...buildTransition({
            epoch: 0n,
            intents: [parseIntentId(id(9))],
            validUntil: 2n,
          }),
        }),
        NoReason: parseHex("0x12345678"),
      };
      for (const [type, data] of Object.entries(bad)) {
        const call = { from: user.address, to: group, data };
        for (const request of [
          chain.call(call, "latest"),
          chain.estimateGas(call),
        ]) {
          const error = await refusal(request);
          expect(error.kind, type).to.equal("refused");
          expect(ledgerErrorOf(error)?.type).to.equal(type);
        }
        const receipt = await mined(await user.sign({ to: group, data }));
        expect(receipt.isSuccess, type).to.equal(false);
        expect(receipt.logs).to.deep.equal([]);
      }
      const asked = privacyGroupInterface.encodeFunctionData("isFulfilled", [
        id(9),
      ]);
      expect(
        Number(await chain.call({ to: group, data: asked }, "latest")),
      ).to.equal(0);
    });

    it("transfers money, and takes legacy transactions too", async () => {
      const to = parseAddress(`0x${"c0".repeat(20)}`);
      const [before, had] = [
        await chain.balanceOf(to),
        await chain.balanceOf(user.address),
      ];
      const transfer = { to, value: 5n, gasLimit: 21_000n };
      const receipt = await mined(await user.sign(transfer));
      expect(receipt).to.include({ isSuccess: true, gasUsed: 21_000n });
      const legacy = await mined(
        await user.sign({ ...transfer, legacy: true }),
      );
      expect(legacy).to.include({ isSuccess: true, gasUsed: 21_000n });
      expect(await chain.balanceOf(to)).to.equal(before + 10n);
      const header = await chain.header(receipt.blockNumber);
      const prices = [GWEI + (header?.baseFee ?? 0n), 20n * GWEI];
      const paid = prices.reduce((sum, price) => sum + 21_000n * price, 10n);
      expect(await chain.balanceOf(user.address)).to.equal(had - paid);
    });

    it("counts transactions, and lets those wait whose nonce comes later", async () => {
      const count = async (
        at: number | "latest" | "pending",
      ): Promise<number> => await chain.transactionCount(user.address, at);
      const to = user.address;
      await send(await user.sign({ to, nonce: 1 }));
      await send(await user.sign({ to, nonce: 3 }));
      expect([await count("latest"), await count("pending")]).to.deep.equal([
        1, 2,
      ]);
      await test.mine();
      expect([await count("latest"), await count("pending")]).to.deep.equal([
        2, 2,
      ]);
      await send(await user.sign({ to, nonce: 2 }));
      expect(await count("pending")).to.equal(4);
      await test.mine();
      expect([
        await count(0),
        await count(2),
        await count(3),
        await count(4),
      ]).to.deep.equal([0, 1, 2, 4]);
      expect((await refusal(count(5))).kind).to.equal("refused");
    });

    it("refuses transactions in words that the submitter understands", async () => {
      const to = user.address;
      const verdict = async (raw: Hex): Promise<string> =>
        verdictOf(await refusal(send(raw)));
      expect(await verdict(await user.sign({ to, nonce: 0 }))).to.equal("used");
      const first = await user.sign({ to, nonce: 1 });
      await send(first);
      expect(await verdict(first)).to.equal("taken");
      const bumped = { maxFeePerGas: 21n * GWEI };
      expect(
        await verdict(await user.sign({ to, nonce: 1, ...bumped })),
      ).to.equal("underpriced");
      expect(
        await verdict(await user.sign({ to, nonce: 2, value: 10n ** 30n })),
      ).to.equal("funds");
      expect(
        await verdict(await user.sign({ to, nonce: 2, gasLimit: 20_999n })),
      ).to.equal("rejected");
      expect(
        await verdict(await user.sign({ to, nonce: 2, chainId: 5n })),
      ).to.be.oneOf(["rejected", "unknown"]);
      const better = {
        maxFeePerGas: 30n * GWEI,
        maxPriorityFeePerGas: 2n * GWEI,
      };
      const replacement = await send(
        await user.sign({ to, nonce: 1, ...better }),
      );
      await test.mine();
      expect((await chain.receiptOf(replacement))?.isSuccess).to.equal(true);
    });

    it("mines one transaction for each nonce: the last that replaced the others", async () => {
      const to = user.address;
      const bid = async (gwei: bigint): Promise<string> =>
        await send(
          await user.sign({
            to,
            nonce: 1,
            maxFeePerGas: gwei * GWEI,
            maxPriorityFeePerGas: gwei * GWEI,
          }),
        );
      const hashes = [await bid(20n), await bid(30n), await bid(40n)];
      await test.mine();
      const receipts = await Promise.all(
        hashes.map(async (hash) => (await chain.receiptOf(hash))?.isSuccess),
      );
      expect(receipts).to.deep.equal([undefined, undefined, true]);
      expect(await chain.transactionCount(to, "latest")).to.equal(2);
      const header = await chain.header("latest");
      expect(header?.transactions).to.deep.equal(hashes.slice(-1));
    });

    it("frees the nonces of blocks that it takes back", async () => {
      const to = user.address;
      const back = await test.mark();
      const first = await mined(await user.sign({ to, nonce: 1 }));
      await mined(await user.sign({ to, nonce: 2 }));
      await back();
      expect(await chain.transactionCount(to, "latest")).to.equal(1);
      expect(await chain.transactionCount(to, "pending")).to.equal(1);
      const other = await mined(await user.sign({ to, nonce: 1, value: 1n }));
      expect(other).to.include({ isSuccess: true, blockNumber: 3 });
      expect(await chain.receiptOf(first.transactionHash)).to.equal(undefined);
    });

    it("forgets blocks that it takes back, and makes others", async () => {
      const back = await test.mark();
      const raw = await user.sign({ to: group, data: executing() });
      const { blockHash, transactionHash } = await mined(raw);
      await back();
      expect((await chain.header("latest"))?.number).to.equal(2);
      expect(await chain.receiptOf(transactionHash)).to.equal(undefined);
      expect(await chain.transactionCount(user.address, "latest")).to.equal(1);
      await test.mine();
      const other = await chain.header(3);
      expect(other?.parentHash).to.equal((await chain.header(2))?.hash);
      expect(other?.transactions).to.deep.equal([]);
      const again = await mined(raw);
      expect(again).to.include({ isSuccess: true, blockNumber: 4 });
      expect(again.blockHash).not.to.equal(blockHash);
    });

    it("tells of new heads until nobody listens", async () => {
      let heads = 0;
      const told: (() => void)[] = [];
      const stop = test.client.onHead(() => {
        heads++;
        for (const resolve of told.splice(0)) resolve();
      });
      // The subscription is a request too.
      await chain.chainId();
      const next = new Promise<void>((resolve) => told.push(resolve));
      await test.mine();
      await next;
      expect(heads).to.equal(1);
      stop();
    });

    it("refuses methods that it does not have", async () => {
      const error = await refusal(test.client.request("eth_nonsense", []));
      expect(error.kind).to.equal("refused");
      expect(error.data).to.equal(undefined);
    });

    it("gives all receipts of a block at once, if it can", async () => {
      const raw = await user.sign({ to: group, data: executing() });
      const { blockHash, logs } = await mined(raw);
      if (!test.hasBlockReceipts) {
        expect((await refusal(chain.receiptsOf(blockHash))).message).to.match(
          /not supported/,
        );
        return;
      }
      const [receipt, ...others] = (await chain.receiptsOf(blockHash)) ?? [];
      expect(receipt?.logs).to.deep.equal(logs);
      expect(others).to.deep.equal([]);
      expect(await chain.receiptsOf(id(1))).to.equal(undefined);
      await test.mine();
      const empty = await chain.header("latest");
      expect(await chain.receiptsOf(empty?.hash ?? "")).to.deep.equal([]);
    });

    it("gives no logs of a block that it does not have", async () => {
      const filter = { addresses: [group], topics: [topicOf("Transitioned")] };
      const answer = await chain
        .logsOf(id(1), filter)
        .catch((error: unknown) => {
          if (error instanceof ChainError) return [];
          throw error;
        });
      expect(answer).to.deep.equal([]);
    });
  });
}
