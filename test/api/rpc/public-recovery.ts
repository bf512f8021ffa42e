import { expect } from "chai";

import { groupToken } from "../../../src/domains/group-token.ts";
import { digestOfId } from "../../../src/api/transaction-digest.ts";
import { failureOf } from "../../helpers/rpc/client.ts";
import { RealNodes } from "../../helpers/rpc/real-nodes.ts";
import { aTill } from "../../helpers/till.ts";

interface Receipt {
  readonly sequence: number;
  readonly success?: true;
  readonly blockNumber?: number;
  readonly contractAddress?: string;
  readonly failureMessage?: string;
  readonly public: readonly { readonly nonce: string }[];
}

const { abi, bytecode } = aTill();

/** Nodes, and a contract that a user of the first of them deployed. */
class Scene {
  readonly nodes: RealNodes;
  readonly till: string;

  constructor(nodes: RealNodes, till: string) {
    this.nodes = nodes;
    this.till = till;
  }

  static async open(
    ...options: Parameters<typeof RealNodes.start>
  ): Promise<Scene> {
    const nodes = await RealNodes.start(...options);
    const id = await nodes.ask<string>("alice", "ptx_sendTransaction", {
      type: "public",
      from: "ann",
      abi,
      bytecode,
      data: [0],
    });
    const receipt = await nodes.receipt<Receipt>("alice", id);
    return new Scene(nodes, receipt.contractAddress ?? "");
  }

  add(fields: object = {}): object {
    return {
      type: "public",
      from: "ann",
      to: this.till,
      abi,
      function: "add",
      data: [1, ""],
      ...fields,
    };
  }

  async send(fields: object = {}): Promise<string> {
    const input = this.add(fields);
    return await this.nodes.ask("alice", "ptx_sendTransaction", input);
  }

  async receipt(id: string): Promise<Receipt> {
    return await this.nodes.receipt("alice", id);
  }

  /** The receipt, as it is now. */
  async look(id: string): Promise<Receipt | null> {
    return await this.nodes.ask("alice", "ptx_getTransactionReceiptFull", id);
  }

  async total(): Promise<number> {
    const call = { type: "public", to: this.till, abi, function: "total" };
    const answer = await this.nodes.ask<{ "0": string }>(
      "alice",
      "ptx_call",
      call,
    );
    return Number(answer["0"]);
  }

  async chain(method: string, ...params: readonly unknown[]): Promise<unknown> {
    return await this.nodes.client.request(method, params);
  }

  /** Resolves when something holds, which is asked again and again. */
  async until(holds: () => Promise<boolean>): Promise<void> {
    while (!(await holds()));
  }
}

describe("public transactions when things go wrong", function () {
  this.timeout(60_000);
  let scene: Scene;
  afterEach(async () => {
    await scene.nodes.stop();
    expect(scene.nodes.errors).to.deep.equal([]);
  });

  it("happen once when the node dies between the answer and the block", async () => {
    scene = await Scene.open(["alice"]);
    const { nodes } = scene;
    await scene.chain("evm_setAutomine", false);
    const ids = [
      await scene.send(),
      await scene.send({ from: "ben" }),
      await scene.send(),
    ];
    await nodes.crash("alice");
    await nodes.restart("alice");
    for (const id of ids) {
      expect(await scene.look(id)).to.equal(null);
      expect(await nodes.ask("alice", "sequencer_explain", id)).to.be.a(
        "string",
      );
    }
    const status = await nodes.ask<object>("alice", "sequencer_status");
    expect(status).to.include({ openTransactions: 3 });
    await nodes.crash("alice");
    await scene.chain("evm_mine");
    await scene.chain("evm_setAutomine", true);
    await nodes.restart("alice");
    for (const id of ids)
      expect(await scene.receipt(id)).to.include({ success: true });
    expect(await scene.total()).to.equal(3);
  });

  it("keep their receipts over a restart", async () => {
    scene = await Scene.open(["alice"]);
    const id = await scene.send();
    const receipt = await scene.receipt(id);
    await scene.nodes.crash("alice");
    await scene.nodes.restart("alice");
    const later = await scene.send();
    await scene.receipt(later);
    expect(await scene.look(id)).to.deep.equal(receipt);
  });

  it("have receipts only when enough blocks are on top", async () => {
    const nodes = await RealNodes.start(["alice"], { confirmations: 3 });
    scene = new Scene(nodes, "");
    const deployment = {
      type: "public",
      from: "ann",
      abi,
      bytecode,
      data: [0],
    };
    const heightIs = async (height: number): Promise<boolean> =>
      Number(await nodes.ask("alice", "bidx_getConfirmedBlockHeight")) ===
      height;
    const mine = async (): Promise<number> => {
      await scene.chain("evm_mine");
      return Number(await scene.chain("eth_blockNumber"));
    };
    // A node that has seen no block does nothing yet.
    await scene.chain("hardhat_mine", "0x5");
    const method = "ptx_sendTransaction";
    const id = await nodes.ask<string>("alice", method, deployment);
    let block = 0;
    await scene.until(async () => {
      const { public: sent } = await nodes.ask<{
        readonly public: readonly { readonly transactionHash: string }[];
      }>("alice", "ptx_getTransactionFull", id);
      const hash = sent[0]?.transactionHash;
      if (hash === undefined) return false;
      const receipt = await scene.chain("eth_getTransactionReceipt", hash);
      block = Number(Reflect.get(Object(receipt), "blockNumber") ?? 0);
      return block > 0;
    });
    for (let above = 1; above < 3; above++) {
      const head = await mine();
      await scene.until(async () => await heightIs(head - 3));
      expect(await scene.look(id), `${above} blocks`).to.equal(null);
    }
    await mine();
    expect(await scene.receipt(id)).to.include({
      success: true,
      blockNumber: block,
    });
  });

  it("lose their receipts to a reorganisation, and get others", async () => {
    scene = await Scene.open(["alice"]);
    const snapshot = await scene.chain("evm_snapshot");
    const id = await scene.send();
    const before = await scene.receipt(id);
    await scene.chain("evm_setAutomine", false);
    await scene.chain("evm_revert", snapshot);
    await scene.chain("hardhat_setPrevRandao", `0x${"12".repeat(32)}`);
    await scene.chain("evm_mine");
    await scene.until(async () => (await scene.look(id)) === null);
    await scene.chain("evm_setAutomine", true);
    await scene.chain("evm_mine");
    const after = await scene.receipt(id);
    expect(after.success).to.equal(true);
    expect(after.sequence).to.be.greaterThan(before.sequence);
    expect(after.public[0]?.nonce).to.equal(before.public[0]?.nonce);
    expect(await scene.total()).to.equal(1);
  });

  it("are watched again when the chain takes them back after a long time", async () => {
    scene = await Scene.open(["alice"]);
    const snapshot = await scene.chain("evm_snapshot");
    const id = await scene.send();
    const before = await scene.receipt(id);
    await scene.chain("hardhat_mine", "0x50");
    const { node } = scene.nodes.cluster.member("alice");
    await scene.until(async () => {
      await scene.chain("evm_mine");
      return node.sent(digestOfId(id)) === undefined;
    });
    await scene.chain("evm_revert", snapshot);
    await scene.chain("evm_mine");
    const sequence = async (): Promise<number> =>
      (await scene.look(id))?.sequence ?? 0;
    await scene.until(async () => (await sequence()) > before.sequence);
    const after = await scene.look(id);
    expect(after?.success).to.equal(true);
    expect(after?.public[0]?.nonce).to.equal(before.public[0]?.nonce);
    expect(await scene.total()).to.equal(1);
  });

  it("name the address that needs money where nobody gives it away", async () => {
    const poor = async (): Promise<boolean> => await Promise.resolve(false);
    const nodes = await RealNodes.start(["alice"], { faucet: poor });
    scene = new Scene(nodes, "");
    const ann = await nodes.ask<string>(
      "alice",
      "ptx_resolveVerifier",
      "ann",
      "ecdsa:secp256k1",
      "eth_address",
    );
    const deployment = {
      type: "public",
      from: "ann",
      abi,
      bytecode,
      data: [0],
    };
    const send = async (): Promise<string> =>
      await nodes.ask("alice", "ptx_sendTransaction", deployment);
    const { message } = await failureOf(send());
    expect(message).to.match(
      /^PD099015: ann signs as 0x[0-9a-f]{40}, which cannot pay: it has 0\.0 .*eth_address:/,
    );
    expect(message).to.include(ann);
    await nodes.client.request("hardhat_setBalance", [
      ann,
      "0xde0b6b3a7640000",
    ]);
    const receipt = await nodes.receipt<Receipt>("alice", await send());
    expect(receipt.success).to.equal(true);
  });

  it("are taken together with private ones, or none of them are", async () => {
    scene = await Scene.open(["alice", "bob"]);
    const { nodes } = scene;
    const group = await nodes.createGroup();
    const mint = {
      type: "private",
      from: "ann",
      to: group.address,
      abi: groupToken.abi,
      function: "mint",
      data: ["pot", 5],
    };
    const sendAll = async (
      ...inputs: readonly object[]
    ): Promise<readonly string[]> =>
      await nodes.ask("alice", "ptx_sendTransactions", inputs);
    const ids = await sendAll(mint, scene.add(), mint);
    for (const id of ids)
      expect(await scene.receipt(id)).to.include({ success: true });

    const lost = { ...mint, function: "transfer", data: ["nobody", "pot", 1] };
    const [failed = ""] = await sendAll(lost);
    expect((await scene.receipt(failed)).success).to.equal(undefined);
    const open = async (): Promise<number> =>
      (
        await nodes.ask<unknown[]>("alice", "ptx_queryTransactions", {
          limit: 100,
        })
      ).length;
    const before = await open();
    // Only the node finds out that the last one can never happen.
    const late = { ...mint, dependsOn: [failed], idempotencyKey: "late" };
    const refusal = await failureOf(sendAll(mint, scene.add(), late));
    expect(refusal.message).to.match(/^PD099002: .*can never be confirmed/);
    // Only the chain finds out that this one reverts.
    const revert = scene.add({ function: "take", data: [99] });
    const reverted = await failureOf(sendAll(mint, revert));
    expect(reverted.message).to.match(/^PD012216: /);
    expect(await open()).to.equal(before);
    expect(await scene.total()).to.equal(1);
    // Nothing of it keeps the key.
    const [again = ""] = await sendAll({ ...mint, idempotencyKey: "late" });
    expect(await scene.receipt(again)).to.include({ success: true });
  });
});

describe("verifiers of other nodes over RPC", function () {
  this.timeout(60_000);

  it("come from their nodes, and are the same after a restart", async () => {
    const nodes = await RealNodes.start(["alice", "bob"]);
    const resolve = async (node: string, lookup: string): Promise<string> =>
      await nodes.ask<string>(
        node,
        "ptx_resolveVerifier",
        lookup,
        "ecdsa:secp256k1",
        "eth_address",
      );
    const ben = await resolve("bob", "ben");
    expect(await resolve("alice", "ben@bob")).to.equal(ben);
    expect(await resolve("alice", "ben")).to.not.equal(ben);
    await nodes.crash("bob");
    // It is known by now.
    expect(await resolve("alice", "ben@bob")).to.equal(ben);
    await nodes.restart("bob");
    await nodes.crash("alice");
    await nodes.restart("alice");
    expect(await resolve("alice", "ben@bob")).to.equal(ben);
    expect(await resolve("bob", "ben")).to.equal(ben);
    const stranger = await failureOf(resolve("alice", "ben@zoe"));
    expect(stranger.message).to.match(
      /^PD099002: "zoe" is no node that alice knows\. It knows: alice, bob\.$/,
    );
    await nodes.stop();
    expect(nodes.errors).to.deep.equal([]);
  });
});
