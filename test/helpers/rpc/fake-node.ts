import { createHash } from "node:crypto";

import {
  type GroupAddress,
  type IntentId,
  parseGroupAddress,
  parseIntentId,
  parseStateId,
} from "../../../src/protocol/ids.ts";
import type {
  Domain,
  DomainState,
  NewState,
  StateView,
} from "../../../src/domains/domain.ts";
import { createWallet } from "../../../src/keys/wallet.ts";
import { isName, parseName } from "../../../src/keys/user-names.ts";
import {
  type IntentEffect,
  type NewIntent,
  type NewWork,
  type NodeGroup,
  NodeRefusal,
  type NodeService,
  type NodeStatus,
  type TransactionSigner,
  type WantedGroup,
} from "../../../src/node/service.ts";
import type { Database } from "../../../src/store/database.ts";
import type { UserBook } from "../../../src/api/book.ts";
import { nodeNamed } from "../simulated-group.ts";

type GroupOptions = Parameters<NodeService["createGroup"]>[0];

/** Intents that the node keeps open; small, so that a test can reach it. */
const openMax = 1_000;

/**
 * A node by itself, without a protocol: it takes intents, and when a test says so it does them, one block for all, and
 * commits as a node does.
 */
export class FakeNode implements NodeService {
  readonly name = nodeNamed("node1");
  readonly domains: ReadonlyMap<string, Domain>;
  readonly #wallet = createWallet();
  readonly #database: Database;
  readonly #book: UserBook;
  readonly #groups = new Map<string, NodeGroup>();
  readonly #open: NewIntent[] = [];
  readonly #states = new Map<string, DomainState>();
  readonly #effects = new Map<string, IntentEffect>();
  readonly #listeners = new Set<() => void>();
  readonly #wanted: {
    readonly options: GroupOptions;
    readonly resolve: (group: NodeGroup) => void;
    readonly reject: (error: Error) => void;
  }[] = [];
  isDraining = false;
  #height = 1;
  #intents = 0;

  constructor(
    options: { readonly domains: readonly Domain[] },
    ports: { readonly database: Database; readonly book: UserBook },
  ) {
    this.domains = new Map(
      options.domains.map((domain) => [domain.name, domain]),
    );
    this.#database = ports.database;
    this.#book = ports.book;
  }

  groups(): readonly NodeGroup[] {
    return [...this.#groups.values()];
  }

  group(address: GroupAddress): NodeGroup | undefined {
    return this.#groups.get(address);
  }

  async createGroup(options: GroupOptions): Promise<NodeGroup> {
    return await new Promise((resolve, reject) => {
      this.#wanted.push({ options, resolve, reject });
    });
  }

  /** There is no ledger that could have any. */
  async importGroup(): Promise<NodeGroup> {
    await Promise.resolve();
    throw new NodeRefusal("The factory did not create it.");
  }

  checkGroup({ members }: WantedGroup): void {
    for (const member of members)
      if (member !== this.name)
        throw new NodeRefusal(
          `${this.name} does not know the node "${member}". It knows: ${this.name}.`,
        );
  }

  /** Groups that are wanted and not created yet. */
  get wanted(): number {
    return this.#wanted.length;
  }

  newIntentId(): ReturnType<NodeService["newIntentId"]> {
    const id = id32(parseIntentId, `intent ${this.#intents++}`);
    return { id, laneSalt: "" };
  }

  async submit({ intents }: NewWork, record: () => void): Promise<void> {
    // As in a real node there is time between the question and the commit.
    await Promise.resolve();
    if (intents.some(({ isPrepareOnly }) => isPrepareOnly))
      throw new NodeRefusal("Preparing without dispatch is not supported");
    if (this.#open.length + intents.length > openMax)
      throw new NodeRefusal("Too many intents");
    this.#database.write(record);
    this.#open.push(...intents);
  }

  signerOf(name: string): TransactionSigner | undefined {
    const userName = parseName(name);
    if (userName === undefined) return undefined;
    return { address: this.#wallet.keyOf(userName).address, userName };
  }

  /** Nobody ever looks whether the money is there. */
  async fund(): Promise<boolean> {
    return await Promise.resolve(true);
  }

  /** What is for the base ledger never gets there. */
  sent(): undefined {
    return undefined;
  }

  explainSent(): undefined {
    return undefined;
  }

  drain(isDraining: boolean): void {
    this.isDraining = isDraining;
  }

  async resume(id: IntentId): Promise<boolean> {
    return await Promise.resolve(this.explain(id) !== undefined);
  }

  explain(id: IntentId): string | undefined {
    return this.#open.some((open) => open.id === id)
      ? "It waits for the next block."
      : undefined;
  }

  async query(
    address: GroupAddress,
    call: Parameters<NodeService["query"]>[1],
  ): ReturnType<NodeService["query"]> {
    const group = this.#groups.get(address);
    if (group === undefined) throw new NodeRefusal(`No group ${address}`);
    return await group.domain.query(
      { group, node: this.name, ...call },
      this.#view(),
    );
  }

  preparedOf(): undefined {
    return undefined;
  }

  effectOf(_: GroupAddress, id: IntentId): IntentEffect | undefined {
    return this.#effects.get(id);
  }

  async publicKeyOf({
    name,
    node,
  }: Parameters<NodeService["publicKeyOf"]>[0]): Promise<string | undefined> {
    if (node !== this.name) throw new NodeRefusal(`Nobody knows ${node}`);
    return await Promise.resolve(
      isName(name) ? this.#wallet.keyOf(name).publicKey : undefined,
    );
  }

  height(): number {
    return this.#height;
  }

  status(): NodeStatus {
    return {
      name: this.name,
      height: this.#height,
      boot: 1,
      groups: this.groups().map(({ address, name, domain, ...group }) => ({
        address,
        name,
        domain: domain.name,
        isMember: true,
        epoch: "0",
        endorsers: group.endorsers,
        threshold: group.threshold,
        trouble: undefined,
        sender: "Sending",
        coordinator: "Active",
        active: this.name,
        heartbeatAgeMs: 0,
        ranking: [this.name],
        range: 0,
        rangeStart: 0,
        rangeEnd: 99,
        own: { Pending: this.#open.length },
        coordinated: {},
        blocked: [],
        missingStates: 0,
      })),
      groupsAside: 0,
      rejoining: [],
      openTransactions: 0,
      dropped: {},
    };
  }

  onSettled(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Everything that waits is done. */
  async mine(): Promise<void> {
    for (const { options, resolve } of this.#wanted.splice(0))
      resolve(this.addGroup(options));
    const block = ++this.#height;
    const open = this.#open.splice(0);
    const settlements: (() => void)[] = [];
    for (const [index, submission] of open.entries())
      settlements.push(await this.#settle(submission, block, index));
    this.#database.write(() => {
      for (const settle of settlements) settle();
    });
    for (const listener of this.#listeners) listener();
  }

  /** Groups that are wanted are refused. */
  refuseGroups(reason: string): void {
    for (const { reject } of this.#wanted.splice(0))
      reject(new NodeRefusal(reason));
  }

  /** A group is on the ledger. */
  addGroup(options: GroupOptions): NodeGroup {
    const domain = this.domains.get(options.domain);
    const address = parseGroupAddress(`0x${options.id.slice(-40)}`);
    if (domain === undefined || address === undefined)
      throw new Error("bad group");
    const { members: endorsers } = options;
    const group = { ...options, endorsers, address, domain };
    this.#groups.set(address, group);
    return group;
  }

  async #settle(
    { group: address, id, payload }: NewIntent,
    block: number,
    index: number,
  ): Promise<() => void> {
    const group = this.#groups.get(address);
    if (group === undefined) throw new Error("no group");
    const assembly = await group.domain.assemble(
      { group, id, sender: this.name, payload },
      this.#view(),
    );
    if (assembly.type !== "assembled")
      return () => {
        this.#book.settle({
          group: address,
          intentId: id,
          outcome: { type: "Reverted", reason: assembly.reason },
        });
      };
    const spent = assembly.inputs.flatMap(
      (input) => this.#states.get(input) ?? [],
    );
    for (const { id: input } of spent) this.#states.delete(input);
    const confirmed = assembly.outputs.map((output, at) =>
      this.#keep(output, `${id} ${at}`),
    );
    this.#effects.set(id, { spent, read: [], confirmed, infos: [] });
    return () => {
      this.#book.settle({
        group: address,
        intentId: id,
        outcome: {
          type: "Confirmed",
          block,
          transactionHash: hash(`transaction ${block}`),
          transactionIndex: 0,
          logIndex: index,
        },
      });
    };
  }

  #keep(state: NewState, seed: string): DomainState {
    const id = id32(parseStateId, seed);
    this.#states.set(id, { ...state, id });
    return { ...state, id };
  }

  #view(): StateView {
    return {
      get: (id) => this.#states.get(id),
      find: (schema, label) =>
        [...this.#states.values()].filter(
          (state) => state.schema === schema && state.label === label,
        ),
    };
  }
}

function hash(text: string): string {
  return `0x${createHash("sha256").update(text).digest("hex")}`;
}

function id32<Id>(parse: (text: string) => Id | undefined, seed: string): Id {
  const id = parse(hash(seed));
  if (id === undefined) throw new Error("no id");
  return id;
}
