import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

import { expect } from "chai";

import { Proxy } from "./harness/network/proxy.ts";
import { until } from "./harness/processes/until.ts";

/** A server that says again what it hears, in front of it a proxy. */
class Scene {
  readonly server: Server;
  readonly proxy: Proxy;
  /** What the server heard. */
  heard = "";

  constructor() {
    this.server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.on("data", (bytes: Buffer) => {
        this.heard += bytes.toString();
        socket.write(bytes);
      });
    });
    this.proxy = new Proxy({
      target: () => (this.server.address() as { readonly port: number }).port,
    });
  }

  async start(): Promise<void> {
    this.server.listen(0, "127.0.0.1");
    await once(this.server, "listening");
    await this.proxy.start();
  }

  dial(): Dialled {
    return new Dialled(connect(this.proxy.port, "127.0.0.1"));
  }

  async stop(): Promise<void> {
    await this.proxy.stop();
    this.server.close();
  }
}

class Dialled {
  readonly socket: Socket;
  said = "";
  error = "";

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", (bytes: Buffer) => {
      this.said += bytes.toString();
    });
    socket.on("error", (error) => {
      this.error = String(Reflect.get(error, "code"));
    });
  }

  async hears(text: string): Promise<void> {
    await soon(`hears ${text}`, () => this.said === text);
  }

  async isReset(): Promise<void> {
    await soon("is reset", () => this.error === "ECONNRESET");
  }
}

async function soon(what: string, is: () => boolean): Promise<void> {
  await until({ what, deadlineMs: 5_000, everyMs: 5 }, () => is() || undefined);
}

describe("torture: a proxy", function () {
  this.timeout(30_000);
  let scene: Scene;
  beforeEach(async () => {
    scene = new Scene();
    await scene.start();
  });
  afterEach(async () => {
    await scene.stop();
  });

  it("carries bytes both ways, and the end of them", async () => {
    const one = scene.dial();
    one.socket.write("hello");
    await one.hears("hello");
    one.socket.end();
    await soon("is closed", () => scene.proxy.open === 0);
    expect(one.error).to.equal("");
  });

  it("carries more than it may keep", async () => {
    const one = scene.dial();
    const text = "0123456789abcdef".repeat(100_000);
    one.socket.write(text);
    await soon("all is back", () => one.said.length === text.length);
    expect(one.said === text).to.equal(true);
  });

  it("resets what is open and what is new while it is cut", async () => {
    const old = scene.dial();
    old.socket.write("up");
    await old.hears("up");
    const heal = scene.proxy.impose({ type: "cut" });
    await old.isReset();
    const fresh = scene.dial();
    await fresh.isReset();
    expect(scene.proxy.open).to.equal(0);

    heal();
    const late = scene.dial();
    late.socket.write("back");
    await late.hears("back");
  });

  it("stays cut until everything that cuts it is healed", async () => {
    const first = scene.proxy.impose({ type: "cut" });
    const second = scene.proxy.impose({ type: "cut" });
    first();
    await scene.dial().isReset();
    second();
    const late = scene.dial();
    late.socket.write("back");
    await late.hears("back");
  });

  it("keeps what goes forth, and loses nothing of it", async () => {
    const one = scene.dial();
    one.socket.write("a");
    await one.hears("a");
    const heal = scene.proxy.impose({ type: "hold", direction: "forth" });
    one.socket.write("b");
    const other = scene.dial();
    other.socket.write("c");
    heal();
    await one.hears("ab");
    await other.hears("c");
  });

  it("keeps what goes back while what goes forth arrives", async () => {
    const one = scene.dial();
    const heal = scene.proxy.impose({ type: "hold", direction: "back" });
    one.socket.write("quiet");
    await soon("the server hears", () => scene.heard === "quiet");
    expect(one.said).to.equal("");
    heal();
    await one.hears("quiet");
  });

  it("takes its time when it is slow", async () => {
    const one = scene.dial();
    const pace = { delayMs: 60, bytesPerSecond: 1_000_000 };
    const heal = scene.proxy.impose({ type: "slow", ...pace });
    const beganMs = performance.now();
    one.socket.write("late");
    await one.hears("late");
    // Once forth and once back.
    expect(performance.now() - beganMs).to.be.at.least(110);
    heal();
  });

  it("lets so many bytes through in a second", async () => {
    const one = scene.dial();
    const pace = { delayMs: 0, bytesPerSecond: 100_000 };
    scene.proxy.impose({ type: "slow", ...pace });
    const beganMs = performance.now();
    one.socket.write("x".repeat(20_000));
    await soon("all arrived", () => scene.heard.length === 20_000);
    one.socket.write("y");
    await soon("the last one arrived", () => scene.heard.endsWith("y"));
    expect(performance.now() - beganMs).to.be.at.least(190);
  });
});
