import type { StateId as LedgerId } from "../ledger/index.ts";
import type { BlockReference } from "../chain/indexer/fork.ts";
import type { IndexedBlock, IndexedTransition } from "../chain/ports.ts";
import type { PublicSubmission } from "../chain/submitter/ports.ts";
import type { GroupAddress, IntentId, NodeName } from "../protocol/ids.ts";
import type {
  DispatchRecord,
  Permission,
  SavedRecord,
} from "../protocol/records.ts";
import type { Step } from "../protocol/transition.ts";
import type { StoredGroup } from "../store/groups.ts";
import type { ToldState } from "./body.ts";
import type { Group } from "./catch-up.ts";
import type { GroupRunner, LedgerDeed } from "./group-runner.ts";
import type { Settling } from "./settling.ts";

/** Content that was told, and whether it turned out to be what was missing. */
export interface Lesson {
  readonly group: Group;
  readonly states: readonly ToldState[];
  /** States that this node may not see. */
  readonly foreign: readonly LedgerId[];
  /** Set by the write. */
  isMore: boolean;
}

/** Something that a batch of events makes durable. */
export type NodeWrite =
  | {
      readonly type: "save-record";
      readonly group: GroupAddress;
      readonly record: SavedRecord;
    }
  | {
      readonly type: "erase-record";
      readonly group: GroupAddress;
      readonly key: string;
    }
  /** A step of this node that it gave a permission for. */
  | {
      readonly type: "save-step";
      readonly group: GroupAddress;
      readonly permission: Permission;
      readonly step: Step;
      /** It keeps the whole bundle. */
      readonly isEndorser: boolean;
    }
  | {
      readonly type: "reserve-dispatch";
      readonly runner: GroupRunner;
      readonly dispatch: DispatchRecord;
    }
  | {
      readonly type: "reserve-public";
      readonly submission: PublicSubmission;
    }
  /** The rows of a user. */
  | { readonly type: "record-work"; readonly record: () => void }
  | { readonly type: "settle"; readonly settling: Settling }
  | {
      readonly type: "unsettle";
      readonly group: GroupAddress;
      readonly intentIds: readonly IntentId[];
    }
  | { readonly type: "add-block"; readonly block: IndexedBlock }
  /** Forgets what no reorganisation brings back. */
  | { readonly type: "prune"; readonly height: number }
  | {
      readonly type: "apply-transitions";
      readonly runner: GroupRunner;
      readonly deeds: readonly LedgerDeed[];
      readonly height: number;
    }
  | {
      readonly type: "backfill";
      readonly transitions: readonly IndexedTransition[];
      readonly block: number;
    }
  /** How far the past of a group is indexed; undefined if as far as everything else. */
  | {
      readonly type: "save-history";
      readonly runner: GroupRunner;
      readonly through: number | undefined;
    }
  | {
      readonly type: "revert-blocks";
      readonly height: number;
      readonly anchor: BlockReference | undefined;
      readonly runners: ReadonlySet<GroupRunner>;
    }
  | {
      readonly type: "save-committee";
      readonly runner: GroupRunner;
      /** It endorses from now on, and may see what it was denied before. */
      readonly isNewEndorser: boolean;
    }
  | { readonly type: "save-group"; readonly stored: StoredGroup }
  | { readonly type: "learn-states"; readonly lesson: Lesson }
  | {
      readonly type: "save-peer";
      readonly peer: NodeName;
      readonly boot: number;
    };
