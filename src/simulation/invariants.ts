import type { Effect } from "../protocol/effects.ts";
import type { Digest, IntentId, NodeName, StateId } from "../protocol/ids.ts";
import type { Message } from "../protocol/messages.ts";
import type {
  DispatchRecord,
  IntentRecord,
  Permission,
  Receipt,
} from "../protocol/records.ts";
import type { Sequencer } from "../protocol/sequencer.ts";
import type { Bundle } from "../protocol/transition.ts";
import type { Block, Chain } from "./chain.ts";
import { intentOn } from "./disk.ts";
import { checkEndorsements, checkProducers } from "./dispatches.ts";
import { isSigned } from "./hashing.ts";
import { Keeping } from "./keeping.ts";
import type { SimulatedNode } from "./node.ts";
import { Preparations } from "./preparations.ts";
import { checkTold } from "./told.ts";
import { checkSecrets, type Secrets } from "./secrets.ts";
import type { ExecutedTransition, Group } from "./transition.ts";
import { violation } from "./violation.ts";

/** What is known about one intent, over all nodes and all crashes. */
interface Story {
  /** The node whose disk holds it. */
  owner: SimulatedNode | undefined;
  receipt: Receipt | undefined;
  /** All permissions that were ever durable, by digest and coordinator. */
  readonly permissions: Map<string, Permission>;
  /** The last block in which a step that its owner signed may happen. */
  signedUntil: number;
  /** A deep reorganisation happened after the receipt: what was final is not. */
  isShaken: boolean;
}

/** Watches everything and speaks up at the first contradiction. Cheap: each check looks only at what just changed. */
export class Invariants {
  readonly #stories = new Map<IntentId, Story>();
  readonly #spentBy = new Map<StateId, ExecutedTransition>();
  readonly #fulfilledBy = new Map<IntentId, ExecutedTransition>();
  /** Bundles that the submitter of a node gave up. */
  readonly #failed = new Set<string>();
  readonly #group: Group;
  readonly #secrets: Secrets;
  readonly #chain: () => Chain;
  /** Members that lie: what they sign binds nobody. */
  readonly #liars: ReadonlySet<NodeName>;
  readonly #dependencies: ReadonlyMap<IntentId, readonly IntentId[]>;
  readonly #preparations: Preparations;
  readonly #keeping: Keeping;
  /** Intents that a liar submitted. */
  readonly #rushed = new Set<IntentId>();
  #isChainShaken = false;

  constructor(
    options: {
      readonly group: Group;
      readonly liars: ReadonlySet<NodeName>;
      readonly rumours: ReadonlySet<StateId>;
      readonly dependencies: ReadonlyMap<IntentId, readonly IntentId[]>;
      readonly prepareOnly: ReadonlySet<IntentId>;
      readonly secrets: Secrets;
    },
    ports: { readonly chain: () => Chain },
  ) {
    this.#group = options.group;
    this.#secrets = options.secrets;
    this.#liars = options.liars;
    this.#dependencies = options.dependencies;
    this.#preparations = new Preparations(options, {
      isFulfilled: (id) => this.#fulfilledBy.has(id),
    });
    this.#keeping = new Keeping(options.group);
    this.#chain = ports.chain;
  }

  receiptOf(id: IntentId): Receipt | undefined {
    return this.#stories.get(id)?.receipt;
  }

  /** S1, S2, on the canonical chain; S14 against receipts. */
  transitioned(net: ExecutedTransition, isUndone: boolean): void {
    for (const id of net.inputs) {
      if (isUndone) this.#spentBy.delete(id);
      else if (this.#spentBy.has(id)) throw violation("S1", id, "spent twice");
      else this.#spentBy.set(id, net);
    }
    for (const id of net.intents) {
      if (isUndone) {
        this.#fulfilledBy.delete(id);
        continue;
      }
      if (this.#fulfilledBy.has(id))
        throw violation("S2", id, "fulfilled twice");
      this.#fulfilledBy.set(id, net);
      for (const dependency of this.#dependencies.get(id) ?? [])
        if (
          !this.#fulfilledBy.has(dependency) &&
          !this.#isChainShaken &&
          !this.#rushed.has(id)
        )
          throw violation("dependsOn", id, "happened before its dependency");
      const story = this.#stories.get(id);
      if (story?.receipt?.type !== "Reverted" || story.isShaken) continue;
      if (story.owner !== undefined && this.#liars.has(story.owner.name))
        continue;
      throw violation("S14", id, "happened after it was reported as reverted");
    }
  }

  /** A liar submits a bundle: nobody can make it wait for what an intent depends on. */
  executedByLiar({ steps }: Bundle): void {
    for (const { intentId } of steps) this.#rushed.add(intentId);
  }

  /** Blocks vanished that nodes had taken as final. */
  shaken(): void {
    this.#isChainShaken = true;
    for (const story of this.#stories.values())
      if (story.receipt !== undefined) story.isShaken = true;
  }

  submissionFailed(node: SimulatedNode, digest: Digest): void {
    this.#failed.add(`${node.name}|${digest}`);
  }

  /** Before the effects of a start are performed. */
  started(
    node: SimulatedNode,
    effects: readonly Effect[],
    sequencer: Sequencer | undefined,
  ): void {
    if (sequencer !== undefined) this.#keeping.started(node, sequencer);
    for (const record of node.disk.records.values()) {
      if (record.kind !== "dispatch") continue;
      const { bundle } = record;
      const isOver =
        bundle.validUntil <= node.height ||
        bundle.steps.some(({ intentId }) =>
          node.holdings.isFulfilled(intentId),
        );
      const isResumed = effects.some(
        (effect) =>
          effect.type === "Submit" &&
          effect.dispatch.bundle.digest === bundle.digest,
      );
      if (!isOver && !isResumed)
        throw violation("S19", bundle.digest, "not resumed after a restart");
    }
  }

  committing(
    node: SimulatedNode,
    effects: readonly Effect[],
    block: Block | undefined,
  ): void {
    for (const effect of effects)
      if (effect.type === "Save" && effect.record.kind === "intent")
        this.#savingIntent(node, effect.record, block);
    const dispatches: DispatchRecord[] = [];
    for (const effect of effects) {
      if (effect.type === "Save" && effect.record.kind === "dispatch") {
        this.#savingDispatch(node, effect.record, dispatches);
        this.#keeping.dispatching(node, effect.record, effects);
        dispatches.push(effect.record);
      }
      if (effect.type === "Erase") this.#erasing(node, effect.key, block);
    }
  }

  #savingIntent(
    node: SimulatedNode,
    record: IntentRecord,
    block: Block | undefined,
  ): void {
    const { id } = record.intent;
    const story = this.#storyOf(id);
    story.owner ??= node;
    if (story.owner !== node) return;
    const { permission, receipt } = record;
    const before = intentOn(node.disk.records, id);
    if (before !== undefined && record.retries < before.retries)
      throw violation("S36", id, "retries do not count up");
    if (permission !== undefined) {
      const last = before?.permission;
      if (last !== undefined && last.digest !== permission.digest)
        if (permission.attempt <= last.attempt)
          throw violation("S18", id, "attempts do not count up");
      const { digest, coordinator } = permission;
      story.permissions.set(`${digest}|${coordinator}`, permission);
    }
    if (story.signedUntil > record.liveUntil && receipt === undefined)
      throw violation("S14", id, "forgets until when a step of it may happen");
    const isUnproven = record.fulfilment !== undefined;
    this.#checkReceipt(node, story, receipt, { id, block, isUnproven });
    if (receipt?.type === "Prepared") {
      const { bundle, endorsements } = this.#preparations.check(record);
      checkEndorsements(bundle, endorsements, this.#group);
    }
    if (receipt === undefined) story.isShaken = false;
    // The block was replaced while the disk was busy with it.
    else if (block !== undefined && !this.#isCanonical(block))
      story.isShaken = true;
    story.receipt = receipt;
  }

  /** Who sent the step with which the ledger fulfilled an intent: in this block, or on the chain. */
  #senderOf(id: IntentId, block: Block | undefined): NodeName | undefined {
    const blocks = isIn(block, id) && block ? [block] : this.#chain().blocks;
    for (const { bundles } of blocks.toReversed())
      for (const { steps } of bundles)
        for (const { intentId, sender } of steps)
          if (intentId === id) return sender;
    return undefined;
  }

  #isCanonical(block: Block): boolean {
    return this.#chain().blocks[block.height] === block;
  }

  #checkReceipt(
    node: SimulatedNode,
    story: Story,
    receipt: Receipt | undefined,
    {
      id,
      block,
      isUnproven,
    }: {
      readonly id: IntentId;
      readonly block: Block | undefined;
      /** The ledger has it in a bundle that its node has not seen: whose step that was is not known yet. */
      readonly isUnproven: boolean;
    },
  ): void {
    if (story.receipt !== undefined && !story.isShaken) {
      const isSame = receipt?.type === story.receipt.type;
      // Somebody executed what was prepared.
      const isExecuted =
        story.receipt.type === "Prepared" &&
        (receipt?.type === "Confirmed" || isUnproven);
      // Nobody owes a liar anything; its receipt is corrected.
      const isCorrected =
        story.receipt.type === "Reverted" && this.#liars.has(node.name);
      if (!isSame && !isExecuted && !isCorrected)
        throw violation("S14", id, `was ${story.receipt.type}, changed`);
      if (isSame) return;
    }
    if (receipt === undefined) return;
    if (receipt.type === "Confirmed") {
      if (!node.holdings.isFulfilled(id) && !isIn(block, id))
        throw violation("S14", id, "confirmed, but not on the ledger");
      if (this.#senderOf(id, block) !== node.name)
        throw violation("S14", id, "confirmed, but not by its own step");
      return;
    }
    if (receipt.type === "Prepared") return;
    if (this.#isChainShaken || this.#liars.has(node.name)) return;
    if (this.#fulfilledBy.has(id))
      throw violation("S14", id, "reverted, but on the ledger");
    const height = block?.height ?? node.height;
    if (story.signedUntil > height)
      throw violation(
        "S14",
        id,
        `reverted at ${height} while a step of it may happen until ${story.signedUntil}`,
      );
    for (const { validUntil, coordinator } of story.permissions.values())
      if (validUntil > height)
        throw violation(
          "S14",
          id,
          `reverted at ${height} while ${coordinator} may dispatch it until ${validUntil}`,
        );
  }

  #savingDispatch(
    node: SimulatedNode,
    record: DispatchRecord,
    earlier: readonly DispatchRecord[],
  ): void {
    const { bundle, endorsements } = record;
    const key = `dispatch:${bundle.digest}`;
    if (node.disk.records.has(key)) return;
    const { digest } = bundle;
    checkEndorsements(bundle, endorsements, this.#group);
    if (bundle.validUntil <= node.height)
      throw violation("L10", digest, "dispatched when it could not happen");
    const { stepHash } = this.#group.hashing;
    for (const step of bundle.steps) {
      if (!isSigned(step.signature, step.sender, stepHash(step)))
        throw violation("S16", step.intentId, "not what its sender signed");
      if (this.#liars.has(step.sender)) continue;
      const story = this.#stories.get(step.intentId);
      if (story?.permissions.has(`${digest}|${node.name}`) !== true)
        throw violation("S15", step.intentId, "dispatched without permission");
    }
    this.#preparations.checkDispatchable(bundle, "is dispatched");
    if (!this.#isChainShaken)
      checkProducers(node, record, earlier, this.#chain());
  }

  #erasing(node: SimulatedNode, key: string, block: Block | undefined): void {
    const record = node.disk.records.get(key);
    if (record === undefined) return;
    if (record.kind === "intent" && record.receipt === undefined)
      throw violation("S13", record.intent.id, "erased before it ended");
    if (record.kind !== "dispatch") return;
    const { bundle } = record;
    const isOver =
      bundle.validUntil <= node.height + 1 ||
      this.#failed.has(`${node.name}|${bundle.digest}`) ||
      bundle.steps.some(
        ({ intentId }) =>
          node.holdings.isFulfilled(intentId) || isIn(block, intentId),
      );
    if (!isOver)
      throw violation("S19", bundle.digest, "dispatch erased while it is open");
  }

  performing(node: SimulatedNode, effect: Effect): void {
    checkTold(node, effect, {
      receiptOf: (id) => this.receiptOf(id),
      isFulfilled: (id) => this.#chain().ledger.fulfilled.has(id),
    });
    this.#keeping.performing(node, effect);
    if (effect.type !== "Send") return;
    const { to, message } = effect;
    this.#noteSigned(message);
    const path = { from: node.name, to };
    this.#preparations.sending(path, message, this.#isChainShaken);
    checkSecrets(this.#secrets, { ...path, message });
  }

  /** Steps that leave their sender may happen for as long as they say. */
  #noteSigned(message: Message): void {
    if (message.type !== "AssembleResponse") return;
    for (const outcome of message.outcomes) {
      if (outcome.type !== "assembled") continue;
      const story = this.#storyOf(outcome.id);
      const { validUntil } = outcome.step;
      story.signedUntil = Math.max(story.signedUntil, validUntil);
    }
  }

  #storyOf(id: IntentId): Story {
    const known = this.#stories.get(id);
    if (known !== undefined) return known;
    const story: Story = {
      owner: undefined,
      receipt: undefined,
      permissions: new Map(),
      signedUntil: 0,
      isShaken: false,
    };
    this.#stories.set(id, story);
    return story;
  }
}

/** A block is committed together with what follows from it. */
function isIn(block: Block | undefined, id: IntentId): boolean {
  return block?.facts.some(({ intents }) => intents.includes(id)) === true;
}
