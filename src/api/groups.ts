import type { Timers } from "../async/timers.ts";
import { DomainRefusal } from "../domains/domain.ts";
import {
  type NodeGroup,
  NodeRefusal,
  type NodeService,
} from "../node/service.ts";
import type { Query } from "../store/query.ts";
import type { UserGroup } from "../store/user-groups.ts";
import type { AbiLibrary } from "./abi-library.ts";
import type { UserBook } from "./book.ts";
import {
  genesisAbi,
  genesisSchema,
  type GroupInput,
  nodesOf,
  planGroup,
} from "./group-plan.ts";
import type { Submissions } from "./submissions.ts";

/** A group that could not be created for now is tried again after this time. */
const retryMs = 5_000;

/** The groups of this node, and those that its users want. */
export class Groups {
  readonly #service: NodeService;
  readonly #book: UserBook;
  readonly #abis: AbiLibrary;
  readonly #submissions: Submissions;
  readonly #newId: () => string;
  readonly #report: (error: unknown) => void;
  readonly #onChange: () => void;
  readonly #timers: Timers;
  /** What calls off what is to be tried again. */
  readonly #retries = new Set<() => void>();
  /** Ids of groups that are in the book. None is ever removed. */
  readonly #adopted = new Set<string>();
  #isRunning = false;

  constructor(ports: {
    readonly service: NodeService;
    readonly book: UserBook;
    readonly abis: AbiLibrary;
    readonly submissions: Submissions;
    readonly newId: () => string;
    readonly timers: Timers;
    readonly report: (error: unknown) => void;
    /** Called after a commit with a new receipt. */
    readonly onChange: () => void;
  }) {
    this.#service = ports.service;
    this.#book = ports.book;
    this.#abis = ports.abis;
    this.#submissions = ports.submissions;
    this.#newId = ports.newId;
    this.#timers = ports.timers;
    this.#report = ports.report;
    this.#onChange = ports.onChange;
  }

  /** Takes up what was under way when the node stopped. */
  start(): void {
    this.#isRunning = true;
    for (const group of this.#book.groups.open()) this.#create(group);
  }

  stop(): void {
    this.#isRunning = false;
    for (const cancel of this.#retries) cancel();
    this.#retries.clear();
  }

  /** Gives the group as soon as it is certain that it will be created, or that a receipt will say why not. */
  async create(input: GroupInput): Promise<UserGroup> {
    const id = this.#newId();
    const key = input.idempotencyKey ?? undefined;
    return await this.#submissions.withKey(key, id, () => {
      const { group, transaction } = planGroup(input, {
        service: this.#service,
        transactionId: id,
        created: this.#book.now(),
      });
      this.#book.database.write(() => {
        this.#abis.keepOwn(genesisAbi);
        this.#book.transactions.insert(transaction);
        this.#book.groups.insert(group);
      });
      this.#create(group);
      return group;
    });
  }

  byId(domain: string, id: string): UserGroup | undefined {
    this.#adopt();
    const group = this.#book.groups.byId(id.toLowerCase());
    return group?.domain === domain ? group : undefined;
  }

  byAddress(address: string): UserGroup | undefined {
    this.#adopt();
    return this.#book.groups.byAddress(address.toLowerCase());
  }

  async find(query: Query, member?: string): Promise<readonly UserGroup[]> {
    this.#adopt();
    return await this.#book.queries.run(
      async (turn) => await this.#book.groups.find(query, member, turn),
    );
  }

  /** Runs by itself; a group that is not created yet is found again at the next start. */
  #create(group: UserGroup): void {
    const { id, name, domain, threshold, configuration } = group;
    const members = nodesOf(group.members);
    this.#service
      .createGroup({ id, name, domain, members, threshold, configuration })
      .then(
        ({ address }) => {
          this.#close(group, { contractAddress: address });
        },
        (error: unknown) => {
          if (error instanceof NodeRefusal || error instanceof DomainRefusal)
            this.#close(group, { failureMessage: error.message });
          else this.#tryLater(group, error);
        },
      )
      .catch(this.#report);
  }

  #close(
    group: UserGroup,
    outcome:
      | { readonly contractAddress: string }
      | { readonly failureMessage: string },
  ): void {
    if (!this.#isRunning) return;
    const transaction = this.#book.transactions.byId(
      group.genesisTransaction ?? "",
    );
    this.#book.database.write(() => {
      this.#book.groups.close(
        group.id,
        "contractAddress" in outcome ? outcome.contractAddress : undefined,
      );
      if (transaction !== undefined)
        this.#book.settleGenesis(transaction, outcome);
    });
    this.#onChange();
  }

  #tryLater(group: UserGroup, error: unknown): void {
    this.#report(error);
    if (!this.#isRunning) return;
    const cancel = this.#timers.after(retryMs, () => {
      this.#retries.delete(cancel);
      this.#create(group);
    });
    this.#retries.add(cancel);
  }

  /** Groups that others created, or that were there before this book, are shown too. */
  #adopt(): void {
    const fresh = this.#service
      .groups()
      .filter(({ id }) => !this.#adopted.has(id));
    const unknown = fresh.filter(
      ({ id }) => this.#book.groups.byId(id.toLowerCase()) === undefined,
    );
    if (unknown.length > 0) this.#insert(unknown);
    for (const { id } of fresh) this.#adopted.add(id);
  }

  #insert(unknown: readonly NodeGroup[]): void {
    this.#book.database.write(() => {
      for (const group of unknown)
        this.#book.groups.insert({
          id: group.id.toLowerCase(),
          domain: group.domain.name,
          created: this.#book.now(),
          name: group.name,
          members: group.members.map((node) => `member@${node}`),
          threshold: group.threshold,
          properties: {},
          configuration: group.configuration,
          genesisSalt: group.id.toLowerCase(),
          genesisSchema,
          genesisTransaction: undefined,
          contractAddress: group.address,
          isOpen: false,
        });
    });
  }
}
