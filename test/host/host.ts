import { once } from "node:events";
import { createServer, connect as dial } from "node:net";
import { join } from "node:path";

import { expect } from "chai";
import fc from "fast-check";

import { RpcServer } from "../../src/api/rpc/server.ts";
import { stopThenClose } from "../../src/chain/client/stop.ts";
import { type ChainClient, ChainError } from "../../src/chain/ports.ts";
import { groupToken } from "../../src/domains/group-token.ts";
import { Host } from "../../src/host/host.ts";
import { PartError, reasonOf } from "../../src/host/parts.ts";
import { createEndorser, createPayer } from "../../src/keys/secp256k1.ts";
import { createWallet } from "../../src/keys/wallet.ts";
import { Hub } from "../../src/network/in-process.ts";
import { thisMachine } from "../../src/node/machine.ts";
import type { Disk } from "../../src/store/disk.ts";
import { defaultSettings } from "../../src/node/settings.ts";
import { NodeRefusal } from "../../src/node/service.ts";
import { keyOf } from "../helpers/cluster.ts";
import { post } from "../helpers/rpc/client.ts";
import { Members } from "../helpers/members.ts";
import { untilTurn } from "../helpers/socket-nodes.ts";
import { nodeName, temporaryDirectory } from "../helpers/stores.ts";

/** Where a start can be disturbed, in the order in which a node gets there. */
const places = ["disk", "carrier", "started", "rpc"] as const;
type Place = (typeof places)[number];

/** How a start is disturbed: by an error at a place, or by a stop there. */
interface Disturbance {
  readonly at: Place;
  readonly how: "fails" | "is stopped";
}

/** The part that a place belongs to. */
const partOf: Readonly<Record<Place, string>> = {
  disk: "the store of alice",
  carrier: "the node of alice",
  started: "the node of alice",
  rpc: "the JSON-RPC of alice",
};

/** A chain that refuses everything, or does not answer before it is closed. */
function aClient(kind: "refuses" | "hangs"): ChainClient {
  const away = new ChainError("unreachable", "It is away.");
  let close = (): void => undefined;
  const closed = new Promise<void>((resolve) => {
    close = resolve;
  });
  return {
    request: async () => {
      if (kind === "hangs") await closed;
      throw away;
    },
    onHead: () => () => undefined,
    close: async () => {
      close();
      await Promise.resolve();
    },
  };
}

async function isListening(port: number): Promise<boolean> {
  const socket = dial(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** A node whose start can be disturbed, and what it opens and closes. */
class Scene {
  readonly events: string[] = [];
  readonly fatal: unknown[] = [];
  readonly host: Host;
  disturbance: Disturbance | undefined;
  /** Instead of that of its disk. */
  flush: Disk["flush"] | undefined;
  /** Of its JSON-RPC, while it is open. */
  #port: number | undefined;

  constructor(file: string, client: ChainClient) {
    const name = nodeName("alice");
    const keys = new Members(name);
    const hub = new Hub();
    const { identity } = keys.member(name);
    const endorser = createEndorser(keyOf(name));
    this.host = new Host(
      {
        name,
        file,
        chainId: 31_337n,
        factory: `0x${"fa".repeat(20)}`,
        settings: { ...defaultSettings, tickMs: 20, pollMs: 20 },
      },
      {
        machine: {
          ...thisMachine,
          openDisk: (path) => {
            this.#disturb("disk");
            const disk = thisMachine.openDisk(path);
            this.events.push("+disk");
            const close = (): void => {
              this.events.push("-disk");
              disk.close();
            };
            return {
              ...disk,
              close,
              flush: (done) => {
                (this.flush ?? disk.flush)(done);
              },
            };
          },
        },
        connect: (self, arrive) => {
          this.#disturb("carrier");
          const carrier = hub.connect(self, arrive);
          this.events.push("+carrier");
          const stop = async (): Promise<void> => {
            await this.#lookForRpc();
            this.events.push("-carrier");
            await carrier.stop();
          };
          return { ...carrier, carry: carrier.carry.bind(carrier), stop };
        },
        client,
        identity,
        endorser,
        peers: new Map([
          [name, { publicKey: identity.publicKey, endorser: endorser.address }],
        ]),
        wallet: createWallet(),
        domains: [groupToken],
        payers: [createPayer(keyOf(name))],
        onFact: ({ type }) => {
          if (type === "Started") this.#disturb("started");
        },
        onFatal: (error) => this.fatal.push(error),
      },
    );
  }

  #disturb(place: Place): void {
    if (this.disturbance?.at !== place) return;
    if (this.disturbance.how === "fails") throw new Error(`no ${place}`);
    void this.host.stop();
  }

  async #lookForRpc(): Promise<void> {
    if (this.#port !== undefined && !(await isListening(this.#port)))
      this.events.push("-rpc");
  }

  /** Starts it with everything, unless it is disturbed. */
  async start(disturbance?: Disturbance): Promise<void> {
    this.disturbance = disturbance;
    this.#port = undefined;
    this.host.start();
    const taken = createServer();
    let httpPort = 0;
    const isAtRpc = disturbance?.at === "rpc";
    if (isAtRpc && disturbance.how === "fails") {
      taken.listen(0, "127.0.0.1");
      await once(taken, "listening");
      const address = taken.address();
      httpPort = typeof address === "object" ? (address?.port ?? 0) : 0;
    }
    try {
      const opening = this.host.listen(
        { httpPort, webSocketPort: 0 },
        (error) => {
          this.fatal.push(error);
        },
      );
      if (isAtRpc && disturbance.how === "is stopped") void this.host.stop();
      const { httpUrl } = await opening;
      this.#port = Number(new URL(httpUrl).port);
      this.events.push("+rpc");
    } finally {
      if (taken.listening) {
        taken.close();
        await once(taken, "close");
      }
    }
  }
}

async function expectDown(work: Promise<unknown>): Promise<void> {
  const error: unknown = await work.catch((one: unknown) => one);
  expect(error).to.be.instanceOf(NodeRefusal);
}

describe("A host of a node", function () {
  this.timeout(120_000);
  let directory: ReturnType<typeof temporaryDirectory>;
  let count = 0;
  before(() => {
    directory = temporaryDirectory();
  });
  after(() => {
    directory.remove();
  });
  const aScene = (client = aClient("refuses")): Scene =>
    new Scene(join(directory.path, `${count++}.db`), client);

  const disturbances: readonly Disturbance[] = places.flatMap((at) => [
    { at, how: "fails" },
    { at, how: "is stopped" },
  ]);

  /** What was opened in a life is closed in reverse, once. */
  function expectAllClosed(events: readonly string[]): void {
    const opened = events.filter((event) => event.startsWith("+"));
    const closed = events.filter((event) => event.startsWith("-"));
    expect(events).to.deep.equal([...opened, ...closed]);
    expect(closed.map((event) => `+${event.slice(1)}`)).to.deep.equal(
      [...opened].reverse(),
    );
  }

  async function expectDisturbed(
    scene: Scene,
    disturbance: Disturbance,
  ): Promise<void> {
    const { at, how } = disturbance;
    const error: unknown = await scene
      .start(disturbance)
      .then(() => undefined)
      .catch((one: unknown) => one);
    // After a stop in the last step of the node's start, the next part refuses.
    if (how === "is stopped" && at === "started")
      expect(error).to.be.instanceOf(NodeRefusal);
    else if (how === "is stopped" && at === "carrier")
      expect(error).to.be.instanceOf(NodeRefusal);
    else {
      expect(error).to.be.instanceOf(PartError);
      const part = how === "fails" ? partOf[at] : undefined;
      if (part !== undefined) expect(error).to.have.property("part", part);
    }
    if (how === "fails") {
      const reason = reasonOf(error);
      expect(String(reason)).to.match(
        at === "rpc" ? /EADDRINUSE/ : new RegExp(`no ${at}`),
      );
    }
    await scene.host.stop();
    expect(scene.host.isUp).to.equal(false);
    expectAllClosed(scene.events);
  }

  for (const disturbance of disturbances)
    it(`starts again after a start that ${disturbance.how} at ${disturbance.at}`, async () => {
      const scene = aScene();
      await expectDisturbed(scene, disturbance);
      scene.events.length = 0;
      await scene.start();
      expect(scene.host.node.status().name).to.equal("alice");
      expect(scene.events).to.deep.equal(["+disk", "+carrier", "+rpc"]);
      await scene.host.stop();
      await scene.host.stop();
      expectAllClosed(scene.events);
      expect(scene.fatal).to.deep.equal([]);
    });

  it("closes by itself what a start had opened that fails", async () => {
    for (const at of ["disk", "carrier", "started"] as const) {
      const scene = aScene();
      scene.disturbance = { at, how: "fails" };
      expect(() => {
        scene.host.start();
      }).to.throw(PartError, `no ${at}`);
      const count = (sign: string): number =>
        scene.events.filter((event) => event.startsWith(sign)).length;
      await untilTurn(() => count("+") === count("-"));
      expectAllClosed(scene.events);
    }
  });

  it("starts and stops any number of times on the same disk, whatever happens in between", async () => {
    const life = fc.option(fc.constantFrom(...disturbances), {
      nil: undefined,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(life, { maxLength: 6 }), async (lives) => {
        const scene = aScene();
        let boot = 0;
        for (const disturbance of [...lives, undefined]) {
          scene.events.length = 0;
          if (disturbance !== undefined) {
            await expectDisturbed(scene, disturbance);
            continue;
          }
          await scene.start();
          const status = scene.host.node.status();
          expect(status.boot).to.be.greaterThan(boot);
          boot = status.boot;
          await scene.host.stop();
          expectAllClosed(scene.events);
        }
        expect(scene.fatal).to.deep.equal([]);
      }),
      { numRuns: 20 },
    );
  });

  it("refuses to start before its stop is over, and does not forget it", async () => {
    const scene = aScene();
    await scene.start();
    const stopping = scene.host.stop();
    expect(() => {
      scene.host.start();
    }).to.throw(NodeRefusal, "alice is starting or stopping");
    await stopping;
    expectAllClosed(scene.events);
    scene.host.start();
    await scene.host.stop();
  });

  for (const outcome of ["durable", "refused"] as const)
    it(`tells nobody of its start before the log has it: ${outcome}`, async () => {
      const scene = aScene();
      const { events, host } = scene;
      let flushed: (error: Error | null) => void = () => undefined;
      scene.flush = (done) => {
        flushed = done;
      };
      const starting = host.startDurably().then(
        () => "up",
        (error: unknown) => String(reasonOf(error)),
      );
      expect(host.isUp).to.equal(false);
      expect(() => {
        host.start();
      }).to.throw(NodeRefusal);
      await untilTurn(() => flushed.length > 0);
      expect(events).to.deep.equal(["+disk"]);
      scene.flush = undefined;
      flushed(outcome === "refused" ? new Error("It has other turns.") : null);
      if (outcome === "refused") {
        expect(await starting).to.include("other turns");
        expect(host.isUp).to.equal(false);
      } else {
        expect(await starting).to.equal("up");
        expect(events).to.deep.equal(["+disk", "+carrier"]);
      }
      await host.stop();
      expectAllClosed(events);
    });

  it("closes its API with the node, and opens another one after the next start", async () => {
    const { host } = aScene();
    const report = (error: unknown): never => {
      throw error;
    };
    const seen: unknown[] = [];
    for (const _ of [1, 2]) {
      host.start();
      const api = await host.openApi(report);
      expect(api.service).to.equal(host.node);
      expect(seen).to.not.include(api);
      seen.push(api);
      await host.stop();
      await expectDown(host.openApi(report));
    }
  });

  it("answers through a server that outlives it, which is paused before anything else closes", async () => {
    const scene = aScene();
    const { host, events } = scene;
    const report = (error: unknown): never => {
      throw error;
    };
    const server = new RpcServer({ httpPort: 0, webSocketPort: 0 }, { report });
    const { httpUrl } = await server.start();
    const ask = async (): Promise<unknown> => {
      const answer = (await post(httpUrl, {
        jsonrpc: "2.0",
        id: 1,
        method: "sequencer_status",
        params: [],
      })) as {
        readonly result?: { readonly name: string };
        readonly error?: { readonly message: string };
      };
      return answer.result?.name ?? answer.error?.message;
    };
    expect(await ask()).to.match(/^PD099020: /);
    for (const life of [1, 2, 3]) {
      host.start();
      await host.answerThrough(server, {
        why: () => {
          events.push("-rpc");
          return { why: `alice left life ${life}` };
        },
        report,
      });
      events.push("+rpc");
      expect(await ask()).to.equal("alice");
      await host.stop();
      expect(await ask()).to.equal(`PD099020: alice left life ${life}`);
      expectAllClosed(events.splice(0));
    }
    await expectDown(
      host.answerThrough(server, { why: () => ({ why: "" }), report }),
    );
    await server.stop();
  });

  it("stops while the chain does not answer", async () => {
    const client = aClient("hangs");
    const scene = aScene(client);
    await scene.start();
    const startedMs = performance.now();
    await stopThenClose(async () => {
      await scene.host.stop();
    }, [client]);
    expect(performance.now() - startedMs).to.be.lessThan(30_000);
    expectAllClosed(scene.events);
  });
});
