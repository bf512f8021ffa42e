import type { Act } from "../../src/supervisor/history.ts";

/** What `sequencer:master` tells. */
export type MasterFact =
  | {
      readonly type: "election";
      readonly isOn: boolean;
      /** Whether it was otherwise before. */
      readonly isChanged: boolean;
    }
  | {
      readonly type: "changed";
      readonly master: string;
      readonly epoch: number;
      /** From the wish until it had the lease. */
      readonly elapsedMs: number;
    }
  | {
      readonly type: "master";
      readonly node: string;
      /** The replica that has the lease; null if none has. */
      readonly master: string | null;
      /** Since when, or since when none has. */
      readonly tenureMs: number;
      readonly epoch: number;
      /** The last turn of the log, and its hash; the stopped hash if the log is stopped. */
      readonly turn: number;
      readonly hash: string;
      readonly isStopped: boolean;
      readonly isElectionOn: boolean;
      /** The supervisor on duty, and where operators reach it; null if there is none. */
      readonly supervisor: string | null;
      readonly supervisorUrl: string | null;
    }
  | {
      readonly type: "act";
      readonly at: string;
      readonly act: Act;
      readonly replica: string | null;
      readonly epoch: number;
      readonly turn: number;
      readonly reason: string;
      readonly supervisor: string;
    };
