import { request } from "node:http";
import { connect, type Socket } from "node:net";

import { expect } from "chai";

import {
  type MonitorDoor,
  type MonitorDoorOptions,
  openMonitorDoor,
} from "../../src/monitor/door.ts";
import { parseExposition } from "../helpers/monitor/exposition.ts";
import { MonitorRig } from "../helpers/monitor/fixture.ts";

interface Reply {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** A line to the door on which anything can be written. */
async function rawConnection(url: string): Promise<{
  readonly socket: Socket;
  readonly everything: Promise<string>;
}> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.on("error", () => undefined);
  const everything = new Promise<string>((resolve) => {
    socket.on("close", () => {
      resolve(Buffer.concat(chunks).toString());
    });
  });
  await new Promise((resolve) => socket.once("connect", resolve));
  return { socket, everything };
}

describe("The door of the monitor", () => {
  let rig: MonitorRig;
  let door: MonitorDoor;
  const errors: unknown[] = [];
  const open = async (
    options: Partial<MonitorDoorOptions> = {},
  ): Promise<void> => {
    rig = new MonitorRig();
    rig.see({ type: "Started", height: 0 });
    door = await openMonitorDoor(
      { port: 0, ...options },
      { monitor: rig.monitor, report: (error) => errors.push(error) },
    );
  };
  const ask = async (
    path: string,
    {
      method = "GET",
      headers = {},
      body,
    }: {
      readonly method?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    } = {},
  ): Promise<Reply> =>
    await new Promise((resolve, reject) => {
      const outgoing = request(
        door.url,
        { method, headers, path, agent: false },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("end", () => {
            resolve({
              status: response.statusCode,
              headers: response.headers,
              text: Buffer.concat(chunks).toString(),
            });
          });
        },
      );
      outgoing.on("error", reject);
      outgoing.end(body);
    });
  const statusOf = async (
    ...args: Parameters<typeof ask>
  ): Promise<number | undefined> => (await ask(...args)).status;
  /** As soon as the door has time for it: it may not have heard yet that others have gone, or take us for slow. */
  const healthSoon = async (): Promise<number | undefined> => {
    for (;;)
      try {
        const status = await statusOf("/health");
        if (status !== 408) return status;
      } catch (error) {
        if (!/ECONNRESET|hang up/.test(String(error))) throw error;
      }
  };
  afterEach(async () => {
    await door.close();
    expect(errors).to.deep.equal([]);
  });

  it("tells health, which turns when the node fails", async () => {
    await open();
    const well = await ask("/health");
    expect(well.status).to.equal(200);
    expect(JSON.parse(well.text)).to.deep.equal({ status: "ok" });
    rig.monitor.fail(new TypeError("a secret"));
    const ill = await ask("/health");
    expect(ill.status).to.equal(503);
    expect(JSON.parse(ill.text)).to.deep.equal({
      status: "failed",
      reasons: [{ code: "failed", text: "TypeError stopped it." }],
    });
  });

  it("tells readiness, which turns and returns", async () => {
    await open();
    expect(await statusOf("/ready")).to.equal(200);
    rig.see({ type: "ChainTrouble", reason: "https://me:secret@rpc/key" });
    const turned = await ask("/ready");
    expect(turned.status).to.equal(503);
    expect(turned.text)
      .to.match(/chain-trouble/)
      .and.not.match(/secret|key/);
    expect(await statusOf("/health")).to.equal(200);
    rig.see({ type: "ChainTrouble", reason: undefined });
    expect(await statusOf("/ready?verbose=1")).to.equal(200);
    rig.monitor.stop();
    expect(await statusOf("/ready")).to.equal(503);
    expect(await statusOf("/health")).to.equal(200);
  });

  it("tells the metrics", async () => {
    await open();
    const { status, text, headers } = await ask("/metrics");
    expect(status).to.equal(200);
    expect(headers["content-type"]).to.match(/^text\/plain; version=0\.0\.4/);
    expect(headers["cache-control"]).to.equal("no-store");
    expect(parseExposition(text).value("sequencer_ready")).to.equal(1);
  });

  it("only lets read", async () => {
    await open();
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"]) {
      const { status, headers } = await ask("/metrics", { method });
      expect([status, headers["allow"]]).to.deep.equal([405, "GET, HEAD"]);
    }
    const head = await ask("/metrics", { method: "HEAD" });
    expect([head.status, head.text]).to.deep.equal([200, ""]);
    expect(Number(head.headers["content-length"])).to.be.greaterThan(1_000);
    const posted = await ask("/health", { method: "POST", body: "x" });
    expect(posted.headers["connection"]).to.equal("close");
  });

  it("knows three paths", async () => {
    await open();
    for (const path of ["/", "/metrics/", "//metrics", "/../health", "/HEALTH"])
      expect(await statusOf(path), path).to.equal(404);
    const long = await ask(`/${"a".repeat(10_000)}`);
    expect(long.status).to.equal(404);
    expect(long.text.length).to.be.lessThan(100);
    expect(await statusOf(`/${"a".repeat(20_000)}`)).to.equal(431);
  });

  it("checks the name that it is called by, and refuses pages", async () => {
    await open({ allowedHosts: ["alice.example"] });
    for (const host of ["localhost:1", "127.0.0.1", "[::1]:5", "alice.example"])
      expect(await statusOf("/metrics", { headers: { host } })).to.equal(200);
    for (const host of [
      "evil.example",
      "127.0.0.1.evil.example",
      "x@localhost",
    ])
      for (const path of ["/metrics", "/health", "/ready", "/nothing"])
        expect(await statusOf(path, { headers: { host } })).to.equal(403);
    const headers = { origin: "https://evil.example" };
    expect(await statusOf("/metrics", { headers })).to.equal(403);
  });

  it("asks for the token, if there is one", async () => {
    const token = "a token that nobody would guess";
    await open({ token });
    expect(await statusOf("/metrics")).to.equal(401);
    expect(await statusOf("/nothing")).to.equal(401);
    const headers = { authorization: `Bearer ${token}` };
    expect(await statusOf("/metrics", { headers })).to.equal(200);
    const short = await openMonitorDoor(
      { port: 0, token: "short" },
      { monitor: rig.monitor, report: () => undefined },
    ).catch((error: unknown) => String(error));
    expect(short).to.match(/at least 16/);
  });

  it("tells everybody but web pages health and readiness, without a token", async () => {
    const token = "a token that nobody would guess";
    await open({ host: "0.0.0.0", token });
    for (const path of ["/health", "/ready"]) {
      for (const host of ["alice.example:8552", "10.0.0.7:8552", "[::1]"])
        expect(await statusOf(path, { headers: { host } }), host).to.equal(200);
      const headers = { origin: "https://evil.example" };
      expect(await statusOf(path, { headers })).to.equal(403);
    }
  });

  it("answers the checks of load balancers, which name no host", async () => {
    const check = async (line: string): Promise<string> => {
      const { socket, everything } = await rawConnection(door.url);
      socket.end(`${line}\r\n\r\n`);
      return (await everything).split("\r\n")[0] ?? "";
    };
    const token = "a token that nobody would guess";
    const lists = [{}, { token }, { token, allowedHosts: ["alice.example"] }];
    for (const options of lists) {
      await open(options);
      for (const verb of ["GET", "HEAD"])
        for (const path of ["/health", "/ready"])
          expect(await check(`${verb} ${path} HTTP/1.0`)).to.equal(
            "HTTP/1.1 200 OK",
          );
      expect(await check("GET /metrics HTTP/1.0")).to.match(/ 40[13] /);
      const named = `GET /ready HTTP/1.0\r\nHost: evil.example`;
      // With a token and no list of names, any name will do.
      const isAnyName = "token" in options && !("allowedHosts" in options);
      expect(await check(named)).to.match(isAnyName ? / 200 / : / 403 /);
      if (options !== lists.at(-1)) await door.close();
    }
  });

  it("tells load balancers to pass over a passive replica, and nobody to restart it", async () => {
    rig = new MonitorRig({}, { isPassive: () => true });
    door = await openMonitorDoor(
      { port: 0 },
      { monitor: rig.monitor, report: (error) => errors.push(error) },
    );
    const ready = await ask("/ready");
    expect(ready.status).to.equal(503);
    expect(JSON.parse(ready.text)).to.deep.equal({
      status: "not ready",
      reasons: [{ code: "passive", text: "Another replica of it is active." }],
    });
    expect(await statusOf("/health")).to.equal(200);
    expect(await statusOf("/metrics")).to.equal(200);
  });

  it("does not listen for other machines without a token", async () => {
    await open();
    const ports = { monitor: rig.monitor, report: () => undefined };
    for (const host of ["0.0.0.0", "::", "", "192.0.2.1", "127.evil.example"]) {
      const outcome = await openMonitorDoor(
        { port: 0, host, allowedHosts: ["alice.example"] },
        ports,
      ).then(
        async (opened) => {
          await opened.close();
          return "opened";
        },
        (error: unknown) => String(error),
      );
      expect(outcome, host).to.match(/without a token/);
    }
  });

  it("does not take the address of all interfaces for its name", async () => {
    const token = "a token that nobody would guess";
    await open({ host: "0.0.0.0", token, allowedHosts: ["alice.example"] });
    const statusAs = async (host: string): Promise<number | undefined> =>
      await statusOf("/metrics", {
        headers: { host, authorization: `Bearer ${token}` },
      });
    for (const host of ["0.0.0.0", "0.0.0.0:8552", "[::]", "evil.example"])
      expect(await statusAs(host), host).to.equal(403);
    expect(await statusAs("alice.example")).to.equal(200);
    const headers = { host: "localhost" };
    expect(await statusOf("/metrics", { headers })).to.equal(401);
  });

  it("ends with clients that trickle, or say nothing", async () => {
    await open({ limits: { headersMs: 50, bodyMs: 100 } });
    const slow = await rawConnection(door.url);
    slow.socket.write("GET /metrics HTTP/1.1\r\nHost: loc");
    const silent = await rawConnection(door.url);
    expect(await slow.everything).to.match(/^HTTP\/1\.1 408 /);
    await silent.everything;
    expect(await healthSoon()).to.equal(200);
  });

  it("does not read bodies", async () => {
    await open();
    const { socket, everything } = await rawConnection(door.url);
    socket.write(
      "GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000000000\r\n\r\nxxxx",
    );
    expect(await everything).to.match(/^HTTP\/1\.1 200 /);
  });

  it("has only so many connections, and answers again when some end", async () => {
    await open({ limits: { connections: 4 } });
    const held = await Promise.all(
      Array.from({ length: 4 }, async () => await rawConnection(door.url)),
    );
    const more = await Promise.all(
      Array.from({ length: 50 }, async () => await rawConnection(door.url)),
    );
    // Those beyond the bound are closed without a word.
    expect(
      new Set(await Promise.all(more.map(({ everything }) => everything))),
    ).to.deep.equal(new Set([""]));
    for (const { socket } of held) socket.destroy();
    await Promise.all(held.map(({ everything }) => everything));
    expect(await healthSoon()).to.equal(200);
  });

  it("survives what is no HTTP", async () => {
    await open();
    const { socket, everything } = await rawConnection(door.url);
    socket.write("\u0000\u0001 nonsense\r\n\r\n");
    expect(await everything).to.match(/^HTTP\/1\.1 400 /);
    expect(await statusOf("/health")).to.equal(200);
  });

  it("frees its port, and says so when another has it", async () => {
    await open();
    const port = Number(new URL(door.url).port);
    const ports = { monitor: rig.monitor, report: () => undefined };
    const failed = await openMonitorDoor({ port }, ports).catch(
      (error: unknown) => String(error),
    );
    expect(failed).to.match(/EADDRINUSE/);
    await door.close();
    door = await openMonitorDoor({ port }, ports);
    expect(await statusOf("/health")).to.equal(200);
  });
});
