import type { StateId as LedgerId } from "../ledger/index.ts";
import type { BlockReference } from "../chain/indexer/fork.ts";
import type { IndexedBlock } from "../chain/ports.ts";
import type { Event } from "../protocol/events.ts";
import type { GroupAddress, NodeName } from "../protocol/ids.ts";
import type { StoredGroup } from "../store/groups.ts";
import type { ToldState } from "./body.ts";
import type { Group } from "./catch-up.ts";
import type { GroupRunner } from "./group-runner.ts";
import type { LoopDriver } from "./driver.ts";
import type { NodeEffect } from "./node-effects.ts";
import type { NodeWrite } from "./node-writes.ts";
import type { Charge } from "./peer-quotas.ts";
import type { RequestId } from "./requests.ts";
import type { NewWork } from "./service.ts";

/** The event for the protocol core of one group. */
export interface GroupEvent {
  readonly type: "group";
  readonly group: GroupAddress;
  readonly event: Event;
  /** Of the peer that it comes from, until it is stepped. */
  readonly charge?: Charge | undefined;
}

/** Work of a user: all of it is taken, or nothing. */
export interface WorkSubmitted {
  readonly type: "submitted";
  readonly work: NewWork;
  /** Writes the rows of the user, inside the commit. */
  readonly record: () => void;
  readonly request: RequestId;
}

export interface BlocksIndexed {
  readonly type: "blocks";
  readonly blocks: readonly IndexedBlock[];
  readonly request: RequestId;
}

/** A part of the past of a group that was joined late. */
export interface HistoryIndexed {
  readonly type: "history";
  readonly group: GroupAddress;
  readonly blocks: readonly IndexedBlock[];
  readonly through: number;
  readonly request: RequestId;
}

/** Blocks above `height` never happened. */
export interface ChainReverted {
  readonly type: "chain-reverted";
  readonly height: number;
  /** The last block that stays, where nothing else is remembered. */
  readonly anchor: BlockReference | undefined;
  readonly request: RequestId;
}

/** A peer told the content of states that are missing, or that this node may not see them. */
export interface StatesTold {
  readonly type: "states-told";
  readonly group: Group;
  readonly states: readonly ToldState[];
  readonly foreign: readonly LedgerId[];
  readonly charge: Charge | undefined;
}

/** A group that this node takes part in from now on. */
export interface GroupAccepted {
  readonly type: "group-accepted";
  readonly stored: StoredGroup;
  readonly request: RequestId;
}

/** Everything that happens to a node. */
export type NodeEvent =
  | GroupEvent
  /** A group is in memory from now on. */
  | { readonly type: "group-loaded"; readonly runner: GroupRunner }
  | GroupAccepted
  /** The operator wants the node to coordinate nothing that it need not, or to take part again. */
  | { readonly type: "drain"; readonly isDraining: boolean }
  | { readonly type: "tick" }
  /** The next tick is late, as the node has too much to do. */
  | { readonly type: "delayed" }
  | BlocksIndexed
  | HistoryIndexed
  /** The past of a group is indexed as far as everything else. */
  | {
      readonly type: "history-complete";
      readonly runner: GroupRunner;
    }
  | ChainReverted
  | WorkSubmitted
  | StatesTold
  | {
      readonly type: "peer-started";
      readonly peer: NodeName;
      readonly boot: number;
    };

/** The loop of a node, to those who tell it what happens. */
export type NodeLoop = LoopDriver<NodeEvent, NodeWrite, NodeEffect>;

/** Tells the core of a group what happened, when it is the turn of the group. */
export type PostToGroup = (
  runner: GroupRunner,
  event: Event,
  charge?: Charge,
) => void;

export function postToGroups(loop: Pick<NodeLoop, "post">): PostToGroup {
  return (runner, event, charge) => {
    const { address: group } = runner.stored;
    loop.post({ type: "group", group, event, charge }, runner.rankNext());
  };
}

/** Whether an event reads from the store what others in its batch may be about to write, or must not wait for their writes. */
export function isAlone({ type }: NodeEvent): boolean {
  switch (type) {
    case "blocks":
    case "history":
    case "history-complete":
    case "chain-reverted":
    case "group-accepted":
    // So it need not wait until what others write is on the disk.
    case "delayed":
      return true;
    case "group":
    case "group-loaded":
    case "drain":
    case "tick":
    case "submitted":
    case "states-told":
    case "peer-started":
      return false;
  }
}
