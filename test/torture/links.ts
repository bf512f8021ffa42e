import { once } from "node:events";
import { connect, createServer, type Server } from "node:net";

import { expect } from "chai";

import { Links } from "./harness/network/links.ts";
import { until } from "./harness/processes/until.ts";

const names = ["alice", "bob", "carol"] as const;

describe("torture: links between nodes", function () {
  this.timeout(30_000);
  const servers = new Map<string, Server>();
  let links: Links;

  before(async () => {
    for (const name of names) {
      const server = createServer((socket) => {
        socket.on("error", () => undefined);
        // Who is dialled says who he is.
        socket.write(name);
        socket.on("data", (bytes) => socket.write(bytes));
      });
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      servers.set(name, server);
    }
    links = new Links(
      { names },
      {
        portOf: (name) => {
          const address = servers.get(name)?.address();
          if (typeof address !== "object" || address === null)
            throw new Error(`${name} does not listen.`);
          return address.port;
        },
      },
    );
    await links.start();
  });

  after(async () => {
    await links.stop();
    for (const server of servers.values()) server.close();
  });

  /** What a node hears when it dials another one, and says "hi"; what went wrong if it hears nothing. */
  async function expectDial(
    { from, to }: { readonly from: string; readonly to: string },
    expected: string,
  ): Promise<void> {
    const socket = connect(links.portFor({ from, to }), "127.0.0.1");
    let heard = "";
    socket.on("data", (bytes: Buffer) => (heard += bytes.toString()));
    socket.on("error", (error) => (heard = String(Reflect.get(error, "code"))));
    socket.write("hi");
    const isAll = (): true | undefined =>
      heard === `${to}hi` || heard.startsWith("E") || undefined;
    await until(
      { what: expected, deadlineMs: 10_000, everyMs: 5 },
      () => isAll() ?? (heard === expected || undefined),
    ).catch(() => undefined);
    // What shall not come can only be waited for.
    await until({ what: "more", deadlineMs: 300, everyMs: 5 }, isAll).catch(
      () => undefined,
    );
    socket.destroy();
    expect(heard).to.equal(expected);
  }

  it("lead to everybody", async () => {
    for (const from of names)
      for (const to of names)
        if (from !== to) await expectDial({ from, to }, `${to}hi`);
  });

  it("lead only to one's own side of a partition", async () => {
    const heal = links.partition([["alice"], ["bob", "carol"]]);
    await expectDial({ from: "alice", to: "bob" }, "ECONNRESET");
    await expectDial({ from: "carol", to: "alice" }, "ECONNRESET");
    await expectDial({ from: "bob", to: "carol" }, "carolhi");
    heal();
    await expectDial({ from: "alice", to: "bob" }, "bobhi");
  });

  it("keep what one node says from another, whoever dials", async () => {
    const heal = links.mute({ from: "alice", to: "bob" });
    await expectDial({ from: "alice", to: "bob" }, "bob");
    await expectDial({ from: "bob", to: "alice" }, "");
    await expectDial({ from: "alice", to: "carol" }, "carolhi");
    heal();
    await expectDial({ from: "alice", to: "bob" }, "bobhi");
    await expectDial({ from: "bob", to: "alice" }, "alicehi");
  });
});
