import { intentIdAt, parseAddress } from "../ledger/index.ts";
import {
  type Digest,
  type GroupAddress,
  type IntentId,
  type NodeName,
  parseIntentId,
} from "../protocol/ids.ts";
import type { Domain, DomainCall, DomainState } from "../domains/domain.ts";
import { slowSignatures } from "../keys/slow-signatures.ts";
import { parseName } from "../keys/user-names.ts";
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
} from "./service.ts";
import { laneOfSender } from "../domains/states/ownership.ts";
import { explainCause, type Surroundings } from "./causes.ts";
import { guardDomains } from "./domain-errors.ts";
import { effectOf } from "./effect-of.ts";
import type { GroupRunner } from "./group-runner.ts";
import { type NodeLoad, outboxOf } from "./load.ts";
import { nameRequests } from "./named-requests.ts";
import { createParts, type NodeParts } from "./parts.ts";
import { NodeTroubles } from "./node-troubles.ts";
import type { NodePorts } from "./ports.ts";
import { preparedOf } from "./prepared.ts";
import type { NodeSettings } from "./settings.ts";
import { drainingOf } from "./draining.ts";
import { statusOf } from "./status.ts";

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
  readonly #parts: NodeParts;
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
    this.name = options.name;
    this.domains = ports.domains;
    this.#options = options;
    this.#ports = ports;
    this.#parts = createParts(options, {
      ...ports,
      isStopped: () => this.#isStopped,
      fail: (error) => {
        this.#fail(error);
      },
    });
  }

  start(): void {
    if (!this.#isStopped) return;
    this.#isStopped = false;
    const { onFact } = this.#ports;
    const parts = this.#parts;
    parts.loop.start(parts.machine);
    parts.roster.open();
    parts.mailbox.start();
    // It may have stopped before members that were added heard of it.
    for (const stored of parts.roster.changed())
      parts.membership.offerToAdded(stored);
    parts.rejoining.start();
    parts.submitter.start();
    parts.indexer.start();
    parts.groupSearch.start();
    onFact({ type: "Started", height: this.height() });
    const reason = slowSignatures.tell();
    if (reason !== undefined) onFact({ type: "SignaturesSlow", reason });
    parts.ticking.start();
  }

  /** Resolves when nothing of it runs any more. Its store can be closed then. */
  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    const parts = this.#parts;
    parts.ticking.stop();
    // What others can see already is told first.
    await parts.loop.flushed();
    parts.loop.stop();
    parts.requests.stop();
    parts.endorsing.stop();
    parts.userKeys.stop();
    await Promise.all([
      parts.indexer.stop(),
      parts.groupSearch.stop(),
      parts.submitter.stop(),
      parts.link.stop(),
    ]);
  }

  /** Resolves when what it has written down is on the disk, and told. Others may read it in the store before. */
  async flushed(): Promise<void> {
    await this.#parts.loop.flushed();
  }

  /** Resolves when its view of the chain stands still, until it is released. */
  async holdBlocks(): Promise<void> {
    await this.#parts.indexer.hold();
  }

  releaseBlocks(): void {
    this.#parts.indexer.release();
  }

  groups(): readonly NodeGroup[] {
    return this.#parts.roster.list();
  }

  group(address: GroupAddress): NodeGroup | undefined {
    return this.#parts.roster.find(address)?.group;
  }

  async createGroup(
    options: Parameters<NodeService["createGroup"]>[0],
  ): Promise<NodeGroup> {
    const address = await this.#parts.membership.create(options);
    return this.#parts.roster.get(address).group;
  }

  async importGroup(
    group: Parameters<NodeService["importGroup"]>[0],
  ): Promise<NodeGroup> {
    const address = await this.#parts.membership.import(group);
    return this.#parts.roster.get(address).group;
  }

  checkGroup(wanted: WantedGroup): void {
    this.#parts.membership.check(wanted);
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
    await this.#parts.intake.take(work, record);
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
    return this.#parts.submitter.sent(id);
  }

  explainSent(id: Digest): string | undefined {
    return this.#parts.submitter.explain(id);
  }

  /** Whether an intent of this node has not ended yet. */
  isOpen(address: GroupAddress, id: IntentId): boolean {
    const runner = this.#parts.roster.find(address);
    return runner?.sequencer.sender.transactions.has(id) === true;
  }

  async resume(id: IntentId): Promise<boolean> {
    for (const runner of this.#parts.roster.loaded()) {
      const transaction = runner.sequencer.sender.transactions.get(id);
      if (transaction?.state !== "Parked") continue;
      this.#parts.post(runner, { type: "IntentResumed", id });
      return await Promise.resolve(true);
    }
    return false;
  }

  explain(id: IntentId): string | undefined {
    for (const runner of this.#parts.roster.loaded()) {
      const sentence = explainCause(runner, id, this.#surroundings(runner));
      if (sentence !== undefined) return sentence;
    }
    return undefined;
  }

  async query(
    address: GroupAddress,
    call: Omit<DomainCall, "group" | "node">,
  ): Promise<Awaited<ReturnType<Domain["query"]>>> {
    const { group, book, isMember, stored } = this.#parts.roster.get(address);
    if (!isMember)
      throw new NodeRefusal(
        `${this.name} is not a member of group ${address}: the committee of block ${stored.since} does not contain it. Ask a member: ${group.members.join(", ")}.`,
      );
    return await group.domain.query({ ...call, group, node: this.name }, book);
  }

  /** The states of a group that are on the ledger and unspent, as far as this node knows. */
  states(address: GroupAddress): readonly DomainState[] {
    return this.#parts.roster.get(address).book.all();
  }

  effectOf(address: GroupAddress, id: IntentId): IntentEffect | undefined {
    const runner = this.#parts.roster.find(address);
    return (
      runner &&
      effectOf(this.#ports.store, address, id, (hash) => runner.digestOf(hash))
    );
  }

  preparedOf(address: GroupAddress, id: IntentId): PreparedCall | undefined {
    const runner = this.#parts.roster.find(address);
    return runner && preparedOf(this.#ports.store, runner, id);
  }

  async publicKeyOf(
    identity: Parameters<NodeService["publicKeyOf"]>[0],
  ): Promise<string | undefined> {
    return await this.#parts.userKeys.publicKeyOf(identity);
  }

  height(): number {
    return this.#parts.effects.height;
  }

  status(): NodeStatus {
    const { tickMs } = this.#options.settings;
    const loaded = this.#parts.roster.loaded();
    return {
      name: this.name,
      height: this.#parts.effects.height,
      boot: this.#ports.store.boot,
      groups: loaded.map((runner) =>
        statusOf(runner, {
          tickMs,
          why: (id) => explainCause(runner, id, this.#surroundings(runner)),
        }),
      ),
      groupsAside: this.#parts.roster.size - loaded.length,
      rejoining: this.#parts.rejoining.status(this.#parts.groupSearch.progress),
      openTransactions: this.#parts.submitter.publicOpen,
      dropped: this.#parts.mailbox.dropped(),
      draining: this.#parts.roster.isDraining ? drainingOf(loaded) : undefined,
    };
  }

  drain(isDraining: boolean): void {
    this.#parts.loop.post({ type: "drain", isDraining });
  }

  /** What waits inside. */
  load(): NodeLoad {
    const { tip: head } = this.#parts.indexer;
    const { confirmations } = this.#options.settings;
    return {
      head,
      behindBlocks:
        head === undefined
          ? undefined
          : Math.max(0, head - confirmations - this.#parts.effects.height),
      jobs: this.#parts.loop.length,
      outbox: outboxOf(this.#parts.roster.loaded()),
    };
  }

  onSettled(listener: () => void): () => void {
    return this.#parts.settled.add(listener);
  }

  #surroundings(runner: GroupRunner): Surroundings {
    const { tickMs } = this.#options.settings;
    return {
      heardMsAgo: (name) => {
        const tick = this.#parts.mailbox.heardAt(name);
        return tick === undefined
          ? undefined
          : (this.#parts.schedule.ticks - tick) * tickMs;
      },
      asked: () => this.#parts.catchUp.asked(runner),
      troubles: () => this.#troubles.sentences(),
    };
  }

  #fail(error: unknown): void {
    if (this.#isStopped) return;
    void this.stop().finally(() => {
      this.#ports.onFatal(error);
    });
  }
}
