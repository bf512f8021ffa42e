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
        portOf: (name) =>
          (servers.get(name)?.address() as { readonly port: number }).port,
      },
    );
    await links.start();
  });

  after(async () => {
    await links.stop();
    for (const server of servers.values()) server.close();
  });

  /** What a node hears when it dials another one, and says "hi"; what went wrong if it hears nothing. */
  async function dial(from: string, to: string): Promise<string> {
    const socket = connect(links.portFor({ from, to }), "127.0.0.1");
    let heard = "";
    socket.on("data", (bytes: Buffer) => (heard += bytes.toString()));
    socket.on("error", (error) => (heard = String(Reflect.get(error, "code"))));
    socket.write("hi");
    await until(
      { what: "an answer", deadlineMs: 300, everyMs: 5 },
      () => heard === `${to}hi` || heard.startsWith("E") || undefined,
    ).catch(() => undefined);
    socket.destroy();
    return heard;
  }

  it("lead to everybody", async () => {
    for (const from of names)
      for (const to of names)
        if (from !== to) expect(await dial(from, to)).to.equal(`${to}hi`);
  });

  it("lead only to one's own side of a partition", async () => {
    const heal = links.partition([["alice"], ["bob", "carol"]]);
    expect(await dial("alice", "bob")).to.equal("ECONNRESET");
    expect(await dial("carol", "alice")).to.equal("ECONNRESET");
    expect(await dial("bob", "carol")).to.equal("carolhi");
    heal();
    expect(await dial("alice", "bob")).to.equal("bobhi");
  });

  it("keep what one node says from another, whoever dials", async () => {
    const heal = links.mute({ from: "alice", to: "bob" });
    expect(await dial("alice", "bob")).to.equal("bob");
    expect(await dial("bob", "alice")).to.equal("");
    expect(await dial("alice", "carol")).to.equal("carolhi");
    heal();
    expect(await dial("alice", "bob")).to.equal("bobhi");
    expect(await dial("bob", "alice")).to.equal("alicehi");
  });
});
