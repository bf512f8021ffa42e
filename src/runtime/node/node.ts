import { intentIdAt, parseAddress } from "../../ledger/index.ts";
import type { Event } from "../../protocol/events.ts";
import {
  type Digest,
  type GroupAddress,
  type IntentId,
  type NodeName,
  parseIntentId,
} from "../../protocol/ids.ts";
import type { Domain, DomainCall, DomainState } from "../domains/domain.ts";
import { slowSignatures } from "../keys/slow-signatures.ts";
import type { Indexer } from "../ledger/indexer/indexer.ts";
import type { Submitter } from "../ledger/submitter/submitter.ts";
import { parseName } from "../names.ts";
import {
  type IntentEffect,
  type NewWork,
  type NodeGroup,
  NodeRefusal,
  type NodeService,
  type NodeStatus,
  type PreparedCall,
  type SentTransaction,
  type TransactionSigner,
  type WantedGroup,
} from "../service.ts";
import { laneOfSender } from "../states/ownership.ts";
import { BlockFeed } from "./blocks.ts";
import type { Body } from "./body.ts";
import { CatchUp } from "./catch-up.ts";
import { explainCause, type Surroundings } from "./causes.ts";
import { CommitteeFeed } from "./committee-feed.ts";
import { Deeds } from "./deeds.ts";
import { guardDomains } from "./domain-errors.ts";
import { effectOf } from "./effect-of.ts";
import { Endorsing } from "./endorsing.ts";
import { createMembership } from "./founding.ts";
import type { GroupRunner } from "./group-runner.ts";
import { GroupSearch } from "./group-search.ts";
import { createIndexer } from "./indexing.ts";
import { Intake } from "./intake.ts";
import { type NodeLoad, outboxOf } from "./load.ts";
import type { Membership } from "./membership.ts";
import { nameRequests } from "./named-requests.ts";
import { NodeTroubles } from "./node-troubles.ts";
import { Mailbox } from "./mailbox.ts";
import { compareReceipts } from "./own-receipts.ts";
import type { NodePorts } from "./ports.ts";
import { preparedOf } from "./prepared.ts";
import { Pulse } from "./pulse.ts";
import { Rejoining } from "./rejoining.ts";
import type { NodeSettings } from "./settings.ts";
import { Roster } from "./roster.ts";
import { Showing } from "./showing.ts";
import { statusOf } from "./status.ts";
import { createSubmitter } from "./submitting.ts";
import { Ticking } from "./ticking.ts";
import { Troubles } from "./trouble.ts";
import { Turns } from "./turns.ts";
import { UserKeys } from "./user-keys.ts";

/** What a node is. */
export interface NodeOptions {
  readonly name: NodeName;
  readonly chainId: bigint;
  /** The factory whose groups it takes part in. */
  readonly factory: string;
  readonly settings: NodeSettings;
  /** Groups with nothing to do that stay in memory. */
  readonly restingMax?: number;
}

/** One node: everything that its organisation needs to take part. */
export class Node implements NodeService {
  readonly name: NodeName;
  readonly domains: ReadonlyMap<string, Domain>;
  readonly #options: NodeOptions;
  readonly #ports: NodePorts;
  readonly #roster: Roster;
  readonly #pulse: Pulse<GroupRunner>;
  readonly #turns: Turns;
  readonly #userKeys: UserKeys;
  readonly #mailbox: Mailbox;
  readonly #catchUp: CatchUp;
  readonly #endorsing: Endorsing;
  readonly #deeds: Deeds;
  readonly #intake: Intake;
  readonly #feed: BlockFeed;
  readonly #membership: Membership;
  readonly #rejoining: Rejoining;
  readonly #groupSearch: GroupSearch;
  readonly #ticking: Ticking<GroupRunner>;
  readonly #indexer: Indexer;
  readonly #submitter: Submitter;
  readonly #settledListeners = new Set<() => void>();
  #height: number;
  readonly #troubles = new NodeTroubles();
  #isStopped = true;

  constructor(options: NodeOptions, given: NodePorts) {
    const onFact: NodePorts["onFact"] = (fact) => {
      this.#troubles.see(fact);
      given.onFact(fact);
    };
    const ports = {
      ...given,
      client: nameRequests(given.client),
      onFact,
      ...guardDomains(given),
    };
    const { store } = ports;
    const { name: self } = options;
    this.name = self;
    this.domains = ports.domains;
    this.#options = options;
    this.#ports = ports;
    this.#height = store.blocks.head()?.number ?? 0;
    this.#pulse = new Pulse(this.#height);
    this.#turns = new Turns({
      store,
      timers: ports.timers,
      onFatal: (error) => {
        this.#fail(error);
      },
    });
    this.#roster = new Roster(
      { ...options, self },
      {
        ...ports,
        pulse: this.#pulse,
        onLoaded: (runner) => {
          this.#onLoaded(runner);
        },
      },
    );
    const send = (to: NodeName, body: Body): void => {
      this.#mailbox.send(to, body);
    };
    const tell = (
      runner: GroupRunner,
      event: Event,
      onTaken?: () => void,
    ): void => {
      this.#tell(runner, event, onTaken);
    };
    const fail = (error: unknown): void => {
      this.#fail(error);
    };
    const onSettled = (): void => {
      for (const listener of this.#settledListeners) listener();
    };
    this.#userKeys = new UserKeys({ self }, { ...ports, send });
    this.#mailbox = new Mailbox({
      ...ports,
      turns: this.#turns,
      userKeys: this.#userKeys,
      tell,
      fail,
      runner: (group) => this.#roster.find(group),
      ticks: () => this.#pulse.ticks,
      onAsk: (runner, from, body) => this.#catchUp.answer(runner, from, body),
      onTell: (runner, from, body, onTaken) => {
        this.#catchUp.learn(runner, from, body, onTaken);
      },
      onOffer: (from, offer) => {
        this.#membership.consider(from, offer);
      },
      onJoined: (from, group) => {
        this.#membership.joined(group, from);
      },
      onGroups: (from, body) => this.#rejoining.receive(from, body),
      onPeerStarted: (peer) => {
        this.#rejoining.peerStarted(peer);
      },
    });
    this.#catchUp = new CatchUp(
      { self },
      {
        ...ports,
        turns: this.#turns,
        send,
        onLearnt: (group) => {
          this.#onLearnt(group);
        },
      },
    );
    const troubles = new Troubles(ports.onFact);
    this.#submitter = createSubmitter(options, {
      ...ports,
      troubles,
      client: compareReceipts({
        ...ports,
        onMissed: (place) => {
          if (!this.#isStopped) this.#indexer.reindex(place);
        },
      }),
      tell,
      fail,
      onSettled,
      dispatcherOf: (digest) => this.#dispatcherOf(digest),
    });
    const catchUp = this.#catchUp;
    // Whoever asked gives it up after that time. Until then there has to be an answer.
    const waitMs = options.settings.stateMs / 2;
    this.#endorsing = new Endorsing(
      { waitMs },
      { ...ports, catchUp, tell, fail },
    );
    const showing = new Showing({ bundles: store.bundles, send });
    this.#deeds = new Deeds(
      { self, assembleMs: 1.8 * waitMs },
      {
        ...ports,
        send,
        tell,
        fail,
        showing,
        endorsing: this.#endorsing,
        submitter: this.#submitter,
        onSettled,
      },
    );
    this.#intake = new Intake({
      turns: this.#turns,
      pulse: this.#pulse,
      deeds: this.#deeds,
      submitter: this.#submitter,
      runner: (group) => this.#runner(group),
    });
    const has = (group: GroupAddress): boolean => this.#roster.has(group);
    this.#rejoining = new Rejoining({ self }, { ...ports, has, send });
    this.#groupSearch = new GroupSearch(
      {
        factory: options.factory,
        endorser: ports.endorser.address,
        from: store.missingGroups.through() + 1,
      },
      {
        ...ports,
        fail,
        onFound: (found, progress) => {
          this.#rejoining.found(found, progress);
        },
      },
    );
    this.#membership = createMembership(
      { self, factory: options.factory, policy: options.settings.policy },
      {
        ...ports,
        send,
        turns: this.#turns,
        roster: this.#roster,
        submitter: this.#submitter,
        onConsidered: (from, group, verdict) => {
          this.#rejoining.considered(from, group, verdict);
        },
        runner: (group) => this.#runner(group),
        submit: async (work) => {
          await this.#intake.take(work, () => undefined);
        },
      },
    );
    this.#feed = new BlockFeed({
      ...ports,
      committees: new CommitteeFeed({
        ...ports,
        roster: this.#roster,
        membership: this.#membership,
        catchUp,
      }),
      turns: this.#turns,
      deeds: this.#deeds,
      catchUp: this.#catchUp,
      submitter: this.#submitter,
      roster: this.#roster,
      pulse: this.#pulse,
      onBlocks: (blocks) => {
        this.#height = blocks.at(-1)?.number ?? this.#height;
        this.#submitter.onBlocks(blocks);
        ports.onFact({ type: "BlockSeen", height: this.#height });
      },
      onReverted: (height) => {
        this.#height = height;
        this.#submitter.onRevert(height);
        ports.onFact({ type: "BlocksReverted", height });
      },
    });
    this.#ticking = new Ticking(options.settings, {
      timers: ports.timers,
      turns: this.#turns,
      pulse: this.#pulse,
      deeds: this.#deeds,
      onTicked: () => {
        this.#roster.putAside();
      },
      onRetry: () => {
        this.#catchUp.retry(this.#roster.loaded());
        this.#membership.repeat();
        this.#rejoining.repeat();
        this.#userKeys.repeat();
        showing.renew();
      },
    });
    this.#indexer = createIndexer(options, {
      ...ports,
      troubles,
      fail,
      feed: this.#feed,
      isStopped: () => this.#isStopped,
    });
  }

  start(): void {
    if (!this.#isStopped) return;
    this.#isStopped = false;
    this.#roster.open();
    this.#mailbox.open();
    // It may have stopped before members that were added heard of it.
    for (const stored of this.#roster.changed())
      this.#membership.offerToAdded(stored);
    this.#rejoining.start();
    this.#submitter.start();
    this.#indexer.start();
    this.#groupSearch.start();
    this.#ports.onFact({ type: "Started", height: this.#height });
    const reason = slowSignatures.tell();
    if (reason !== undefined)
      this.#ports.onFact({ type: "SignaturesSlow", reason });
    this.#ticking.start();
  }

  /** Resolves when nothing of it runs any more. The store is closed. */
  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#ticking.stop();
    // Whoever watches is told what others can see already.
    await this.#turns.flushed();
    this.#turns.stop();
    this.#endorsing.stop();
    this.#userKeys.stop();
    await Promise.all([
      this.#indexer.stop(),
      this.#groupSearch.stop(),
      this.#submitter.stop(),
      this.#mailbox.close(),
    ]);
    this.#ports.store.close();
  }

  /** Resolves when what it has written down is on the disk, and told. Whoever reads what it keeps may know it before. */
  async flushed(): Promise<void> {
    await this.#turns.flushed();
  }

  /** Resolves when its view of the chain stands still, until it is released. */
  async holdBlocks(): Promise<void> {
    await this.#indexer.hold();
  }

  releaseBlocks(): void {
    this.#indexer.release();
  }

  groups(): readonly NodeGroup[] {
    return this.#roster.list();
  }

  group(address: GroupAddress): NodeGroup | undefined {
    return this.#roster.find(address)?.group;
  }

  async createGroup(
    options: Parameters<NodeService["createGroup"]>[0],
  ): Promise<NodeGroup> {
    const address = await this.#membership.create(options);
    return this.#runner(address).group;
  }

  async importGroup(
    group: Parameters<NodeService["importGroup"]>[0],
  ): Promise<NodeGroup> {
    const address = await this.#membership.import(group);
    return this.#runner(address).group;
  }

  checkGroup(wanted: WantedGroup): void {
    this.#membership.check(wanted);
  }

  newIntentId(group: GroupAddress): ReturnType<NodeService["newIntentId"]> {
    const { chainId } = this.#options;
    const { lane, salt, series } = this.#ports.store.lanes.nextSeries(
      group,
      (laneSalt) =>
        laneOfSender(
          { chainId, group: parseAddress(group) },
          { sender: this.name, salt: laneSalt },
        ),
    );
    const id = parseIntentId(intentIdAt(lane, series));
    if (id === undefined) throw new Error("Invalid intent id.");
    return { id, laneSalt: salt };
  }

  async submit(work: NewWork, record: () => void): Promise<void> {
    await this.#intake.take(work, record);
  }

  signerOf(name: string): TransactionSigner | undefined {
    const { payers, wallet } = this.#ports;
    const userName = parseName(name);
    if (userName !== undefined)
      return { address: wallet.keyOf(userName).address, userName };
    const address = /^eth_address:(.*)$/.exec(name)?.[1]?.toLowerCase();
    const own = payers.find((payer) => payer.address === address);
    return own && { address: own.address, userName: undefined };
  }

  async fund(signer: TransactionSigner, needed: bigint): Promise<boolean> {
    if (signer.userName === undefined) return false;
    return await this.#ports.faucet(signer.address, needed);
  }

  sent(id: Digest): SentTransaction | undefined {
    return this.#submitter.sent(id);
  }

  explainSent(id: Digest): string | undefined {
    return this.#submitter.explain(id);
  }

  /** Whether an intent of this node has not ended yet. */
  isOpen(address: GroupAddress, id: IntentId): boolean {
    const runner = this.#roster.find(address);
    return runner?.sequencer.sender.transactions.has(id) === true;
  }

  async resume(id: IntentId): Promise<boolean> {
    for (const runner of this.#roster.loaded()) {
      const transaction = runner.sequencer.sender.transactions.get(id);
      if (transaction?.state !== "Parked") continue;
      this.#tell(runner, { type: "IntentResumed", id });
      return await Promise.resolve(true);
    }
    return false;
  }

  explain(id: IntentId): string | undefined {
    for (const runner of this.#roster.loaded()) {
      const sentence = explainCause(runner, id, this.#surroundings(runner));
      if (sentence !== undefined) return sentence;
    }
    return undefined;
  }

  async query(
    address: GroupAddress,
    call: Omit<DomainCall, "group" | "node">,
  ): Promise<Awaited<ReturnType<Domain["query"]>>> {
    const { group, book, isMember, stored } = this.#runner(address);
    if (!isMember)
      throw new NodeRefusal(
        `${this.name} is not a member of group ${address}: the committee of block ${stored.since} does not contain it. Ask a member: ${group.members.join(", ")}.`,
      );
    return await group.domain.query({ ...call, group, node: this.name }, book);
  }

  /** The states of a group that are on the ledger and unspent, as far as this node knows. */
  states(address: GroupAddress): readonly DomainState[] {
    return this.#runner(address).book.all();
  }

  effectOf(address: GroupAddress, id: IntentId): IntentEffect | undefined {
    const runner = this.#roster.find(address);
    return (
      runner &&
      effectOf(this.#ports.store, address, id, (hash) => runner.digestOf(hash))
    );
  }

  preparedOf(address: GroupAddress, id: IntentId): PreparedCall | undefined {
    const runner = this.#roster.find(address);
    return runner && preparedOf(this.#ports.store, runner, id);
  }

  async publicKeyOf(
    identity: Parameters<NodeService["publicKeyOf"]>[0],
  ): Promise<string | undefined> {
    return await this.#userKeys.publicKeyOf(identity);
  }

  height(): number {
    return this.#height;
  }

  status(): NodeStatus {
    const { tickMs } = this.#options.settings;
    const loaded = this.#roster.loaded();
    return {
      name: this.name,
      height: this.#height,
      boot: this.#ports.store.boot,
      groups: loaded.map((runner) =>
        statusOf(runner, {
          tickMs,
          why: (id) => explainCause(runner, id, this.#surroundings(runner)),
        }),
      ),
      groupsAside: this.#roster.size - loaded.length,
      rejoining: this.#rejoining.status(this.#groupSearch.progress),
      openTransactions: this.#submitter.publicOpen,
      dropped: this.#mailbox.dropped(),
    };
  }

  /** What waits inside. */
  load(): NodeLoad {
    const { tip: head } = this.#indexer;
    const { confirmations } = this.#options.settings;
    return {
      head,
      behindBlocks:
        head === undefined
          ? undefined
          : Math.max(0, head - confirmations - this.#height),
      jobs: this.#turns.length,
      outbox: outboxOf(this.#roster.loaded()),
    };
  }

  onSettled(listener: () => void): () => void {
    this.#settledListeners.add(listener);
    return () => this.#settledListeners.delete(listener);
  }

  #surroundings(runner: GroupRunner): Surroundings {
    const { tickMs } = this.#options.settings;
    return {
      heardMsAgo: (name) => {
        const tick = this.#mailbox.heardAt(name);
        return tick === undefined
          ? undefined
          : (this.#pulse.ticks - tick) * tickMs;
      },
      asked: () => this.#catchUp.asked(runner),
      troubles: () => this.#troubles.sentences(),
    };
  }

  #runner(address: GroupAddress): GroupRunner {
    const runner = this.#roster.find(address);
    if (runner === undefined)
      throw new NodeRefusal(
        `${this.name} takes part in no group ${address}. Create it, or wait until this node has joined.`,
      );
    return runner;
  }

  #onLoaded(runner: GroupRunner): void {
    const { address, historyThrough } = runner.stored;
    this.#turns.add({
      run: (turn) => {
        this.#deeds.collect(turn, runner, runner.firstEffects);
      },
    });
    if (historyThrough === undefined) return;
    void this.#indexer
      .watch(address, historyThrough + 1)
      .then(async () => {
        await this.#feed.finishHistory(runner);
      })
      .catch((error: unknown) => {
        if (!this.#isStopped) this.#fail(error);
      });
  }

  /** The group whose bundle this is, if it is still open. Who waits for a bundle is awake. */
  #dispatcherOf(digest: Digest): GroupRunner | undefined {
    for (const runner of this.#pulse.awake)
      if (runner.sequencer.coordinator.dispatched.has(digest)) return runner;
    return undefined;
  }

  /** What had to wait because this node did not know enough is tried again. */
  #onLearnt(group: GroupAddress): void {
    const runner = this.#roster.find(group);
    if (runner !== undefined && runner.sequencer.sender.postponed.size > 0)
      this.#tell(runner, { type: "StatesLearnt" });
  }

  #tell(told: GroupRunner, event: Event, onTaken?: () => void): void {
    this.#turns.add({
      rank: told.rankNext(),
      run: (turn) => {
        onTaken?.();
        // It may have been put aside since.
        const runner = this.#runner(told.stored.address);
        this.#deeds.collect(turn, runner, runner.handle(event));
      },
    });
  }

  #fail(error: unknown): void {
    if (this.#isStopped) return;
    void this.stop().finally(() => {
      this.#ports.onFatal(error);
    });
  }
}
