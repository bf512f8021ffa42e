import { expect } from "chai";

import { call, failureOf, type Notification, SocketClient } from "./client.ts";
import type { RpcFactory, RpcFixture } from "./fixture.ts";
import { toyAbi } from "./toy-domain.ts";

/** What every node does with receipt listeners. */
export function listenersSuite(name: string, start: RpcFactory): void {
  describe(`receipt listeners over RPC, ${name}`, () => {
    let node: RpcFixture;
    const sockets: SocketClient[] = [];
    const rpc = async <Result>(
      method: string,
      ...params: readonly unknown[]
    ): Promise<Result> => await call<Result>(node.httpUrl, method, ...params);
    const listen = async (fields: object = {}): Promise<void> => {
      const created = await rpc("ptx_createReceiptListener", {
        name: "listener",
        filters: {},
        options: {},
        ...fields,
      });
      expect(created).to.equal(true);
    };
    const send = async (count: number): Promise<readonly string[]> => {
      const sent: string[] = [];
      while (sent.length < count) {
        const some = Math.min(100, count - sent.length);
        const transactions = Array.from({ length: some }, () => ({
          type: "private",
          from: "alice",
          to: node.group,
          abi: toyAbi,
          function: "mint",
          data: ["alice", 1],
        }));
        sent.push(
          ...(await rpc<string[]>("ptx_sendTransactions", transactions)),
        );
      }
      await node.settle();
      return sent;
    };
    const connect = async (): Promise<SocketClient> => {
      const socket = await SocketClient.open(node.webSocketUrl);
      sockets.push(socket);
      return socket;
    };
    const subscribe = async (socket: SocketClient): Promise<string> =>
      await socket.call<string>("ptx_subscribe", "receipts", "listener");
    const idsOf = ({ params }: Notification): readonly string[] =>
      params.result.receipts.map(({ id }) => id);

    beforeEach(async () => {
      node = await start();
    });
    afterEach(async () => {
      for (const socket of sockets.splice(0)) socket.cut();
      await node.stop();
      expect(node.errors).to.deep.equal([]);
    });

    it("answers before the first notification, and numbers batches from nothing", async () => {
      await listen();
      const sent = await send(2);
      const socket = await connect();
      const subscription = await subscribe(socket);
      const first = await socket.notification();
      expect(first.params.subscription).to.equal(subscription);
      expect(first.params.result).to.not.have.property("batchId");
      expect(idsOf(first)).to.deep.equal(sent);
      socket.send("ptx_ack", subscription);
      const later = await send(1);
      const second = await socket.notification();
      expect(second.params.result.batchId).to.equal(1);
      expect(idsOf(second)).to.deep.equal(later);
    });

    it("delivers at most 100 at once, and the next only after an ack", async () => {
      await listen();
      const sent = await send(250);
      const socket = await connect();
      const subscription = await subscribe(socket);
      const got: string[] = [];
      for (const size of [100, 100, 50]) {
        const ids = idsOf(await socket.notification());
        expect(ids).to.have.length(size);
        got.push(...ids);
        // The answer to this comes before anything that an ack would release.
        await socket.call("sequencer_status");
        expect(socket.unread).to.equal(0);
        socket.send("ptx_ack", subscription);
      }
      expect(got).to.deep.equal(sent);
    });

    it("delivers again after a nack, also after many", async () => {
      await listen();
      const sent = await send(1);
      const socket = await connect();
      const subscription = await subscribe(socket);
      for (let times = 0; times < 3; times++) {
        expect(idsOf(await socket.notification())).to.deep.equal(sent);
        socket.send("ptx_nack", subscription);
      }
      expect(idsOf(await socket.notification())).to.deep.equal(sent);
      socket.send("ptx_ack", subscription);
      const later = await send(1);
      expect(idsOf(await socket.notification())).to.deep.equal(later);
    });

    it("delivers again after the socket was lost", async () => {
      await listen();
      const sent = await send(1);
      const lost = await connect();
      await subscribe(lost);
      await lost.notification();
      const other = await connect();
      await subscribe(other);
      await other.call("sequencer_status");
      expect(other.unread).to.equal(0);
      lost.cut();
      expect(idsOf(await other.notification())).to.deep.equal(sent);
    });

    it("goes on after the last ack when the server was restarted", async () => {
      await listen();
      await send(2);
      const socket = await connect();
      const subscription = await subscribe(socket);
      await socket.notification();
      socket.send("ptx_ack", subscription);
      const unacked = await send(1);
      expect(idsOf(await socket.notification())).to.deep.equal(unacked);
      node = await node.restart();
      await socket.closed;
      const again = await connect();
      await subscribe(again);
      const batch = await again.notification();
      expect(idsOf(batch)).to.deep.equal(unacked);
      expect(batch.params.result).to.not.have.property("batchId");
    });

    it("ends with an unsubscribe", async () => {
      await listen();
      const socket = await connect();
      const subscription = await subscribe(socket);
      const end = async (): Promise<boolean> =>
        await socket.call<boolean>("ptx_unsubscribe", subscription);
      expect(await end()).to.equal(true);
      expect(await end()).to.equal(false);
      await send(1);
      await socket.call("sequencer_status");
      expect(socket.unread).to.equal(0);
    });

    it("does not answer an ack, even of what is not there", async () => {
      const socket = await connect();
      socket.send("ptx_ack", "00000000-0000-4000-8000-000000000000");
      socket.send("ptx_nack", "nonsense");
      socket.send("ptx_ack");
      const answer = await socket.next();
      // A wrong number of parameters is no ack at all.
      expect(answer).to.have.nested.property("error.code", -32600);
      await socket.call("sequencer_status");
    });

    it("filters, and tells in the domain's words if it is asked to", async () => {
      await send(3);
      await listen({
        filters: { sequenceAbove: 2, type: "private", domain: "toy" },
        options: { domainReceipts: true },
      });
      await listen({
        name: "other",
        filters: { type: "public" },
      });
      const socket = await connect();
      await socket.call("ptx_subscribe", "receipts", "other");
      const wanted = await subscribe(socket);
      const batch = await socket.notification();
      expect(batch.params.subscription).to.equal(wanted);
      expect(batch.params.result.receipts).to.have.length(1);
      expect(batch.params.result.receipts[0]).to.deep.include({
        sequence: 3,
        domainReceipt: { balances: ["3"] },
      });
    });

    it("can be stopped, started and deleted", async () => {
      await listen({ started: false });
      const socket = await connect();
      await subscribe(socket);
      const sent = await send(1);
      await socket.call("sequencer_status");
      expect(socket.unread).to.equal(0);
      const spec = await rpc("ptx_getReceiptListener", "listener");
      expect(spec).to.include({ name: "listener", started: false });
      expect(await rpc("ptx_startReceiptListener", "listener")).to.equal(true);
      expect(idsOf(await socket.notification())).to.deep.equal(sent);
      expect(await rpc("ptx_stopReceiptListener", "listener")).to.equal(true);
      const all = await rpc<object[]>("ptx_queryReceiptListeners", {
        limit: 5,
        eq: [{ field: "started", value: false }],
      });
      expect(all).to.have.length(1);
      expect(await rpc("ptx_deleteReceiptListener", "listener")).to.equal(true);
      expect(await rpc("ptx_getReceiptListener", "listener")).to.equal(null);
    });

    it("refuses what makes no sense", async () => {
      const keyOf = async (work: Promise<unknown>): Promise<string> =>
        (await failureOf(work)).message.slice(0, 8);
      await listen();
      expect(await keyOf(listen())).to.equal("PD012237");
      expect(
        await keyOf(listen({ name: "b", filters: { domain: "toy" } })),
      ).to.equal("PD012236");
      expect(await keyOf(listen({ name: "b c" }))).to.equal("PD020005");
      expect(await keyOf(rpc("ptx_startReceiptListener", "x"))).to.equal(
        "PD012238",
      );
      expect(
        await keyOf(rpc("ptx_subscribe", "receipts", "listener")),
      ).to.equal("PD020706");
      const socket = await connect();
      const unknown = await failureOf(
        socket.call("ptx_subscribe", "receipts", "x"),
      );
      expect(unknown.code).to.equal(-32600);
    });
  });
}
