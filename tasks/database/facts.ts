import type { CheckFact } from "../../src/replica/check.ts";

/** What `sequencer:database check` tells. */
export type DatabaseCheckFact =
  /** A replica can work with the server. */
  | {
      readonly type: "server-checked";
      readonly host: string;
      /** Of PostgreSQL. */
      readonly version: string;
      readonly user: string;
    }
  | {
      readonly type: "tables-checked";
      readonly schema: string;
      readonly tables: number;
    }
  | CheckFact
  | {
      readonly type: "database-checked";
      readonly node: string;
      /** How many problems there are. */
      readonly problems: number;
      readonly elapsedMs: number;
    };

/** How far a store is that is being rebuilt. */
export interface RebuildFact {
  readonly type: "rebuild-progress";
  /** The last turn that it has. */
  readonly turn: number;
  /** The last turn of the log. */
  readonly head: number;
}

/** What `sequencer:database snapshot` tells. */
export type SnapshotFact =
  | RebuildFact
  | {
      readonly type: "snapshot-made";
      readonly sequence: number;
      readonly bytes: number;
      /** Turns that were deleted, since snapshots have them. */
      readonly trimmed: number;
    }
  /** There is one at the end of the log already. */
  | { readonly type: "snapshot-present"; readonly sequence: number };

/** What `sequencer:database restore` tells. */
export type RestoreFact =
  | RebuildFact
  | {
      readonly type: "store-restored";
      readonly file: string;
      /** The last turn that it has. */
      readonly turn: number;
      readonly bytes: number;
    };

/** What `sequencer:database import` tells. */
export interface ImportFact {
  readonly type: "store-imported";
  readonly node: string;
  readonly file: string;
  readonly bytes: number;
  /** The log had it already: an earlier import had come so far. */
  readonly wasThere: boolean;
}

/** What `sequencer:database turns` tells. */
export interface TurnFact {
  readonly type: "turn";
  readonly sequence: number;
  readonly epoch: number;
  readonly hash: string;
  /** Of its body. */
  readonly bytes: number;
  readonly statements: readonly StatementFact[];
}

export interface StatementFact {
  readonly sql: string;
  /** Rows that it changed; null for a script of several statements. */
  readonly changes: number | null;
  /** Only if they are asked for. Bytes are hexadecimal, and large integers text. */
  readonly values?: readonly (string | number | null)[];
}
