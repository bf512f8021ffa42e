import type { SequencerConfig } from "./config.ts";
import type { Coordinator } from "./coordinator/model.ts";
import type { Effect } from "./effects.ts";
import type { Endorser } from "./endorser.ts";
import { type FailedIntent, type Fact, factBits } from "./facts.ts";
import type { IntentId, NodeName, RequestKey } from "./ids.ts";
import { limits } from "./limits.ts";
import type { Tracer } from "./machine.ts";
import type { Message, MessageOf } from "./messages.ts";
import type { Ranking } from "./selection.ts";
import type { Sender } from "./sender/model.ts";
import type { Tables } from "./tables.ts";

/** One node's part in one group. Owned by the protocol: nothing outside changes it. */
export interface Sequencer {
  config: SequencerConfig;
  ranking: Ranking;
  tick: number;
  height: number;
  sender: Sender;
  coordinator: Coordinator;
  endorser: Endorser;
  /** The newest heartbeat of every node, and when it was heard. */
  readonly beats: Map<
    NodeName,
    Pick<MessageOf<"Heartbeat">, "boot" | "beat" | "state"> & {
      readonly tick: number;
    }
  >;
  /** Nodes that did not answer, and until which tick they are skipped. */
  readonly silent: Map<NodeName, number>;
  /** Nodes that do not want to coordinate, since when and until which tick that counts. Whoever came back soon is remembered. */
  readonly leaving: Map<
    NodeName,
    { readonly sinceTick: number; readonly untilTick: number }
  >;
  /** Coordinators that made no progress for this node, how often, and until which tick they are passed over. */
  readonly suspects: Map<
    NodeName,
    {
      readonly key: RequestKey;
      readonly count: number;
      readonly untilTick: number;
    }
  >;
  /** Whom others suspect: the last that each of them said, and until when it counts. Before that they are not listened to again. */
  readonly suspicions: Map<
    NodeName,
    {
      readonly key: RequestKey;
      /** Nobody, once it turned out that the others were not told the same. */
      readonly of: NodeName | undefined;
      readonly count: number;
      readonly untilTick: number;
    }
  >;
  requests: number;
  /** Turns since its memory was checked, if it is. */
  unchecked: number;
  /** Messages that changed nothing, by reason. */
  readonly ignored: Map<string, number>;
}

/** What an action needs besides its model: the node, and a place for what it wants done. */
export interface Turn {
  readonly node: Sequencer;
  readonly effects: Effect[];
  /** Messages from this node to itself, handled within the same turn. */
  readonly inbox: Message[];
  /** What the machines are told when all messages are handled: a bit for each fact. */
  facts: number;
  /** Intents of this node that failed, until the sender is told. */
  readonly failed: FailedIntent[];
  readonly trace: Tracer<{ readonly state: string }> | undefined;
  readonly tables: Tables;
}

/** A turn in which nothing has happened yet. */
export function createTurn(
  node: Sequencer,
  { trace, tables }: Pick<Turn, "trace" | "tables">,
): Turn {
  return {
    node,
    tables,
    effects: [],
    inbox: [],
    facts: 0,
    failed: [],
    trace,
  };
}

/** Notes what happened, for the machines to be told at the end of the turn. */
export function raise(turn: Turn, fact: Fact): void {
  turn.facts |= factBits[fact];
}

/** Sends a message; one to this node itself is handled at the end of the turn. */
export function send(turn: Turn, to: NodeName, message: Message): void {
  if (to === turn.node.config.self) turn.inbox.push(message);
  else turn.effects.push({ type: "Send", to, message });
}

/**
 * Whether this node has heard something newer from there. Not for ever: who once claimed too much, or came back from a
 * backup, is heard again.
 */
export function isLate(
  { beats, config, tick }: Sequencer,
  from: NodeName,
  { boot, beat }: MessageOf<"Heartbeat">,
): boolean {
  const newest = beats.get(from);
  if (newest === undefined || tick - newest.tick > config.suspicionTicks)
    return false;
  return boot < newest.boot || (boot === newest.boot && beat < newest.beat);
}

/** A key that no other request of this node has ever had. */
export function newKey({ node }: Turn): RequestKey {
  node.requests += 1;
  return `${node.config.self}:${node.config.boot}:${node.requests}` as RequestKey;
}

/** Counts a message that changed nothing. */
export function ignore({ node }: Turn, reason: string): void {
  node.ignored.set(reason, (node.ignored.get(reason) ?? 0) + 1);
}

/** The tick at which something that failed `tries` times is tried again. */
export function nextTry(turn: Turn, tries: number, id: string): number {
  return later(turn, turn.node.config.retryTicks, tries, id);
}

/**
 * The same for a request that nobody has answered `tries` times. Messages seldom get lost, and answers take long when there is
 * much to do: whoever is asked again then has even more to do.
 */
export function nextRequest(turn: Turn, tries: number, id: string): number {
  return later(turn, turn.node.config.requestTicks, tries, id);
}

/** Doubling, bounded, spread by a hash. */
function later(
  { node }: Turn,
  firstTicks: number,
  tries: number,
  id: string,
): number {
  const wait = Math.min(
    firstTicks * 2 ** Math.min(tries, 16),
    node.config.requestTicksMax,
  );
  let hash = tries + 1;
  for (let index = 0; index < id.length; index += 7)
    hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193);
  return node.tick + wait + ((((hash >>> 8) & 0xff) * wait) >> 10);
}

/** The range of blocks in which a height lies. */
export function rangeOf(node: Sequencer, height: number): number {
  return Math.floor(height / node.config.rangeSizeBlocks);
}

/** Those who may coordinate, most preferred first, as this node sees the range. */
export function candidates(
  node: Sequencer,
  range = rangeOf(node, node.height),
): NodeName[] {
  return node.config.mode === "local"
    ? [node.config.self]
    : node.ranking(range);
}

/** Whether a node belongs to the group. */
export function isMember({ config }: Sequencer, node: NodeName): boolean {
  return config.members.includes(node);
}

/** Whether `node` comes before `other` in the order of the current range. */
export function outranks(
  sequencer: Sequencer,
  node: NodeName,
  other: NodeName,
): boolean {
  const order = candidates(sequencer);
  const rank = order.indexOf(node);
  return rank !== -1 && (rank < order.indexOf(other) || !order.includes(other));
}

/** Whether a node is being skipped: it did not answer, does nothing, or does not want to coordinate. */
export function isSilent(sequencer: Sequencer, node: NodeName): boolean {
  const { silent, tick } = sequencer;
  return (
    (silent.get(node) ?? 0) > tick ||
    isLeaving(sequencer, node) ||
    isSuspected(sequencer, node)
  );
}

/** Whether a node does not want to coordinate for now, as it said itself. */
export function isLeaving(
  { leaving, tick }: Sequencer,
  node: NodeName,
): boolean {
  return (leaving.get(node)?.untilTick ?? 0) > tick;
}

/** The same, as far as this node has found it out itself, and not been told. */
export function isFoundSilent(
  { silent, suspects, tick }: Sequencer,
  node: NodeName,
): boolean {
  const { untilTick = 0 } = suspects.get(node) ?? {};
  return Math.max(silent.get(node) ?? 0, untilTick) > tick;
}

/** Whether a node is passed over because it makes no progress, as this node or another one says. */
export function isSuspected(
  { suspects, suspicions, tick }: Sequencer,
  node: NodeName,
): boolean {
  if ((suspects.get(node)?.untilTick ?? 0) > tick) return true;
  for (const { of, untilTick } of suspicions.values())
    if (of === node && untilTick > tick) return true;
  return false;
}

/** Ticks without a heartbeat after which a coordinator counts as silent. */
export function graceTicks({
  heartbeatTicks,
  heartbeatGrace,
}: Pick<SequencerConfig, "heartbeatTicks" | "heartbeatGrace">): number {
  return heartbeatTicks * heartbeatGrace;
}

/** Ticks in which a coordinator makes progress with a transaction that nothing else holds up. */
export function patienceTicks({
  stateTicks,
}: Pick<SequencerConfig, "stateTicks">): number {
  return limits.patience * stateTicks;
}

/** Ticks after which a node no longer waits for what another dispatched, whatever that one says. */
export function flushTicks({
  stateTicks,
}: Pick<SequencerConfig, "stateTicks">): number {
  return 4 * stateTicks;
}

/** Ids in pages of at most `size`. */
export function pages<Item>(items: readonly Item[], size: number): Item[][] {
  const result: Item[][] = [];
  for (let start = 0; start < items.length; start += size)
    result.push(items.slice(start, start + size));
  return result;
}

/** Groups ids by the node that sent them. */
export function bySender<Item>(
  items: Iterable<Item>,
  senderOf: (item: Item) => NodeName,
): Map<NodeName, Item[]> {
  const groups = new Map<NodeName, Item[]>();
  for (const item of items) {
    const group = groups.get(senderOf(item));
    if (group === undefined) groups.set(senderOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

/** The ids of some transactions. */
export function idsOf(items: readonly { readonly id: IntentId }[]): IntentId[] {
  return items.map(({ id }) => id);
}
