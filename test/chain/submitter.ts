import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { expect } from "chai";
import hre from "hardhat";

import { outputStateIds, type StateId } from "../../src/ledger/index.ts";
import type { Digest } from "../../src/protocol/ids.ts";
import { openChainClient } from "../../src/chain/client/open.ts";
import { type ChainClient, ChainError } from "../../src/chain/ports.ts";
import { aPayer, SubmitterRig } from "../helpers/submitter-rig.ts";
import {
  type Endorsed,
  openTestLedger,
  type TestGroup,
} from "../helpers/runtime-ledger.ts";

const GWEI = 1_000_000_000n;
const quantity = (value: bigint): string => `0x${value.toString(16)}`;

describe("runtime: submitter", function () {
  this.timeout(30_000);

  let client: ChainClient;
  let group: TestGroup;
  let other: TestGroup;
  let rig: SubmitterRig;
  const payer = aPayer(5);

  beforeEach(async () => {
    client = openChainClient((await hre.network.create()).provider);
    const ledger = await openTestLedger(client);
    group = await ledger.createGroup();
    other = await ledger.createGroup();
    rig = new SubmitterRig([payer]);
  });
  afterEach(async () => {
    await rig.stop();
  });

  const mineByHand = async (): Promise<void> => {
    await client.request("evm_setAutomine", [false]);
  };
  const mine = async (): Promise<void> => {
    await client.request("evm_mine", []);
    const head = Number(await client.request("eth_blockNumber", []));
    await rig.index.until(() => rig.index.height >= head);
  };
  /** Transitions, each of which spends what the one before created. */
  const aChain = (length: number): readonly Endorsed[] => {
    let inputs: readonly StateId[] = [];
    return Array.from({ length }, () => {
      const next = group.endorse({ inputs });
      inputs = outputStateIds(next.transition);
      return next;
    });
  };
  const confirmed = (): number =>
    rig.index.transitionsOf(group.address).length +
    rig.index.transitionsOf(other.address).length;
  const nonceOnChain = async (): Promise<number> =>
    Number(
      await client.request("eth_getTransactionCount", [
        payer.address,
        "latest",
      ]),
    );

  it("gets 100 calls mined in order, each building on the one before", async () => {
    await mineByHand();
    rig.start(client, [group, other]);
    const digests = aChain(100).map((endorsed) => rig.submit(group, endorsed));
    await rig.untilAll(digests, "submitted");
    expect(confirmed()).to.equal(0);
    await mine();
    await rig.index.until(() => confirmed() === 100);
    expect(rig.failures).to.deep.equal([]);
    expect(await nonceOnChain()).to.equal(100);
  });

  it("works on a chain that mines at once, with many payers for many groups", async () => {
    await rig.stop();
    rig = new SubmitterRig([aPayer(5), aPayer(6), aPayer(7)]);
    rig.start(client, [group, other]);
    for (const endorsed of aChain(30)) rig.submit(group, endorsed);
    for (let i = 0; i < 30; i++) rig.submit(other, other.endorse());
    await rig.index.until(() => confirmed() === 60);
    expect(rig.failures).to.deep.equal([]);
  });

  it("sends what was saved but not sent when it starts again", async () => {
    const directory = mkdtempSync(path.join(tmpdir(), "submitter-"));
    const file = path.join(directory, "node.sqlite");
    await rig.stop();
    rig = new SubmitterRig([payer], file);
    const mute: ChainClient = {
      ...client,
      request: async (method, params) => {
        if (method === "eth_sendRawTransaction")
          throw new ChainError("unreachable", "It never arrived.");
        return await client.request(method, params);
      },
    };
    rig.start(mute, [group, other]);
    const digests = aChain(20).map((endorsed) => rig.submit(group, endorsed));
    await rig.untilAll(digests, "nonce");
    await rig.stop();
    rig.database.close();
    expect(await nonceOnChain()).to.equal(0);

    const again = new SubmitterRig([payer], file);
    rig = again;
    expect(again.open).to.equal(20);
    again.start(client, [group, other]);
    await again.index.until(() => confirmed() === 20);
    expect(await nonceOnChain()).to.equal(20);
    await again.stop();
    again.database.close();
    rmSync(directory, { recursive: true });
  });

  it("offers more when fees have risen", async () => {
    await mineByHand();
    rig.start(client, [group, other], { resubmitBlocks: 2 });
    const digests = aChain(5).map((endorsed) => rig.submit(group, endorsed));
    await rig.untilAll(digests, "submitted");
    const raise = async (): Promise<void> => {
      await client.request("hardhat_setNextBlockBaseFeePerGas", [
        quantity(20n * GWEI),
      ]);
    };
    for (let i = 0; i < 20 && confirmed() < 5; i++) {
      await raise();
      await mine();
    }
    await rig.index.until(() => confirmed() === 5);
    expect(rig.failures).to.deep.equal([]);
    expect(await nonceOnChain()).to.equal(5);
  });

  it("tells why a call reverted, and goes on", async () => {
    rig.start(client, [group, other]);
    const [first, second] = aChain(2);
    if (first === undefined || second === undefined) throw new Error();
    const digest = rig.submit(group, second);
    rig.submit(group, first);
    await rig.index.until(() => confirmed() === 1);
    await rig.index.until(() => rig.failures.length === 1);
    expect(rig.failures[0]).to.include({
      digest,
      failure: "reverted",
      isRetryable: true,
    });
    expect(rig.failures[0]?.reason).to.match(/^PrivacyGroupStateNotAvailable:/);
    rig.submitter.submit(digest);
    expect(rig.failures).to.have.lengthOf(2);
    expect(rig.failures[1]).to.deep.equal(rig.failures[0]);
  });

  it("calls a wrong endorsement hopeless", async () => {
    await mineByHand();
    rig.start(client, [group, other]);
    const good = group.endorse();
    const data = good.data.replace(/.{8}$/, "00000000");
    rig.submit(group, good, { data: data as typeof good.data });
    await rig.untilAll([good.digest as string as Digest], "submitted");
    await mine();
    await rig.index.until(() => rig.failures.length === 1);
    expect(rig.failures[0]).to.include({ isRetryable: false });
    expect(rig.failures[0]?.reason).to.match(/^PrivacyGroupInvalidEndorsement/);
  });

  it("tells that there is no contract", async () => {
    rig.start(client, [group, other]);
    rig.submit(group, group.endorse(), { to: aPayer(9).address });
    await rig.index.until(() => rig.failures.length === 1);
    expect(rig.failures[0]?.reason).to.match(/there is no contract/);
  });

  it("gives up what expired, and leaves no gap", async () => {
    await mineByHand();
    rig.start(client, [group, other], { resubmitBlocks: 100 });
    const head = Number(await client.request("eth_blockNumber", []));
    const validUntil = BigInt(head + 2);
    const doomed = rig.submit(group, group.endorse({ validUntil }));
    const later = rig.submit(group, group.endorse());
    await rig.untilAll([doomed, later], "submitted");
    for (let i = 0; i < 2; i++) {
      await client.request("hardhat_setNextBlockBaseFeePerGas", [
        quantity(400n * GWEI),
      ]);
      await mine();
    }
    await rig.index.until(() => rig.failures.length === 1);
    expect(rig.failures[0]).to.include({ digest: doomed, failure: "expired" });
    for (let i = 0; i < 50 && confirmed() < 1; i++) {
      await client.request("hardhat_setNextBlockBaseFeePerGas", ["0x1"]);
      await mine();
    }
    expect(confirmed()).to.equal(1);
    expect(rig.failures).to.have.lengthOf(1);
    expect(await nonceOnChain()).to.equal(2);
  });

  it("forgets at once what expired before it had a nonce", async () => {
    const faults = { isOn: true };
    const away: ChainClient = {
      ...client,
      request: async (method, params) => {
        if (faults.isOn && method === "eth_maxPriorityFeePerGas")
          throw new ChainError("unreachable", "It never arrived.");
        return await client.request(method, params);
      },
    };
    rig.start(away, [group, other]);
    const head = Number(await client.request("eth_blockNumber", []));
    rig.submit(group, group.endorse({ validUntil: BigInt(head + 1) }));
    await rig.index.until(() => rig.troubles.length > 0);
    await mine();
    await rig.index.until(() => rig.failures.length === 1);
    expect(rig.failures[0]?.failure).to.equal("expired");
    while (rig.open > 0) await mine();
    expect(await nonceOnChain()).to.equal(0);
  });

  it("tells that no node takes a call, and uses its nonce up", async () => {
    rig.start(client, [group, other]);
    const rejected = rig.submit(group, group.endorse(), { gasLimit: 21_001n });
    rig.submit(group, group.endorse());
    await rig.index.until(() => confirmed() === 1);
    expect(rig.failures).to.have.lengthOf(1);
    expect(rig.failures[0]).to.include({
      digest: rejected,
      failure: "rejected",
    });
    expect(await nonceOnChain()).to.equal(2);
  });

  it("takes another nonce when somebody else used its own", async () => {
    await mineByHand();
    const deaf = { isOn: true };
    const away: ChainClient = {
      ...client,
      request: async (method, params) => {
        if (deaf.isOn && method === "eth_sendRawTransaction")
          throw new ChainError("unreachable", "It never arrived.");
        return await client.request(method, params);
      },
    };
    rig.start(away, [group, other]);
    const digests = aChain(3).map((endorsed) => rig.submit(group, endorsed));
    await rig.untilAll(digests, "nonce");
    const foreign = await payer.signTransaction({
      chainId: 31337n,
      nonce: 0,
      to: payer.address,
      data: "0x" as Endorsed["data"],
      value: 0n,
      gasLimit: 21_000n,
      maxFeePerGas: 10n * GWEI,
      maxPriorityFeePerGas: GWEI,
    });
    await client.request("eth_sendRawTransaction", [foreign]);
    await mine();
    deaf.isOn = false;
    for (let i = 0; i < 20 && confirmed() < 1; i++) {
      await rig.untilAll(digests, "submitted");
      await mine();
    }
    // What was built on it reverted, and is told; it itself happened.
    await rig.index.until(() => confirmed() === 1);
    await rig.index.until(() => rig.failures.length === 2);
    expect(await nonceOnChain()).to.equal(4);
  });

  it("fills a gap between its nonces", async () => {
    const deaf: ChainClient = {
      ...client,
      request: async (method, params) => {
        if (method === "eth_sendRawTransaction")
          throw new ChainError("unreachable", "It never arrived.");
        return await client.request(method, params);
      },
    };
    rig.start(deaf, [group, other]);
    const all = [group.endorse(), group.endorse(), group.endorse()] as const;
    const digests = all.map((one) => rig.submit(group, one));
    await rig.untilAll(digests, "nonce");
    await rig.stop();
    rig.database.write(() =>
      rig.database.run(
        "DELETE FROM submissions WHERE digest = ?",
        all[1].digest,
      ),
    );
    rig.start(client, [group, other]);
    await rig.index.until(() => confirmed() === 2);
    expect(await nonceOnChain()).to.equal(3);
  });
  const pendingHashes = async (): Promise<unknown> => {
    const block = await client.request("eth_getBlockByNumber", [
      "pending",
      false,
    ]);
    return (block as { readonly transactions: unknown }).transactions;
  };

  it("takes nothing for a gap that was mined while it looked", async () => {
    await mineByHand();
    let hold: Promise<void> | undefined;
    let held = 0;
    const slow: ChainClient = {
      ...client,
      request: async (method, params) => {
        const answer = await client.request(method, params);
        if (method === "eth_getTransactionCount" && hold !== undefined) {
          held += 1;
          await hold;
        }
        return answer;
      },
    };
    rig.start(slow, [group, other], { resendMs: 60_000 });
    const [, stray] = aChain(2);
    if (stray === undefined) throw new Error();
    const digests = [
      rig.submit(group, stray),
      rig.submit(group, other.endorse(), {
        group: other.address,
        to: other.to,
      }),
      rig.submit(group, group.endorse()),
    ];
    await rig.untilAll(digests, "submitted");
    const [, , last] = (await pendingHashes()) as string[];
    await client.request("hardhat_dropTransaction", [last]);

    let release: () => void = () => undefined;
    hold = new Promise<void>((resolve) => (release = resolve));
    rig.submit(group, group.endorse());
    while (held === 0) await rig.index.turn();
    // The first one reverts, which nobody is told; the second one succeeds, and the indexer sees it; the third one waits.
    await mine();
    await rig.index.until(
      () => rig.index.transitionsOf(other.address).length === 1,
    );
    await rig.index.turn();
    hold = undefined;
    release();

    while (confirmed() < 3 && rig.troubles.length === 0) await mine();
    expect(rig.troubles).to.deep.equal([]);
    expect(rig.failures.map(({ digest }) => digest)).to.deep.equal([
      digests[0],
    ]);
    expect(await nonceOnChain()).to.equal(4);
  });

  it("sends again what a reorganisation took back", async () => {
    rig.start(client, [group, other]);
    const snapshot = await client.request("evm_snapshot", []);
    for (const endorsed of aChain(10)) rig.submit(group, endorsed);
    await rig.index.until(() => confirmed() === 10);
    await client.request("evm_revert", [snapshot]);
    expect(await nonceOnChain()).to.equal(0);
    await rig.index.until(() => rig.index.reverts.length > 0);
    await rig.index.until(() => confirmed() === 10);
    expect(await nonceOnChain()).to.equal(10);
    expect(rig.failures).to.deep.equal([]);
  });

  it("takes new nonces when the chain forgot more than it remembers", async () => {
    rig.start(client, [group, other], { settleBlocks: 2 });
    const snapshot = await client.request("evm_snapshot", []);
    for (const endorsed of aChain(10)) rig.submit(group, endorsed);
    await rig.index.until(() => confirmed() === 10);
    while (rig.open > 2) await mine();
    await mineByHand();
    const digest = rig.submit(other, other.endorse());
    await rig.untilAll([digest], "nonce");
    await client.request("evm_revert", [snapshot]);
    await client.request("evm_setAutomine", [true]);
    await rig.index.until(
      () => rig.index.transitionsOf(other.address).length === 1,
    );
    expect(await nonceOnChain()).to.be.within(1, 3);
  });

  it("sends again what the chain lost, also when no block comes", async () => {
    await mineByHand();
    rig.start(client, [group, other], { resendMs: 20 });
    const digest = rig.submit(group, group.endorse());
    await rig.untilAll([digest], "submitted");
    for (const hash of (await pendingHashes()) as string[])
      await client.request("hardhat_dropTransaction", [hash]);
    while (((await pendingHashes()) as string[]).length === 0);
    await mine();
    await rig.index.until(() => confirmed() === 1);
  });

  it("forgets what is settled", async () => {
    rig.start(client, [group, other], { settleBlocks: 3 });
    for (const endorsed of aChain(5)) rig.submit(group, endorsed);
    await rig.index.until(() => confirmed() === 5);
    for (let i = 0; i < 3; i++) await mine();
    while (rig.open > 0) await mine();
    expect(rig.failures).to.deep.equal([]);
  });

  it("says when the payer has no money, and goes on when it has", async () => {
    await client.request("hardhat_setBalance", [payer.address, "0x0"]);
    rig.start(client, [group, other]);
    rig.submit(group, group.endorse());
    await rig.index.until(() => rig.troubles.length > 0);
    expect(rig.troubles[0]?.message).to.match(/funds/);
    await client.request("hardhat_setBalance", [
      payer.address,
      quantity(10n ** 20n),
    ]);
    await rig.index.until(() => confirmed() === 1);
  });

  it("asks the node for gas that it does not know", async () => {
    rig.start(client, [group, other]);
    for (const endorsed of aChain(3))
      rig.submit(group, endorsed, { gasLimit: undefined });
    await rig.index.until(() => confirmed() === 3);
    expect(rig.failures).to.deep.equal([]);
  });
});
