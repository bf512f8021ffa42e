import type { Head } from "../store/log/chain.ts";
import type { Step, WaitReason } from "./election.ts";

/** Something that logs are for. */
export type SupervisorFact =
  /** It has the duty from now on, or has not any more. */
  | { readonly type: "Duty"; readonly isOn: boolean }
  /** It waits for something else than before. */
  | { readonly type: "Waiting"; readonly reason: WaitReason }
  /** A probe of a replica failed after one that did not, or for another reason; undefined if it went well again. */
  | {
      readonly type: "Probe";
      readonly replica: string;
      readonly problem: string | undefined;
    }
  | {
      readonly type: "Found";
      readonly master: string;
      readonly epoch: number;
    }
  | {
      readonly type: "Revoked";
      readonly master: string | undefined;
      readonly reason: (Step & { readonly type: "revoke" })["reason"];
      readonly head: Head;
      /** Whether the master ended its node by itself. */
      readonly isPolite: boolean;
      readonly ms: number;
    }
  | {
      readonly type: "Granted";
      readonly replica: string;
      readonly reason: (Step & { readonly type: "grant" })["reason"];
      /** Why it did not begin; undefined if it did. */
      readonly problem: string | undefined;
      readonly ms: number;
    }
  | {
      readonly type: "Refused";
      readonly replica: string;
      readonly problem: string;
    }
  /** The database is in the way; undefined when it is no more. */
  | { readonly type: "Trouble"; readonly error: unknown };
