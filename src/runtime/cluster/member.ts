import type { KeyObject } from "node:crypto";
import { copyFileSync, rmSync } from "node:fs";

import type { NodeName, IntentId, GroupAddress } from "../../protocol/ids.ts";
import type { Receipt } from "../../protocol/records.ts";
import type { Domain, Json } from "../domains/domain.ts";
import { type Identity, isSignedWith } from "../keys/identity.ts";
import { Node } from "../node/node.ts";
import type {
  Directory,
  NodeFact,
  NodePorts,
  UserBook,
} from "../node/ports.ts";
import type { NodeSettings } from "../node/settings.ts";
import type { ChainClient, Endorser } from "../ports.ts";
import { type Machine, thisMachine } from "../machine.ts";
import { NodeRefusal, type Settlement } from "../service.ts";
import { newSalt, SALT_BYTES } from "../states/content.ts";
import { openStore, type Store } from "../store/store.ts";
import type { Timers } from "../timers.ts";
import type { Connect } from "../transport/carrier.ts";
import { networkIdOf } from "../transport/network-id.ts";
import { createSealedTransport } from "../transport/sealed-transport.ts";
import { createSession } from "../transport/session.ts";

/** What a node is, also while it is down. */
export interface MemberOptions {
  readonly name: NodeName;
  readonly chainId: bigint;
  readonly factory: string;
  readonly settings: NodeSettings;
  /** Its database. */
  readonly file: string;
  /** Groups with nothing to do that it keeps in memory. */
  readonly restingMax?: number;
}

/** What a node is connected with. */
export interface MemberPorts extends Pick<
  NodePorts,
  "endorser" | "payers" | "faucet" | "wallet" | "directory" | "onTurn"
> {
  /** Without it, it runs on this one. */
  readonly machine?: Machine;
  /** The network between the nodes. */
  readonly connect: Connect;
  readonly client: ChainClient;
  readonly identity: Identity;
  readonly registry: ReadonlyMap<NodeName, KeyObject>;
  readonly endorser: Endorser;
  readonly domains: ReadonlyMap<string, Domain>;
  readonly createUsers: (store: Store, name: NodeName) => UserBook;
  readonly timers?: Timers | undefined;
  readonly onFact: (name: NodeName, fact: NodeFact) => void;
  readonly onFatal: (name: NodeName, error: unknown) => void;
}

/** What a user asks of a node. */
export interface SendOptions {
  readonly group: GroupAddress;
  /** As in `transfer(string,string,uint256)`. */
  readonly function: string;
  readonly args: Readonly<Record<string, Json>>;
  readonly from?: string;
  readonly dependsOn?: readonly IntentId[];
}

interface Waiter {
  readonly group: GroupAddress;
  readonly resolve: (settlement: Settlement) => void;
}

/** One node with its disk. It can crash, and start again on its own disk. */
export class Member {
  readonly name: NodeName;
  readonly #options: MemberOptions;
  readonly #ports: MemberPorts;
  readonly #waiters = new Map<IntentId, Waiter[]>();
  #node: Node | undefined;
  #store: Store | undefined;

  constructor(options: MemberOptions, ports: MemberPorts) {
    this.name = options.name;
    this.#options = options;
    this.#ports = ports;
  }

  get isUp(): boolean {
    return this.#node !== undefined;
  }

  /** The node; it must be up. */
  get node(): Node {
    if (this.#node === undefined)
      throw new NodeRefusal(`${this.name} is down. Start it again first.`);
    return this.#node;
  }

  start(): void {
    if (this.#node !== undefined) return;
    const { connect, identity, registry, onFact, onFatal } = this.#ports;
    const machine = this.#ports.machine ?? thisMachine;
    const { wallMs, randomBytes } = machine;
    const { timers = machine.timers } = this.#ports;
    const store = openStore(
      { file: this.#options.file },
      { randomBytes, now: wallMs, openDisk: machine.openDisk },
    );
    this.#store = store;
    const node = new Node(this.#options, {
      store,
      client: this.#ports.client,
      timers,
      newSalt:
        machine === thisMachine
          ? newSalt
          : () => `0x${Buffer.from(randomBytes(SALT_BYTES)).toString("hex")}`,
      domains: this.#ports.domains,
      directory: this.#ports.directory,
      sign: identity.sign,
      endorser: this.#ports.endorser,
      wallet: this.#ports.wallet,
      connect: (receive, onBoot) =>
        createSealedTransport(
          {
            name: this.name,
            network: networkIdOf(this.#options),
            boot: store.startedAt,
            identity,
            registry,
            boots: store.peers.list(),
            session: createSession(wallMs(), randomBytes),
            verify: machine.verifyEnvelope,
          },
          { connect, receive, onBoot, now: timers.now },
        ),
      payers: this.#ports.payers,
      faucet: this.#ports.faucet,
      onTurn: this.#ports.onTurn,
      users: this.#ports.createUsers(store, this.name),
      onFact: (fact) => {
        if (fact.type === "Settled") this.#tell(fact.settlement);
        onFact(this.name, fact);
      },
      onFatal: (error) => {
        this.#node = undefined;
        onFatal(this.name, error);
      },
    });
    this.#node = node;
    node.start();
    // What ended while nobody listened is told from the disk.
    for (const [id, waiters] of this.#waiters)
      for (const { group } of waiters.slice(0, 1)) this.#look(id, group);
  }

  /** Everything that is not on disk is lost, as if the process had been killed. */
  async crash(): Promise<void> {
    const node = this.#node;
    this.#node = undefined;
    await node?.stop();
  }

  async stop(): Promise<void> {
    await this.crash();
  }

  /** Copies its database as it is now, also while it is down. */
  copyTo(file: string): void {
    const store = this.#store;
    if (store?.database.isClosed === false) store.database.copyTo(file);
    else copyFileSync(this.#options.file, file);
  }

  /** Replaces its database by a copy. It must be down. */
  replaceBy(copy: string): void {
    const { file } = this.#options;
    for (const part of [file, `${file}-wal`, `${file}-shm`])
      rmSync(part, { force: true });
    copyFileSync(copy, file);
  }

  /** Whether its disk has an intent. It must be up. */
  knows(group: GroupAddress, id: IntentId): boolean {
    return this.#store?.records.intent(group, id) !== undefined;
  }

  /** Resolves with the id when the intent is on the node's disk. */
  async send(options: SendOptions): Promise<IntentId> {
    const { node } = this;
    const group = node.group(options.group);
    if (group === undefined)
      throw new NodeRefusal(
        `${this.name} takes part in no group ${options.group}.`,
      );
    const { payload, touches } = group.domain.check({
      group,
      node: this.name,
      from: options.from ?? this.name,
      signature: options.function,
      args: options.args,
    });
    const { id, laneSalt } = node.newIntentId(options.group);
    const intent = {
      group: options.group,
      id,
      laneSalt,
      payload,
      touches,
      dependsOn: options.dependsOn ?? [],
      isPrepareOnly: false,
    };
    await node.submit({ intents: [intent], transactions: [] }, () => undefined);
    return id;
  }

  /** Resolves when the intent has ended, across crashes of the node. */
  async receipt(group: GroupAddress, id: IntentId): Promise<Receipt> {
    const { outcome } = await this.settlement(group, id);
    return outcome.type === "Confirmed"
      ? { type: "Confirmed", id, block: outcome.block }
      : { type: "Reverted", id, reason: outcome.reason };
  }

  /** The same, with the place on the ledger. */
  async settlement(group: GroupAddress, id: IntentId): Promise<Settlement> {
    return await new Promise((resolve) => {
      const waiters = this.#waiters.get(id) ?? [];
      waiters.push({ group, resolve });
      this.#waiters.set(id, waiters);
      this.#look(id, group);
    });
  }

  /** Tells what ended before somebody asked, once it is on the disk. */
  #look(id: IntentId, group: GroupAddress): void {
    const node = this.#node;
    // While it is down, its store is closed.
    if (node === undefined || node.isOpen(group, id)) return;
    const outcome = this.#outcomeOf(id, group);
    if (outcome === undefined) return;
    void node.flushed().then(() => {
      if (this.#node === node) this.#tell({ group, intentId: id, outcome });
    });
  }

  #outcomeOf(
    id: IntentId,
    group: GroupAddress,
  ): Settlement["outcome"] | undefined {
    const receipt = this.#store?.records.intent(group, id)?.receipt;
    if (receipt?.type === "Reverted")
      return { type: "Reverted", reason: receipt.reason };
    const fulfilment =
      receipt?.type === "Confirmed"
        ? this.#store?.blocks.fulfilment(group, id)
        : undefined;
    if (fulfilment === undefined) return undefined;
    const { block, transactionHash, transactionIndex, logIndex } = fulfilment;
    return {
      type: "Confirmed",
      block,
      transactionHash,
      transactionIndex,
      logIndex,
    };
  }

  #tell(settlement: Settlement): void {
    const { intentId } = settlement;
    for (const { resolve } of this.#waiters.get(intentId) ?? [])
      resolve(settlement);
    this.#waiters.delete(intentId);
  }
}

/** The directory of nodes that are all known. */
export function directoryOf(
  members: ReadonlyMap<
    NodeName,
    { readonly publicKey: KeyObject; readonly endorser: Endorser["address"] }
  >,
): Directory {
  return {
    names: () => [...members.keys()],
    endorserOf: (name) => members.get(name)?.endorser,
    isSignedBy: async (name, bytes, signature) => {
      const key = members.get(name)?.publicKey;
      return key !== undefined && (await isSignedWith(key, bytes, signature));
    },
  };
}
