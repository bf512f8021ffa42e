import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
} from "node:crypto";

import type { UserBook } from "../../api/book.ts";
import { type Api, createApi } from "../../api/rpc/api.ts";
import { Dispatcher } from "../../api/rpc/dispatcher.ts";
import { ApiGate } from "../../api/rpc/gate.ts";
import { rpcLimits } from "../../api/rpc/limits.ts";
import { methods } from "../../api/rpc/methods.ts";
import type { Session } from "../../api/rpc/session.ts";
import type { NodeName } from "../../protocol/ids.ts";
import type { Domain } from "../../domains/domain.ts";
import type { Identity } from "../../keys/identity.ts";
import { createEndorser, createPayer } from "../../keys/secp256k1.ts";
import { walletOf } from "../../keys/wallet.ts";
import { Host } from "../../host/host.ts";
import type { EventMoment } from "../../node/driver.ts";
import type { Node } from "../../node/node.ts";
import type { NodeEvent } from "../../node/node-events.ts";
import type { NodeFact } from "../../node/ports.ts";
import type { NodeWrite } from "../../node/node-writes.ts";
import type { NodeService } from "../../node/service.ts";
import type { NodeSettings } from "../../node/settings.ts";
import type { ChainClient } from "../../chain/ports.ts";
import type { Timers } from "../../async/timers.ts";
import type { Queue } from "../queue.ts";
import { Random } from "../random.ts";
import type { SimulatedDisk } from "./disk.ts";
import { SimulatedMachine, standInSignature } from "./machine.ts";
import type { DurableFacts } from "./watch/durable-facts.ts";
import type { Watch } from "./watch/watch.ts";

/** The first bytes of a private key of Ed25519 in its usual form; 32 bytes follow. */
const PKCS8 = "302e020100300506032b657004220420";

/** The keys of one node, drawn from the seed. */
export interface HostKeys {
  readonly identity: Identity;
  readonly secret: string;
}

export function drawKeys(seed: number, name: NodeName): HostKeys {
  const secret = createHash("sha256").update(`${seed} ${name}`).digest("hex");
  const key = Buffer.from(PKCS8 + secret, "hex");
  const publicKey = createPublicKey(
    createPrivateKey({ key, format: "der", type: "pkcs8" }),
  );
  return {
    secret,
    identity: {
      publicKey,
      sign: (bytes) => standInSignature(publicText(publicKey), bytes),
      tls: () => {
        throw new Error("There are no sockets in a simulation.");
      },
    },
  };
}

const texts = new WeakMap<KeyObject, string>();

/** What a key is known by. */
function publicText(key: KeyObject): string {
  const known = texts.get(key);
  if (known !== undefined) return known;
  const text = key.export({ format: "der", type: "spki" }).toString("hex");
  texts.set(key, text);
  return text;
}

/** What a host needs of its world. */
export interface HostPorts {
  readonly queue: Queue;
  readonly disk: SimulatedDisk;
  readonly domains: ReadonlyMap<string, Domain>;
  readonly openClient: (timers: Timers) => ChainClient;
  /** Checks what the node says, hears and submits. */
  readonly watch: Watch;
  readonly carry: (to: NodeName, wire: Uint8Array) => void;
  readonly createBook: (
    ports: ConstructorParameters<typeof UserBook>[0],
    isCurrent: () => boolean,
  ) => UserBook;
  /** The node, as its users' API sees it. */
  readonly serviceOf: (node: Node) => NodeService;
  /** The node has started, and so has its API. */
  readonly onStarted: (book: UserBook) => void;
  readonly onFact: (fact: NodeFact) => void;
  readonly onFatal: (error: unknown) => void;
  /** The API met an error that is not a user's fault. */
  readonly onReport: (error: unknown) => void;
  /** An old instance of the node sends something. */
  readonly onTwinSends: (wire: Uint8Array) => void;
  /** An event of the node's loop begins to wait, or is stepped now. */
  readonly onEvent: (event: NodeEvent, moment: EventMoment) => void;
  /** The node has let nothing else happen on its machine for so long. */
  readonly onHeld: (ms: number) => void;
  /** What the node has just written. */
  readonly onWrites: (writes: readonly NodeWrite[]) => void;
}

interface SimulatedHostOptions {
  readonly seed: number;
  readonly chainId: bigint;
  readonly factory: string;
  readonly settings: NodeSettings;
  readonly keys: ReadonlyMap<NodeName, HostKeys>;
  /** What the loop needs for each event. */
  readonly eventMs: number;
}

/** One machine with one node, which crashes, and starts again on what its disk has. */
export class SimulatedHost {
  readonly name: NodeName;
  readonly #options: SimulatedHostOptions;
  readonly #ports: HostPorts;
  #starts = 0;
  /** Old instances that live on. */
  readonly #twins = new Set<{
    readonly machine: SimulatedMachine;
    readonly arrive: (wire: Uint8Array) => void;
  }>();
  #machine: SimulatedMachine | undefined;
  #host: Host | undefined;
  #arrive: ((wire: Uint8Array) => void) | undefined;
  #book: UserBook | undefined;
  #rpc: { readonly api: Api; readonly dispatcher: Dispatcher } | undefined;

  constructor(name: NodeName, options: SimulatedHostOptions, ports: HostPorts) {
    this.name = name;
    this.#options = options;
    this.#ports = ports;
  }

  get isUp(): boolean {
    return this.#host?.isUp === true;
  }

  /** What has been on its disk since it started. */
  get durable(): DurableFacts | undefined {
    return this.#machine?.durable;
  }

  get node(): Node | undefined {
    return this.#host?.isUp === true ? this.#host.node : undefined;
  }

  /** What it keeps for its users, while it is up. */
  get book(): UserBook | undefined {
    return this.isUp ? this.#book : undefined;
  }

  start(): void {
    const { seed, chainId, factory, settings, keys, eventMs } = this.#options;
    const { queue, disk, domains, openClient, carry, watch } = this.#ports;
    const own = keys.get(this.name);
    if (own === undefined) throw new Error(`${this.name} has no keys.`);
    const machine = new SimulatedMachine({
      queue,
      disk,
      random: new Random(seed, `machine ${this.name} ${++this.#starts}`),
      keyBytesOf: publicText,
      onHeld: this.#ports.onHeld,
    });
    this.#machine = machine;
    const key = `0x${own.secret}`;
    const { durable } = machine;
    const heard = watch.listener(this.name);
    let arrived: Uint8Array | undefined;
    const alive =
      <Arguments extends readonly unknown[]>(
        act: (...values: Arguments) => void,
      ) =>
      (...values: Arguments): void => {
        if (machine.isAlive) act(...values);
      };
    const current =
      <Arguments extends readonly unknown[]>(
        act: (...values: Arguments) => void,
      ) =>
      (...values: Arguments): void => {
        if (machine.isAlive && !machine.isTwin) act(...values);
      };
    this.#host = new Host(
      { name: this.name, chainId, factory, settings, file: this.name },
      {
        machine,
        connect: (_, arrive) => {
          this.#arrive = (wire) => {
            arrived = wire;
            arrive(wire);
            arrived = undefined;
          };
          return {
            carry: alive((to: NodeName, wire: Uint8Array) => {
              watch.sends({ from: this.name, to }, wire, durable);
              if (machine.isTwin) this.#ports.onTwinSends(wire);
              machine.afterWork(() => {
                carry(to, wire);
              });
            }),
            stop: async () => {
              await Promise.resolve();
            },
          };
        },
        onHeard: () => {
          if (arrived !== undefined) heard(arrived);
        },
        client: watch.clientOf(this.name, openClient(machine.timers), durable),
        identity: own.identity,
        peers: new Map(
          [...keys].map(([name, { identity, secret }]) => [
            name,
            {
              publicKey: identity.publicKey,
              endorser: createEndorser(`0x${secret}`).address,
            },
          ]),
        ),
        isSignedBy: async (name, bytes, signature) => {
          const signer = keys.get(name)?.identity.publicKey;
          await Promise.resolve();
          return (
            signer !== undefined &&
            machine.verifyEnvelope(bytes, signer, signature)
          );
        },
        endorser: createEndorser(key),
        payers: [createPayer(key)],
        wallet: walletOf(Buffer.from(own.secret, "hex")),
        domains: [...domains.values()],
        onBatch: ({ writes }, moment) => {
          if (moment === "written" && !machine.isTwin)
            this.#ports.onWrites(writes);
        },
        onEvent: (event, moment) => {
          if (!machine.isTwin) this.#ports.onEvent(event, moment);
          if (moment === "stepped") machine.work(eventMs);
        },
        createUsers: ({ database }) => {
          const now = machine.wallMs;
          const isCurrent = (): boolean => !machine.isTwin;
          const book = this.#ports.createBook({ database, now }, isCurrent);
          this.#book = book;
          return book;
        },
        onFact: current(this.#ports.onFact),
        onFatal: current((error: unknown) => {
          this.#rpc?.api.stop();
          this.#rpc = undefined;
          this.#ports.onFatal(error);
        }),
      },
    );
    this.#host.start();
    this.#serve(machine);
  }

  /** A user's request, as it comes over a connection. There may be no answer. */
  ask(
    text: string,
    session: Session | undefined,
    onAnswer: (answer: string) => void,
  ): void {
    this.act(() => {
      const machine = this.#machine;
      void this.#rpc?.dispatcher
        .handle(text, { inFlight: 0 }, session)
        .then((reply) => {
          if (reply.text !== undefined && machine?.isAlive === true)
            onAnswer(reply.text);
        });
    });
  }

  /** Does something on the machine, as soon as it has time. */
  act(work: () => void): void {
    this.#machine?.at(this.#ports.queue.now, work);
  }

  #serve(machine: SimulatedMachine): void {
    const { node } = this;
    const book = this.#book;
    if (node === undefined || book === undefined) return;
    const report = (error: unknown): void => {
      if (machine.isAlive && !machine.isTwin && this.isUp)
        this.#ports.onReport(error);
    };
    const api = createApi({
      service: this.#ports.serviceOf(node),
      book,
      timers: machine.timers,
      newId: () => uuidOf(machine.randomBytes(16)),
      report,
    });
    const options = { limits: rpcLimits, methods };
    const gate = new ApiGate();
    gate.serve(api);
    const dispatcher = new Dispatcher(options, { gate, report });
    this.#rpc = { api, dispatcher };
    api.start();
    this.#ports.onStarted(book);
  }

  /**
   * The node is taken for dead and its disk given to a new process, but it lives on for a while: it hears what comes, and may send.
   * Nothing may happen that follows from what it writes.
   */
  split(ms: number): void {
    const machine = this.#machine;
    const arrive = this.#arrive;
    if (machine === undefined || arrive === undefined) return;
    this.#ports.disk.leave();
    machine.isTwin = true;
    const twin = { machine, arrive };
    this.#twins.add(twin);
    machine.at(this.#ports.queue.now + ms, () => {
      machine.kill();
      this.#twins.delete(twin);
    });
    this.#forget();
  }

  #forget(): void {
    this.#machine = undefined;
    this.#host = undefined;
    this.#arrive = undefined;
    this.#book = undefined;
    this.#rpc = undefined;
  }

  /** Between any two things that the node does. Nothing of it goes on. */
  crash({ isKept }: { readonly isKept: boolean }): void {
    this.#machine?.kill();
    this.#forget();
    this.#ports.disk.crash({ isKept });
  }

  /** All that its disk has is gone. */
  loseDisk(): void {
    this.#ports.disk.lose();
  }

  get hasBackup(): boolean {
    return this.#ports.disk.hasBackup;
  }

  backUp(): void {
    this.#ports.disk.backUp();
  }

  /** Its disk is as it was when it was backed up last. */
  restoreDisk(): void {
    this.#ports.disk.restore();
  }

  freeze(ms: number): void {
    this.#machine?.freeze(ms);
  }

  arrive(wire: Uint8Array): void {
    const arrive = this.#arrive;
    this.#machine?.at(this.#ports.queue.now, () => {
      arrive?.(wire);
    });
    for (const twin of this.#twins)
      twin.machine.at(this.#ports.queue.now, () => {
        twin.arrive(wire);
      });
  }
}

/** A UUID of version 4. */
function uuidOf(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString("hex");
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20),
  ];
  return parts.join("-");
}
