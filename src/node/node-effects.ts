import type { IndexedBlock } from "../chain/ports.ts";
import type { Effect } from "../protocol/effects.ts";
import type { Digest } from "../protocol/ids.ts";
import type { StoredGroup } from "../store/groups.ts";
import type { GroupRunner } from "./group-runner.ts";
import type { Lesson } from "./node-writes.ts";
import type { NodeFact } from "./ports.ts";
import type { RequestId } from "./requests.ts";
import type { Settling } from "./settling.ts";

/** Effects of the core that are performed as they are. */
export type CoreEffect = Extract<
  Effect,
  { readonly type: "Send" | "Assemble" | "Endorse" | "ShowStep" }
>;

/** Something that a node does once all writes of a batch are durable. */
export type NodeEffect =
  | {
      readonly type: "core";
      readonly runner: GroupRunner;
      readonly effect: CoreEffect;
    }
  /** The base-ledger transaction of a dispatch, or of a user. */
  | { readonly type: "submit"; readonly id: Digest }
  | { readonly type: "tell-fact"; readonly fact: NodeFact }
  | { readonly type: "tell-settled"; readonly settling: Settling }
  /** A bundle that this node endorsed is on its disk. */
  | {
      readonly type: "bundle-kept";
      readonly runner: GroupRunner;
      readonly digest: Digest;
    }
  | { readonly type: "ticked" }
  | { readonly type: "blocks-added"; readonly blocks: readonly IndexedBlock[] }
  | { readonly type: "blocks-reverted"; readonly height: number }
  | { readonly type: "ask-at-once"; readonly runner: GroupRunner }
  | { readonly type: "release-checks"; readonly runner: GroupRunner }
  | { readonly type: "index-history"; readonly runner: GroupRunner }
  | { readonly type: "history-caught-up"; readonly runner: GroupRunner }
  | {
      readonly type: "committee-changed";
      readonly runner: GroupRunner;
      readonly stored: StoredGroup;
    }
  | { readonly type: "group-joined"; readonly stored: StoredGroup }
  | { readonly type: "states-learnt"; readonly lesson: Lesson }
  | {
      readonly type: "answer";
      readonly request: RequestId;
      /** Why the request is refused. */
      readonly refusal: string | undefined;
    };
