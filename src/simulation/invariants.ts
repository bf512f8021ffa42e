import type { Effect } from "../protocol/effects.ts";
import type { Digest, IntentId, NodeName, StateId } from "../protocol/ids.ts";
import type { Message } from "../protocol/messages.ts";
import { netOf } from "../protocol/net.ts";
import type {
  DispatchRecord,
  IntentRecord,
  Permission,
  Receipt,
  SavedRecord,
} from "../protocol/records.ts";
import type { Bundle, Endorsement } from "../protocol/transition.ts";
import type { Chain } from "./chain.ts";
import { hashing, isSigned, stepHash } from "./hashing.ts";
import type { SimulatedNode } from "./node.ts";
import type { ExecutedTransition, Group } from "./transition.ts";

/** A property that does not hold. The names are those of the list of properties. */
export class Violation extends Error {
  readonly property: string;

  constructor(property: string, message: string) {
    super(`${property}: ${message}`);
    this.property = property;
  }
}

/** What is known about one intent, over all nodes and all crashes. */
interface Story {
  /** The node whose disk holds it. */
  owner: SimulatedNode | undefined;
  receipt: Receipt | undefined;
  /** All permissions that were ever durable, by digest and coordinator. */
  readonly permissions: Map<string, Permission>;
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
  readonly #chain: () => Chain;
  /** Members that lie: what they sign binds nobody. */
  readonly #liars: ReadonlySet<NodeName>;
  readonly #dependencies: ReadonlyMap<IntentId, readonly IntentId[]>;
  readonly #prepareOnly: ReadonlySet<IntentId>;
  /** States that would be there if what is only prepared happened. */
  readonly #hypothetical = new Map<StateId, IntentId>();
  #isChainShaken = false;

  constructor(
    options: {
      readonly group: Group;
      readonly liars: ReadonlySet<NodeName>;
      readonly dependencies: ReadonlyMap<IntentId, readonly IntentId[]>;
      readonly prepareOnly: ReadonlySet<IntentId>;
    },
    ports: { readonly chain: () => Chain },
  ) {
    this.#group = options.group;
    this.#liars = options.liars;
    this.#dependencies = options.dependencies;
    this.#prepareOnly = options.prepareOnly;
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
        if (!this.#fulfilledBy.has(dependency) && !this.#isChainShaken)
          throw violation("dependsOn", id, "happened before its dependency");
      const story = this.#stories.get(id);
      if (story?.receipt?.type !== "Reverted" || story.isShaken) continue;
      if (story.owner !== undefined && this.#liars.has(story.owner.name))
        continue;
      throw violation("S14", id, "happened after it was reported as reverted");
    }
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
  started(node: SimulatedNode, effects: readonly Effect[]): void {
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

  committing(node: SimulatedNode, effects: readonly Effect[]): void {
    for (const effect of effects)
      if (effect.type === "Save" && effect.record.kind === "intent")
        this.#savingIntent(node, effect.record);
    const dispatches: DispatchRecord[] = [];
    for (const effect of effects) {
      if (effect.type === "Save" && effect.record.kind === "dispatch") {
        this.#savingDispatch(node, effect.record, dispatches);
        dispatches.push(effect.record);
      }
      if (effect.type === "Erase") this.#erasing(node, effect.key);
    }
  }

  #savingIntent(node: SimulatedNode, record: IntentRecord): void {
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
    this.#checkReceipt(node, story, receipt, id);
    if (receipt?.type === "Prepared") this.#checkPrepared(record);
    if (receipt === undefined) story.isShaken = false;
    story.receipt = receipt;
  }

  #checkReceipt(
    node: SimulatedNode,
    story: Story,
    receipt: Receipt | undefined,
    id: IntentId,
  ): void {
    if (story.receipt !== undefined && !story.isShaken) {
      const isSame = receipt?.type === story.receipt.type;
      // Somebody executed what was prepared.
      const isExecuted =
        story.receipt.type === "Prepared" && receipt?.type === "Confirmed";
      if (!isSame && !isExecuted)
        throw violation("S14", id, `was ${story.receipt.type}, changed`);
      if (isSame) return;
    }
    if (receipt === undefined) return;
    if (receipt.type === "Confirmed") {
      if (!node.holdings.isFulfilled(id) && !this.#isInNextBlock(node, id))
        throw violation("S14", id, "confirmed, but not on the ledger");
      return;
    }
    if (receipt.type === "Prepared") return;
    if (this.#isChainShaken || this.#liars.has(node.name)) return;
    if (this.#fulfilledBy.has(id))
      throw violation("S14", id, "reverted, but on the ledger");
    for (const { validUntil, coordinator } of story.permissions.values())
      if (validUntil > node.height + 1)
        throw violation(
          "S14",
          id,
          `reverted at ${node.height} while ${coordinator} may dispatch it until ${validUntil}`,
        );
  }

  /** S40, S4: what a user gets who asked for it is endorsed, and is his alone. */
  #checkPrepared({ intent: { id }, prepared }: IntentRecord): void {
    if (prepared === undefined || !this.#prepareOnly.has(id))
      throw violation("S40", id, "prepared, though nobody asked for that");
    const { bundle, endorsements } = prepared;
    if (bundle.steps.length !== 1 || bundle.steps[0]?.intentId !== id)
      throw violation("S40", id, "prepared together with something else");
    this.#checkEndorsed(bundle, endorsements);
  }

  /** The block is committed together with what follows from it. */
  #isInNextBlock(node: SimulatedNode, id: IntentId): boolean {
    const block = this.#chain().blocks[node.height + 1];
    return block?.facts.some(({ intents }) => intents.includes(id)) === true;
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
    this.#checkEndorsed(bundle, endorsements);
    for (const step of bundle.steps) {
      if (!isSigned(step.signature, step.sender, stepHash(step)))
        throw violation("S16", step.intentId, "not what its sender signed");
      if (this.#liars.has(step.sender)) continue;
      if (this.#prepareOnly.has(step.intentId))
        throw violation("S40", step.intentId, "is dispatched");
      const story = this.#stories.get(step.intentId);
      if (story?.permissions.has(`${digest}|${node.name}`) !== true)
        throw violation("S15", step.intentId, "dispatched without permission");
    }
    this.#checkProducers(node, record, earlier);
  }

  /** S4: enough members signed exactly this. */
  #checkEndorsed(bundle: Bundle, endorsements: readonly Endorsement[]): void {
    const { digest } = bundle;
    if (hashing.bundleDigest(bundle) !== digest)
      throw violation("S4", digest, "dispatched under a wrong digest");
    const signers = new Set(
      endorsements
        .filter(({ endorser, signature }) =>
          isSigned(signature, endorser, digest),
        )
        .map(({ endorser }) => endorser),
    );
    if (
      signers.size < this.#group.threshold ||
      signers.size !== endorsements.length
    )
      throw violation("S4", digest, "dispatched without k good endorsements");
  }

  /** S25: what it builds on is confirmed, or was dispatched before by the same signer. */
  #checkProducers(
    node: SimulatedNode,
    { bundle }: DispatchRecord,
    earlier: readonly DispatchRecord[],
  ): void {
    if (this.#isChainShaken) return;
    const net = netOf(bundle.steps);
    if (net.conflicts.length > 0)
      throw violation("S25", bundle.digest, "spends a state twice");
    for (const id of [...net.inputs, ...net.reads]) {
      if (node.holdings.coin(id) !== undefined) continue;
      // The ledger has it, and the news has not come here yet.
      if (this.#chain().ledger.unspent.has(id)) continue;
      // Somebody else was faster, and the news came after the endorsements: the ledger refuses.
      if (node.holdings.isSpent(id)) continue;
      let isDispatched = earlier.some((record) => createsState(record, id));
      for (const record of node.disk.records.values())
        if (record.kind === "dispatch" && createsState(record, id))
          isDispatched = true;
      if (!isDispatched)
        throw violation("S25", id, "built on a state nobody has dispatched");
    }
  }

  #erasing(node: SimulatedNode, key: string): void {
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
          node.holdings.isFulfilled(intentId) ||
          this.#isInNextBlock(node, intentId),
      );
    if (!isOver)
      throw violation("S19", bundle.digest, "dispatch erased while it is open");
  }

  performing(node: SimulatedNode, effect: Effect): void {
    const { records } = node.disk;
    if (effect.type === "Accepted" && !records.has(`intent:${effect.id}`))
      throw violation("S12", effect.id, "accepted before it was durable");
    if (effect.type === "Submit") {
      const { digest } = effect.dispatch.bundle;
      if (!records.has(`dispatch:${digest}`))
        throw violation("S19", digest, "submitted before it was durable");
    }
    if (effect.type === "Settled")
      if (this.#stories.get(effect.receipt.id)?.receipt === undefined)
        throw violation("S13", effect.receipt.id, "told before durable");
    if (effect.type === "Assemble")
      for (const { id } of effect.intents)
        if (intentOn(records, id)?.receipt !== undefined)
          throw violation("S21", id, "assembled after it ended");
    if (effect.type !== "Send") return;
    if (effect.to === node.name)
      throw violation("S33", effect.to, "sends to itself");
    this.#sending(node, effect.to, effect.message);
  }

  #sending(node: SimulatedNode, to: NodeName, message: Message): void {
    const { records } = node.disk;
    switch (message.type) {
      case "Dispatched":
        if (!records.has(`dispatch:${message.digest}`))
          throw violation("S19", message.digest, "told before it was durable");
        return;
      case "EndorsementRequest":
        if (message.bundle.steps.length > 1)
          this.#checkDispatchable(message.bundle, "is bundled");
        this.#checkFoundations(message.bundle);
        return;
      case "AssembleRequest": {
        const { ids } = message;
        const alone = ids.find((id) => this.#prepareOnly.has(id));
        if (alone !== undefined && ids.length > 1)
          throw violation("S40", alone, "is assembled together with others");
        return;
      }
      case "AssembleResponse":
        for (const outcome of message.outcomes)
          if (outcome.type === "assembled" && this.#prepareOnly.has(outcome.id))
            for (const { id } of outcome.step.outputs)
              this.#hypothetical.set(id, outcome.id);
        return;
      case "DispatchPermissionRequest":
        this.#checkDispatchable(message.bundle, "is to be dispatched");
        return;
      case "DispatchPermission":
        for (const id of message.ids) {
          if (this.#prepareOnly.has(id))
            throw violation("S40", id, "may be dispatched");
          const record = intentOn(records, id);
          const { permission, receipt } = record ?? {};
          if (
            permission?.digest !== message.digest ||
            permission.coordinator !== to
          )
            throw violation("S15", id, "permission sent before it was durable");
          if (receipt !== undefined)
            throw violation("S16", id, "permission for an ended intent");
        }
        return;
      case "DispatchedAck":
        for (const id of message.ids) {
          const record = intentOn(records, id);
          if (record === undefined || record.receipt !== undefined) continue;
          const { permission } = record;
          if (permission?.digest !== message.digest) continue;
          if (permission.coordinator !== to) continue;
          if (permission.validUntil <= node.height || record.isDoomed) continue;
          if (!record.isDispatched)
            throw violation("S19", id, "acknowledged before it was durable");
        }
        return;
      case "DelegationRequest":
        for (const { id } of message.intents)
          if (intentOn(records, id)?.receipt !== undefined)
            throw violation("S21", id, "delegated after it ended");
        return;
      case "DelegationAccepted":
      case "DelegationRejected":
      case "DelegationReturned":
      case "Endorsement":
      case "Refusal":
      case "DispatchDenial":
      case "TransactionPrepared":
      case "TransactionPreparedAck":
      case "TransactionReverted":
      case "DependencyQuery":
      case "DependencyFailed":
      case "Heartbeat":
      case "HandoverRequest":
      case "Handover":
      case "HandoverAck":
        return;
    }
  }

  /** S40: what is only to be prepared is not on its way to the ledger. */
  #checkDispatchable({ steps }: Bundle, what: string): void {
    for (const { intentId, sender } of steps)
      if (this.#prepareOnly.has(intentId) && !this.#liars.has(sender))
        throw violation("S40", intentId, what);
  }

  /** S40: nothing is built on what is only prepared, unless somebody has executed it. */
  #checkFoundations({ steps }: Bundle): void {
    if (this.#isChainShaken) return;
    for (const { intentId, sender, inputs, reads } of steps) {
      if (this.#liars.has(sender)) continue;
      for (const id of [...inputs, ...reads]) {
        const producer = this.#hypothetical.get(id);
        if (producer !== undefined && !this.#fulfilledBy.has(producer))
          throw violation("S40", intentId, "builds on what is only prepared");
      }
    }
  }

  #storyOf(id: IntentId): Story {
    const known = this.#stories.get(id);
    if (known !== undefined) return known;
    const story: Story = {
      owner: undefined,
      receipt: undefined,
      permissions: new Map(),
      isShaken: false,
    };
    this.#stories.set(id, story);
    return story;
  }
}

function violation(property: string, id: string, what: string): Violation {
  return new Violation(property, `${id.slice(0, 14)} ${what}`);
}

function createsState({ bundle }: DispatchRecord, id: StateId): boolean {
  return bundle.steps.some(({ outputs }) =>
    outputs.some((output) => output.id === id),
  );
}

function intentOn(
  records: ReadonlyMap<string, SavedRecord>,
  id: IntentId,
): IntentRecord | undefined {
  const record = records.get(`intent:${id}`);
  return record?.kind === "intent" ? record : undefined;
}
