import type { NodeFact } from "../node/ports.ts";
import type { NodeStatus } from "../node/service.ts";

/** How an intent ended. */
export type Outcome =
  | {
      readonly outcome: "confirmed";
      readonly block: number;
      readonly transaction: string;
    }
  | { readonly outcome: "reverted"; readonly reason: string };

/** Why a run ends. */
export type EndReason =
  /** The workload is done. */
  | "done"
  /** The user asked for it once. */
  | "interrupted"
  /** The user asked for it twice. */
  | "left"
  | "timeout";

/** What nodes tell, as people and machines read it. */
export type RunFact =
  | {
      readonly type: "network";
      readonly network: string;
      readonly chainId: number;
      readonly factory: string;
      /** Whether the chain ends with this process. */
      readonly isTemporary: boolean;
      /** Null if nothing is kept. */
      readonly dataDir: string | null;
    }
  | {
      readonly type: "group";
      readonly group: string;
      readonly id: string;
      readonly name: string;
      readonly domain: string;
      readonly members: readonly string[];
      readonly threshold: number;
      readonly policy: string;
      readonly isNew: boolean;
    }
  | {
      readonly type: "node";
      readonly node: string;
      readonly account: string;
      readonly url: string;
      readonly webSocketUrl: string;
    }
  /** Everything is up. */
  | { readonly type: "ready" }
  | {
      readonly type: "workload";
      readonly intents: number;
      readonly accounts: number;
      readonly rate: number | null;
    }
  | { readonly type: "signatures-slow"; readonly reason: string }
  | { readonly type: "block"; readonly height: number }
  | {
      readonly type: "blocks-reverted";
      readonly node: string;
      readonly height: number;
    }
  | {
      readonly type: "chain-trouble";
      readonly node: string;
      /** Null when it is over. */
      readonly reason: string | null;
    }
  | {
      readonly type: "payer-trouble";
      readonly node: string;
      readonly payer: string;
      /** Null when it is over. */
      readonly reason: string | null;
    }
  | {
      readonly type: "endorser-trouble";
      readonly node: string;
      /** Null when it is over. */
      readonly reason: string | null;
    }
  /** A domain threw, or answered nonsense. */
  | {
      readonly type: "domain-failed";
      readonly node: string;
      readonly domain: string;
      readonly method: string;
      readonly error: string;
      readonly reason: string;
      readonly stack: readonly string[];
    }
  | {
      readonly type: "group-missing" | "group-refused";
      readonly node: string;
      readonly group: string;
      readonly reason: string;
    }
  | {
      readonly type: "accepted";
      readonly node: string;
      readonly intent: string;
    }
  | {
      readonly type: "coordinator";
      readonly node: string;
      readonly from: string;
      readonly to: string;
    }
  | {
      readonly type: "dispatched";
      readonly node: string;
      readonly bundle: string;
      readonly intents: number;
    }
  | {
      readonly type: "submission-failed";
      readonly node: string;
      readonly failure: string;
      readonly reason: string;
    }
  | ({
      readonly type: "settled";
      readonly node: string;
      readonly intent: string;
    } & Outcome)
  | { readonly type: "status"; readonly nodes: readonly NodeStatus[] }
  | {
      readonly type: "stopping";
      readonly reason: EndReason;
      /** Intents that have not ended. */
      readonly open: number;
    }
  | RunSummary;

/** The last fact. */
export interface RunSummary {
  readonly type: "summary";
  readonly reason: EndReason;
  /** Intents that the task was to submit; null if it only served. */
  readonly workload: number | null;
  /** Intents of the workload, or of users if there was none. */
  readonly intents: {
    readonly confirmed: number;
    readonly reverted: number;
    readonly open: number;
  };
  /** Transactions of the base ledger to the group, as the chain has them. Null if it could not be asked. */
  readonly ledger: {
    readonly transactions: number;
    readonly reverted: number;
    readonly gasUsed: string;
    readonly gasPerIntent: number | null;
  } | null;
  readonly bundles: number;
  /** How often another node became the coordinator. */
  readonly rotations: number;
  readonly elapsedMs: number;
  readonly intentsPerSecond: number;
}

/** What a node's fact is for those who watch a run; undefined if it is nothing. */
export function runFactOf(node: string, fact: NodeFact): RunFact | undefined {
  switch (fact.type) {
    case "Started":
    case "GroupJoined":
    case "CommitteeChanged":
    case "IntentDispatched":
    case "Prepared":
      return undefined;
    case "SignaturesSlow":
      return { type: "signatures-slow", reason: fact.reason };
    case "BlockSeen":
      return { type: "block", height: fact.height };
    case "BlocksReverted":
      return { type: "blocks-reverted", node, height: fact.height };
    case "ChainTrouble":
      return { type: "chain-trouble", node, reason: fact.reason ?? null };
    case "PayerTrouble":
      return {
        type: "payer-trouble",
        node,
        payer: fact.payer,
        reason: fact.reason ?? null,
      };
    case "EndorserTrouble":
      return { type: "endorser-trouble", node, reason: fact.reason ?? null };
    case "DomainFailed":
      return { ...fact, type: "domain-failed", node };
    case "GroupMissing":
    case "GroupRefused":
      return {
        type: fact.type === "GroupMissing" ? "group-missing" : "group-refused",
        node,
        group: fact.group,
        reason: fact.reason,
      };
    case "Accepted":
      return { type: "accepted", node, intent: fact.id };
    case "Dispatched":
      return {
        type: "dispatched",
        node,
        bundle: fact.digest,
        intents: fact.intents,
      };
    case "SubmissionFailed":
      return {
        type: "submission-failed",
        node,
        failure: fact.failure,
        reason: fact.reason,
      };
    case "Settled": {
      const { intentId: intent, outcome } = fact.settlement;
      return outcome.type === "Confirmed"
        ? {
            type: "settled",
            node,
            intent,
            outcome: "confirmed",
            block: outcome.block,
            transaction: outcome.transactionHash,
          }
        : {
            type: "settled",
            node,
            intent,
            outcome: "reverted",
            reason: outcome.reason,
          };
    }
    case "CoordinatorChanged":
      return { type: "coordinator", node, from: fact.from, to: fact.to };
  }
}
