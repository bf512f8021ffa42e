import { connect } from "node:net";

import { expect } from "chai";

import { call, SocketClient } from "../../helpers/rpc/client.ts";
import { startFake } from "../../helpers/rpc/fixture.ts";

/** Whether somebody listens there. */
async function isOpen(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return await new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => {
      resolve(false);
    });
  });
}

describe("the end of an RPC server", () => {
  it("closes everything, whatever clients do", async () => {
    const { httpUrl, webSocketUrl, stop, errors } = await startFake();
    // One connection that stays, one in the middle of a request, one that says nothing.
    await call(httpUrl, "sequencer_status");
    const closed = [httpUrl, httpUrl, webSocketUrl].map(async (url, index) => {
      const { hostname, port } = new URL(url);
      const socket = connect(Number(port), hostname);
      socket.on("error", () => undefined);
      if (index > 0) socket.write("POST / HTTP/1.1\r\nHost: localhost\r\n");
      await new Promise((resolve) => socket.once("close", resolve));
    });
    await call(httpUrl, "ptx_createReceiptListener", { name: "all" });
    const socket = await SocketClient.open(webSocketUrl);
    await socket.call("ptx_subscribe", "receipts", "all");
    expect(await isOpen(httpUrl)).to.equal(true);
    await stop();
    await Promise.all([socket.closed, ...closed]);
    expect(await isOpen(httpUrl)).to.equal(false);
    expect(await isOpen(webSocketUrl)).to.equal(false);
    expect(errors).to.deep.equal([]);
  });

  it("can come twice, and before a beginning", async () => {
    const { restart, stop } = await startFake();
    const again = await restart();
    await stop();
    await again.stop();
    await again.stop();
  });
});
