import { copyFileSync, rmSync } from "node:fs";

import type { NodeName, IntentId, GroupAddress } from "../protocol/ids.ts";
import type { Receipt } from "../protocol/records.ts";
import type { Json } from "../domains/domain.ts";
import { Host, type HostOptions, type HostPorts } from "../host/host.ts";
import type { Node } from "../node/node.ts";
import { NodeRefusal, type Settlement } from "../node/service.ts";

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
  readonly host: Host;
  readonly #file: string;
  readonly #waiters = new Map<IntentId, Waiter[]>();

  constructor(options: HostOptions, ports: HostPorts) {
    this.name = options.name;
    this.#file = options.file;
    this.host = new Host(options, {
      ...ports,
      onFact: (fact) => {
        if (fact.type === "Settled") this.#tell(fact.settlement);
        ports.onFact(fact);
      },
    });
  }

  get isUp(): boolean {
    return this.host.isUp;
  }

  /** The node; it must be up. */
  get node(): Node {
    return this.host.node;
  }

  start(): void {
    if (this.isUp) return;
    this.host.start();
    // What ended while nobody listened is told from the disk.
    for (const [id, waiters] of this.#waiters)
      for (const { group } of waiters.slice(0, 1)) this.#look(id, group);
  }

  /** Everything that is not on disk is lost, as if the process had been killed. */
  async crash(): Promise<void> {
    await this.host.stop();
  }

  async stop(): Promise<void> {
    await this.host.stop();
  }

  /** Copies its database as it is now, also while it is down. */
  copyTo(file: string): void {
    const { store } = this.host;
    if (store?.database.isOpen === true) store.database.copyTo(file);
    else copyFileSync(this.#file, file);
  }

  /** Replaces its database by a copy. It must be down. */
  replaceBy(copy: string): void {
    for (const suffix of ["", "-wal", "-shm"])
      rmSync(`${this.#file}${suffix}`, { force: true });
    copyFileSync(copy, this.#file);
  }

  /** Whether its disk has an intent. It must be up. */
  knows(group: GroupAddress, id: IntentId): boolean {
    return this.host.store?.records.intent(group, id) !== undefined;
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
    // While it is down, its store is closed.
    if (!this.isUp) return;
    const { node } = this;
    if (node.isOpen(group, id)) return;
    const outcome = this.#outcomeOf(id, group);
    if (outcome === undefined) return;
    void node.flushed().then(() => {
      if (this.isUp && this.node === node)
        this.#tell({ group, intentId: id, outcome });
    });
  }

  #outcomeOf(
    id: IntentId,
    group: GroupAddress,
  ): Settlement["outcome"] | undefined {
    const { store } = this.host;
    const receipt = store?.records.intent(group, id)?.receipt;
    if (receipt?.type === "Reverted")
      return { type: "Reverted", reason: receipt.reason };
    const fulfilment =
      receipt?.type === "Confirmed"
        ? store?.blocks.fulfilment(group, id)
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
