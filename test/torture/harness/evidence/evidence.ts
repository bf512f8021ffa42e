// What is known of a run when it is over. All of it is plain data, so that it can be made by hand, kept and read again.

/** What clients wanted, by their key. */
export interface Wish {
  readonly key: string;
  readonly node: string;
  readonly function: "mint" | "transfer";
  /** Undefined for what is minted. */
  readonly from: string | undefined;
  readonly to: string;
  readonly amount: number;
}

/** What a client heard, or did not. */
export type Answer = {
  readonly atMs: number;
  readonly key: string;
  readonly node: string;
} &
  /** It was asked for the first time. */
  (
    | { readonly type: "wished"; readonly wish: Wish }
    /** The node has it; `isAgain` if the key was known already. */
    | {
        readonly type: "accepted";
        readonly id: string;
        readonly isAgain: boolean;
      }
    | {
        readonly type: "refused";
        readonly code: number;
        readonly message: string;
      }
    | { readonly type: "unanswered"; readonly reason: string }
    | { readonly type: "receipt"; readonly receipt: Receipt }
  );

/** How a transaction ended, as a node tells its users. */
export interface Receipt {
  readonly id: string;
  readonly isSuccess: boolean;
  readonly block: number | undefined;
  readonly transactionHash: string | undefined;
  readonly failure: string | undefined;
}

/** A transition on the canonical chain. */
export interface Transition {
  readonly block: number;
  readonly transactionHash: string;
  readonly transitionHash: string;
  readonly intents: readonly string[];
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

/** The ledger when everything was over. */
export interface Ledger {
  readonly head: number;
  /** In the order of the chain. */
  readonly transitions: readonly Transition[];
  /** What the contract itself says of every state that was ever created. */
  readonly isUnspent: Readonly<Record<string, boolean>>;
  /** What the contract itself says of every intent that was ever fulfilled or accepted. */
  readonly isFulfilled: Readonly<Record<string, boolean>>;
  /** Transactions to the group that were mined and reverted. */
  readonly reverted: readonly {
    readonly block: number;
    readonly hash: string;
  }[];
  /** Transactions to the group, all of them. */
  readonly transactions: number;
}

/** What a node had on its disk after it had stopped. */
export interface Disk {
  readonly node: string;
  readonly transactions: readonly {
    readonly id: string;
    readonly key: string | undefined;
    readonly intent: string | undefined;
  }[];
  /** Its own intents. */
  readonly intents: readonly {
    readonly id: string;
    readonly outcome: "open" | "confirmed" | "reverted";
    readonly block: number | undefined;
  }[];
  readonly transitions: readonly Transition[];
  readonly fulfilled: readonly {
    readonly intent: string;
    readonly transitionHash: string;
  }[];
  readonly states: readonly {
    readonly id: string;
    readonly isSpent: boolean;
    /** Whether the node knows what the state means, or need not know. */
    readonly isKnown: boolean;
  }[];
}

/** The end of a process. */
export interface ProcessExit {
  readonly launchedMs: number;
  readonly atMs: number;
  readonly node: string;
  readonly code: number | null;
  readonly signal: string | null;
  /** Why it had to be; undefined if nobody wanted it. */
  readonly cause: "kill" | "stop" | "full-disk" | "fail-point" | undefined;
  /** Whether it had come up before. */
  readonly hasAnswered: boolean;
}

/** A fault that was really there. */
export interface FaultFact {
  readonly kind: string;
  readonly target: string;
  readonly detail: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** Blocks that were replaced. */
export interface ReplacedBlocks {
  readonly ancestor: number;
  readonly from: number;
  readonly atMs: number;
}

/** Everything. */
export interface Evidence {
  readonly nodes: readonly string[];
  /** Empty, or why the run was not over when the time was up. */
  readonly unfinished: string;
  readonly answers: readonly Answer[];
  /** The last word of every node on every transaction that it accepted; undefined if it has none. */
  readonly receipts: readonly {
    readonly node: string;
    readonly id: string;
    readonly receipt: Receipt | undefined;
  }[];
  readonly balances: readonly {
    readonly node: string;
    readonly account: string;
    readonly balance: number;
  }[];
  readonly ledger: Ledger;
  readonly disks: readonly Disk[];
  /** What nodes said of submissions that failed on the base ledger. */
  readonly failures: readonly {
    readonly atMs: number;
    readonly node: string;
    readonly reason: string;
  }[];
  /** Secrets that nodes printed: whose, and where. Never the secret itself. */
  readonly leaks: readonly { readonly secret: string; readonly file: string }[];
  readonly exits: readonly ProcessExit[];
  readonly faults: readonly FaultFact[];
  readonly replaced: readonly ReplacedBlocks[];
}
