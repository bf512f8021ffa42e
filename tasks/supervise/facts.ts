import type { WaitReason } from "../../src/supervisor/election.ts";

/** What `sequencer:supervise` tells. */
export type SuperviseFact =
  | {
      readonly type: "ready";
      readonly node: string;
      readonly supervisor: string;
      /** Where operators reach it. */
      readonly url: string;
      /** Where users' reads are forwarded; null if none are. */
      readonly readsUrl: string | null;
    }
  | { readonly type: "duty"; readonly isOn: boolean }
  | { readonly type: "waiting"; readonly reason: WaitReason }
  | {
      readonly type: "probe";
      readonly replica: string;
      /** Null if nothing is wrong with it any more. */
      readonly problem: string | null;
    }
  | {
      readonly type: "found";
      readonly master: string;
      readonly epoch: number;
    }
  | {
      readonly type: "revoked";
      readonly master: string | null;
      readonly reason: string;
      /** The last turn before the log was stopped, and its hash. */
      readonly turn: number;
      readonly hash: string;
      /** Whether the master ended its node by itself. */
      readonly isPolite: boolean;
      readonly elapsedMs: number;
    }
  | {
      readonly type: "granted";
      readonly replica: string;
      readonly reason: string;
      /** Why it did not begin; null if it did. */
      readonly problem: string | null;
      readonly elapsedMs: number;
    }
  | {
      readonly type: "refused";
      readonly replica: string;
      readonly problem: string;
    }
  | {
      readonly type: "database-trouble";
      /** Null when it is over. */
      readonly reason: string | null;
    }
  | { readonly type: "stopping" };
