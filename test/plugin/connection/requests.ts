import { expect } from "chai";

import type {
  ClusterNode,
  RunningCluster,
} from "../../../src/plugin/connection/types.ts";
import { aTill } from "../../helpers/till.ts";
import { aConnection, closeConnections, soon } from "../helpers/connection.ts";
import { expectError } from "../helpers/errors.ts";

interface Receipt {
  readonly success?: boolean;
  readonly contractAddress?: string;
  readonly blockNumber: number;
  readonly sequence: number;
}

describe("connection.sequencer: requests", function () {
  this.timeout(60_000);
  const { abi, bytecode } = aTill();
  let cluster: RunningCluster;
  let alice: ClusterNode;

  const ask = async <Result>(
    node: ClusterNode,
    method: string,
    ...params: readonly unknown[]
  ): Promise<Result> => (await node.request({ method, params })) as Result;
  const verifier = async (node: ClusterNode, lookup: string): Promise<string> =>
    await ask(
      node,
      "ptx_resolveVerifier",
      lookup,
      "ecdsa:secp256k1",
      "eth_address",
    );
  const receipt = async (id: string): Promise<Receipt> => {
    for (;;) {
      const method = "ptx_getTransactionReceipt";
      const found = await ask<Receipt | null>(alice, method, id);
      if (found !== null) return found;
    }
  };
  const deploy = async (): Promise<string> =>
    await ask(alice, "ptx_sendTransaction", {
      type: "public",
      from: "ann",
      abi,
      bytecode,
      data: { first: 5n },
    });
  const total = async (to: string | undefined): Promise<unknown> =>
    await ask(alice, "ptx_call", {
      type: "public",
      to,
      abi,
      function: "total",
    });

  beforeEach(async () => {
    const connection = await aConnection();
    cluster = await connection.sequencer.start({
      nodes: 2,
      blockMs: 50,
      settings: soon,
    });
    alice = cluster.node("alice");
  });
  afterEach(closeConnections);

  it("deploy a contract, call it, and survive a crash", async () => {
    await cluster.pauseMining();
    const id = await deploy();
    await alice.restart();
    await cluster.resumeMining();
    const { success, contractAddress: to } = await receipt(id);
    expect(success).to.equal(true);
    expect(await total(to)).to.deep.equal({ "0": "5" });
    const add = await ask<string>(alice, "ptx_sendTransaction", {
      type: "public",
      from: "ann",
      to,
      abi,
      function: "add",
      data: [10n, "memo"],
    });
    expect((await receipt(add)).success).to.equal(true);
    expect(await total(to)).to.deep.equal({ "0": "15" });
  });

  it("bring back after a reorganisation what was taken back", async () => {
    const id = await deploy();
    const before = await receipt(id);
    await cluster.reorganise({ fromBlock: before.blockNumber });
    let after = await receipt(id);
    // The node may not have heard of it yet.
    while (after.sequence === before.sequence) after = await receipt(id);
    expect(after.success).to.equal(true);
    expect(await total(after.contractAddress)).to.deep.equal({ "0": "5" });
  });

  it("resolve users of other nodes", async () => {
    const bob = cluster.node("bob");
    const ben = await verifier(bob, "ben");
    expect(await verifier(alice, "ben@bob")).to.equal(ben);
    await bob.restart();
    expect(await verifier(bob, "ben")).to.equal(ben);
  });

  it("are answered together, and refused with the reason", async () => {
    const lookups = Array.from({ length: 20 }, (_, i) => `user${i}@bob`);
    const found = await Promise.all(
      lookups.map(async (lookup) => await verifier(alice, lookup)),
    );
    expect(new Set(found).size).to.equal(20);
    await expectError(
      "REFUSED",
      async () => await alice.request({ method: "nothing" }),
    );
    await expectError("REFUSED", async () => await verifier(alice, "a@zoe"));
    await alice.crash();
    await expectError("REFUSED", async () => await verifier(alice, "ann"));
  });
});
