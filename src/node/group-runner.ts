import {
  digestOf,
  type LedgerDomain,
  ledgerDomain,
  parseAddress,
  parseTransitionHash,
} from "../ledger/index.ts";
import type { CommitteeConfig, SequencerConfig } from "../protocol/config.ts";
import type { Effect } from "../protocol/effects.ts";
import type { Event, LedgerFact } from "../protocol/events.ts";
import {
  type Digest,
  type IntentId,
  type NodeName,
  parseDigest,
} from "../protocol/ids.ts";
import { limits } from "../protocol/limits.ts";
import { recall } from "../protocol/recent.ts";
import type { IntentRecord } from "../protocol/records.ts";
import { createSequencer, type Sequencer } from "../protocol/sequencer.ts";
import type { State } from "../protocol/transition.ts";
import type { Domain, DomainState } from "../domains/domain.ts";
import { genesisIdOf } from "../domains/genesis.ts";
import type { IndexedTransition } from "../chain/ports.ts";
import type { NodeGroup } from "./service.ts";
import { StateBook } from "../domains/states/book.ts";
import { readState } from "../domains/states/content.ts";
import type { EndorsedHead } from "../store/bundles.ts";
import type { StoredGroup } from "../store/groups.ts";
import type { Store } from "../store/store.ts";
import { committeeConfigOf } from "./groups/committee-config.ts";
import { namesOf } from "./groups/committees.ts";
import { keptContent } from "./kept-content.ts";
import { GroupCore } from "./group-core.ts";
import type { GroupSchedule } from "./group-schedule.ts";
import { SeenBundles } from "./seen-bundles.ts";
import { type NodeSettings, ticksOf } from "./settings.ts";
import { type Takeover, takeoverOf } from "./takeover.ts";

/** What a transition on the ledger did: for the core, and for the book. */
export interface LedgerDeed extends LedgerFact {
  readonly transition: IndexedTransition;
}

/** One node's part in one group: the core, and what the core needs to know of the ledger. */
export class GroupRunner {
  stored: StoredGroup;
  group: NodeGroup;
  readonly book: StateBook;
  readonly seen: SeenBundles;
  readonly ledgerDomain: LedgerDomain;
  readonly sequencer: Sequencer;
  /** What the core wants done to begin with. */
  readonly firstEffects: readonly Effect[];
  /** The coordinator's state, as it was told last. */
  coordinatorTold = "Idle";
  /** How it became active, until that is told. */
  takeover: Takeover | undefined;
  readonly #store: Store;
  readonly #core: GroupCore<GroupRunner>;
  readonly #self: NodeName;

  constructor(
    options: {
      readonly stored: StoredGroup;
      readonly self: NodeName;
      readonly chainId: bigint;
      readonly settings: NodeSettings;
      /** Grows with every loading of the group. */
      readonly boot: number;
      /** The node is to be stopped soon. */
      readonly isDraining?: boolean;
    },
    ports: {
      readonly store: Store;
      readonly domain: Domain;
      readonly schedule: GroupSchedule<GroupRunner>;
    },
  ) {
    const { stored, chainId } = options;
    const { address } = stored;
    this.stored = stored;
    this.#store = ports.store;
    this.#self = options.self;
    this.group = nodeGroupOf(stored, ports.domain);
    this.ledgerDomain = ledgerDomain({ chainId, group: parseAddress(address) });
    this.book = new StateBook(
      { group: address },
      { states: ports.store.states },
    );
    const { self } = options;
    this.seen = new SeenBundles({
      onDisk: (fact) =>
        keptContent(ports.store, address, {
          fact,
          maySee: (state) => this.#mayKnowState(self, state),
        }),
    });
    // What failed is told to those who ask, so that nothing that depends on it waits for ever.
    const records = [
      ...ports.store.records.open(address),
      ...ports.store.records.lastReverted(address, limits.ended),
    ];
    const height = stored.historyThrough ?? ports.schedule.height;
    const { sequencer, effects } = createSequencer(this.#configOf(options), {
      height,
      records: [...records, ...this.#signed(height)],
      fulfilled: records.flatMap((record) =>
        record.kind === "intent"
          ? record.intent.dependsOn.filter((id) => this.isFulfilled(id))
          : [],
      ),
      isDraining: options.isDraining ?? false,
    });
    this.sequencer = sequencer;
    this.firstEffects = effects;
    for (const record of records)
      if (record.kind === "dispatch") this.seen.add(self, record.bundle);
    const isCaughtUp = stored.historyThrough === undefined;
    this.#core = new GroupCore({ group: this, sequencer, isCaughtUp }, ports);
  }

  #configOf(options: {
    readonly self: NodeName;
    readonly settings: NodeSettings;
    readonly boot: number;
  }): SequencerConfig {
    const { address, mode, policy } = this.stored;
    return {
      ...ticksOf(options.settings),
      ...committeeConfigOf(this, options.boot),
      self: options.self,
      contract: address,
      mayKnow: (node, state) => this.#mayKnowState(node, state),
      mode,
      policy,
      isChecked: process.env["SEQUENCER_CHECK"] === "1",
    };
  }

  /** Takes the group with another committee. The core has to be told the same in this batch. */
  changeCommittee(stored: StoredGroup, boot: number): CommitteeConfig {
    this.stored = stored;
    this.group = nodeGroupOf(stored, this.group.domain);
    return committeeConfigOf(this, boot);
  }

  /** Whether this node takes part. One whose membership ended only follows the ledger. */
  get isMember(): boolean {
    return this.group.members.includes(this.#self);
  }

  /** Whether this node's endorsements count. */
  get isEndorser(): boolean {
    return this.group.endorsers.includes(this.#self);
  }

  /** The group's past is indexed as far as everything else. */
  get isCaughtUp(): boolean {
    return this.#core.isCaughtUp;
  }

  set isCaughtUp(isCaughtUp: boolean) {
    this.#core.isCaughtUp = isCaughtUp;
  }

  handle(event: Event): Effect[] {
    this.#core.wake();
    const { state, predecessor } = this.sequencer.coordinator;
    const effects = this.#core.handle(event);
    this.takeover ??= takeoverOf({ state, predecessor }, event, this.sequencer);
    return effects;
  }

  /** See {@link GroupCore.rankNext}. */
  rankNext(): number {
    return this.#core.rankNext();
  }

  /** See {@link GroupCore.wake}. */
  wake(): void {
    this.#core.wake();
  }

  /** Whether something would be lost, or never be asked for, if it were not in memory. */
  isNeeded(height: number): boolean {
    return (
      !this.#core.isResting ||
      this.book.missing.size > 0 ||
      this.seen.mayHappen(height)
    );
  }

  /** The last block that it knows of, or would if it were not at rest. */
  get height(): number {
    return this.#core.height;
  }

  /** Whether a member may see a state. Who endorses sees everything. */
  mayKnow(node: NodeName, state: DomainState): boolean {
    const { group } = this;
    return (
      group.endorsers.includes(node) ||
      group.domain.isEntitled(group, state, node)
    );
  }

  #mayKnowState(node: NodeName, state: State): boolean {
    const read = readState(state);
    return read !== undefined && this.mayKnow(node, read);
  }

  /** What this node signed and the ledger may still take. */
  #signed(height: number): readonly EndorsedHead[] {
    const { address } = this.stored;
    const all = this.#store.bundles.endorsed(address, height);
    const over = this.fulfilledAmong(all.map(({ firstIntent }) => firstIntent));
    return all.filter(({ firstIntent }) => !over.has(firstIntent));
  }

  isFulfilled(id: IntentId): boolean {
    return this.fulfilledAmong([id]).has(id);
  }

  fulfilledAmong(ids: readonly IntentId[]): ReadonlySet<IntentId> {
    return this.#store.blocks.fulfilledAmong(this.stored.address, ids);
  }

  /** What everything else in the group waits for, as long as it has not happened. */
  awaited(id: IntentId): readonly IntentId[] {
    if (this.group.domain.genesis === undefined) return [];
    const genesis = genesisIdOf(this.group);
    return id === genesis || this.isFulfilled(genesis) ? [] : [genesis];
  }

  /** The record of an intent that ended here. */
  ended(id: IntentId): IntentRecord | undefined {
    const record = this.#store.records.intent(this.stored.address, id);
    return record?.receipt === undefined ? undefined : record;
  }

  /** Whether an intent ended here as reverted. The core knows it before the disk does: events of one batch are stepped before its commit. */
  hasReverted(id: IntentId): boolean {
    return (
      recall(this.sequencer.sender.failed, id) === true ||
      this.ended(id)?.receipt?.type === "Reverted"
    );
  }

  deedOf(transition: IndexedTransition): LedgerDeed {
    const { intents, transitionHash } = transition;
    return { intents, digest: this.digestOf(transitionHash), transition };
  }

  /** A bundle's digest is what endorsers sign for its transition. */
  digestOf(transitionHash: string): Digest {
    const digest = parseDigest(
      digestOf(this.ledgerDomain, parseTransitionHash(transitionHash)),
    );
    if (digest === undefined) throw new Error("A digest is no digest.");
    return digest;
  }

  /** Takes what a block did into the book. Inside the commit of the block. */
  apply(deeds: readonly LedgerDeed[], block: number): void {
    this.#core.lineUp();
    for (const deed of deeds) {
      const { digest, transition } = deed;
      const { outputs, steps } = this.seen.contentOf(deed);
      this.book.apply(transition, block, outputs);
      for (const step of steps)
        this.#store.infos.save(this.stored.address, { ...step, digest });
    }
    // Should the block be taken back and the same happen again: contents stay on the disk.
    this.seen.happened(deeds, block);
  }
}

/** A group, for those who use it. */
export function nodeGroupOf(stored: StoredGroup, domain: Domain): NodeGroup {
  const { address, id, name, members, committee, threshold, configuration } =
    stored;
  return {
    address,
    id,
    name,
    domain,
    members,
    endorsers: namesOf(committee),
    threshold,
    configuration,
  };
}
