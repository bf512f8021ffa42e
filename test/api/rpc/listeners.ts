import { expect } from "chai";

import { call, SocketClient } from "../../helpers/rpc/client.ts";
import { startFake } from "../../helpers/rpc/fixture.ts";
import { listenersSuite } from "../../helpers/rpc/listeners-suite.ts";
import { toyAbi } from "../../helpers/rpc/toy-domain.ts";

listenersSuite("with a fake node", startFake);

describe("receipts and reorganisations", () => {
  it("delivers the later receipt again, with a new number", async () => {
    const { httpUrl, webSocketUrl, node, book, database, stop, group } =
      await startFake();
    await call(httpUrl, "ptx_createReceiptListener", { name: "all" });
    const id = await call<string>(httpUrl, "ptx_sendTransaction", {
      type: "private",
      from: "alice",
      to: group,
      abi: toyAbi,
      function: "mint",
      data: ["alice", 1],
    });
    await node.mine();
    const socket = await SocketClient.open(webSocketUrl);
    const subscription = await socket.call<string>(
      "ptx_subscribe",
      "receipts",
      "all",
    );
    const first = await socket.notification();
    expect(first.params.result.receipts).to.have.nested.property(
      "[0].sequence",
      1,
    );
    socket.send("ptx_ack", subscription);
    await socket.call("sequencer_status");

    const row = book.transactions.byId(id);
    const settlement = {
      group: node.groups()[0]?.address,
      intentId: row?.intentId,
    };
    expect(settlement.group).to.equal(group);
    type Unsettled = Parameters<typeof book.unsettle>[0];
    const intentId = settlement.intentId as Unsettled["intentIds"][number];
    const address = group as Unsettled["group"];
    database.write(() => {
      book.unsettle({ group: address, intentIds: [intentId] });
    });
    expect(await call(httpUrl, "ptx_getTransactionReceipt", id)).to.equal(null);
    const settle = (): void => {
      database.write(() => {
        book.settle({
          group: address,
          intentId,
          outcome: {
            type: "Confirmed",
            block: 9,
            transactionHash: `0x${"22".repeat(32)}`,
            transactionIndex: 1,
            logIndex: 2,
          },
        });
      });
    };
    settle();
    // The same news twice are no news.
    settle();
    await node.mine();
    const second = await socket.notification();
    expect(second.params.result.receipts).to.have.length(1);
    expect(second.params.result.receipts[0]).to.include({
      id,
      sequence: 2,
      blockNumber: 9,
      logIndex: 2,
    });
    await socket.close();
    await stop();
  });
});
