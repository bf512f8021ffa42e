import type { GroupDescription } from "../../node/groups/genesis.ts";
import type { GroupEntry } from "../groups-config.ts";
import type { ItemName } from "./plan.ts";

/** A group, as it is or will be. */
export interface DeployedGroup {
  readonly name: string;
  readonly address: string;
  readonly members: readonly string[];
  readonly threshold: number;
  readonly externalCalls: boolean;
  readonly salt: string;
  /** What nodes have to know of it; null for a group without nodes. */
  readonly description: GroupDescription | null;
}

/** The end of a deployment, and what the task gives to those who run it from code. */
export interface Deployment {
  readonly network: string;
  readonly chainId: bigint;
  readonly sender: string;
  readonly isDryRun: boolean;
  /** Whether the chain ends with this process. */
  readonly isTemporary: boolean;
  readonly factory: string;
  readonly implementation: string;
  /** Null where there is none. */
  readonly atomFactory: string | null;
  readonly group: DeployedGroup | null;
  /** Hashes of what was sent. */
  readonly transactions: readonly string[];
  readonly gasUsed: bigint;
  /** What belongs into the configuration; null if nothing does. */
  readonly config: {
    readonly factory?: string;
    readonly groups?: Readonly<Record<string, GroupEntry>>;
  } | null;
}

/** Everything that a deployment tells while it goes on. */
export type DeployFact =
  | {
      readonly type: "network";
      readonly network: string;
      readonly chainId: bigint;
      readonly sender: string;
      readonly balance: bigint;
    }
  | { readonly type: "waiting"; readonly pending: number }
  | ({ readonly type: "group" } & DeployedGroup)
  | {
      readonly type: "present";
      readonly name: ItemName;
      readonly address: string;
      readonly status: "present" | "configured" | "skipped";
    }
  /** A transaction was sent, and is waited for. */
  | {
      readonly type: "pending";
      readonly name: ItemName | "funding";
      readonly tx: string;
      /** The block that it is in; null before. */
      readonly block: number | null;
      /** Blocks so far, its own included, and how many are waited for. */
      readonly confirmations: number;
      readonly wanted: number;
      readonly elapsedMs: number;
    }
  | {
      readonly type: "deployed";
      readonly name: ItemName | "funding";
      readonly address: string;
      readonly gasUsed: bigint;
      readonly tx: string;
    }
  | {
      readonly type: "planned";
      readonly name: ItemName | "funding";
      readonly address: string;
      readonly gas: bigint;
      /** In wei, at the current fee, with any value that is sent. */
      readonly cost: bigint;
    }
  | {
      readonly type: "estimate";
      readonly gas: bigint;
      readonly cost: bigint;
      /** What the balance must be: nodes want to see the highest fee. */
      readonly needed: bigint;
      readonly gasPrice: bigint;
      readonly balance: bigint;
    }
  | {
      readonly type: "verification";
      readonly contract: string;
      readonly address: string;
      readonly status: "verified" | "already-verified";
      readonly url: string;
    }
  | {
      readonly type: "verification";
      readonly contract: string;
      readonly address: string;
      readonly status: "failed";
      readonly reason: string;
    }
  | ({ readonly type: "deployment" } & Deployment);
