import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
} from "node:crypto";

import type { NodeName } from "../../protocol/ids.ts";
import { directoryOf, Member } from "../../runtime/cluster/member.ts";
import type { Domain } from "../../runtime/domains/domain.ts";
import type { Identity } from "../../runtime/keys/identity.ts";
import { createEndorser, createPayer } from "../../runtime/keys/secp256k1.ts";
import { walletOf } from "../../runtime/keys/wallet.ts";
import type { Node } from "../../runtime/node/node.ts";
import type { NodeFact, UserBook } from "../../runtime/node/ports.ts";
import type { NodeSettings } from "../../runtime/node/settings.ts";
import type { ChainClient } from "../../runtime/ports.ts";
import type { Timers } from "../../runtime/timers.ts";
import type { Queue } from "../queue.ts";
import { Random } from "../random.ts";
import type { SimulatedDisk } from "./disk.ts";
import { SimulatedMachine, standInSignature } from "./machine.ts";

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
  readonly carry: (to: NodeName, wire: Uint8Array) => void;
  readonly createUsers: () => UserBook;
  readonly onFact: (fact: NodeFact) => void;
  readonly onFatal: (error: unknown) => void;
}

/** One machine with one node, which crashes, and starts again on what its disk has. */
export class SimulatedHost {
  readonly name: NodeName;
  readonly #options: {
    readonly seed: number;
    readonly chainId: bigint;
    readonly factory: string;
    readonly settings: NodeSettings;
    readonly keys: ReadonlyMap<NodeName, HostKeys>;
  };
  readonly #ports: HostPorts;
  #starts = 0;
  #machine: SimulatedMachine | undefined;
  #member: Member | undefined;
  #arrive: ((wire: Uint8Array) => void) | undefined;

  constructor(
    name: NodeName,
    options: {
      readonly seed: number;
      readonly chainId: bigint;
      readonly factory: string;
      readonly settings: NodeSettings;
      readonly keys: ReadonlyMap<NodeName, HostKeys>;
    },
    ports: HostPorts,
  ) {
    this.name = name;
    this.#options = options;
    this.#ports = ports;
  }

  get isUp(): boolean {
    return this.#member?.isUp === true;
  }

  get node(): Node | undefined {
    return this.#member?.isUp === true ? this.#member.node : undefined;
  }

  start(): void {
    const { seed, chainId, factory, settings, keys } = this.#options;
    const { queue, disk, domains, openClient, carry } = this.#ports;
    const own = keys.get(this.name);
    if (own === undefined) throw new Error(`${this.name} has no keys.`);
    const machine = new SimulatedMachine({
      queue,
      disk,
      random: new Random(seed, `machine ${this.name} ${++this.#starts}`),
      keyBytesOf: publicText,
    });
    this.#machine = machine;
    const key = `0x${own.secret}`;
    const alive =
      <Arguments extends readonly unknown[]>(
        act: (...values: Arguments) => void,
      ) =>
      (...values: Arguments): void => {
        if (machine.isAlive) act(...values);
      };
    this.#member = new Member(
      { name: this.name, chainId, factory, settings, file: this.name },
      {
        machine,
        connect: (_, arrive) => {
          this.#arrive = arrive;
          return {
            carry: alive(carry),
            stop: async () => {
              await Promise.resolve();
            },
          };
        },
        client: openClient(machine.timers),
        identity: own.identity,
        registry: new Map(
          [...keys].map(([name, { identity }]) => [name, identity.publicKey]),
        ),
        directory: {
          ...directoryOf(
            new Map(
              [...keys].map(([name, { identity, secret }]) => [
                name,
                {
                  publicKey: identity.publicKey,
                  endorser: createEndorser(`0x${secret}`).address,
                },
              ]),
            ),
          ),
          isSignedBy: async (name, bytes, signature) => {
            const signer = keys.get(name);
            await Promise.resolve();
            return (
              signer !== undefined &&
              Buffer.from(signature).equals(
                standInSignature(publicText(signer.identity.publicKey), bytes),
              )
            );
          },
        },
        endorser: createEndorser(key),
        payers: [createPayer(key)],
        wallet: walletOf(Buffer.from(own.secret, "hex")),
        faucet: async () => await Promise.resolve(false),
        domains,
        createUsers: () => this.#ports.createUsers(),
        onFact: alive((_: NodeName, fact: NodeFact) => {
          this.#ports.onFact(fact);
        }),
        onFatal: alive((_: NodeName, error: unknown) => {
          this.#ports.onFatal(error);
        }),
      },
    );
    this.#member.start();
  }

  /** Between any two things that the node does. Nothing of it goes on. */
  crash({ isKept }: { readonly isKept: boolean }): void {
    this.#machine?.kill();
    this.#machine = undefined;
    this.#member = undefined;
    this.#arrive = undefined;
    this.#ports.disk.crash({ isKept });
  }

  /** All that its disk has is gone. */
  loseDisk(): void {
    this.#ports.disk.lose();
  }

  freeze(ms: number): void {
    this.#machine?.freeze(ms);
  }

  arrive(wire: Uint8Array): void {
    const arrive = this.#arrive;
    this.#machine?.at(this.#ports.queue.now, () => {
      arrive?.(wire);
    });
  }
}
