/** A group of a node. */
export interface GroupFact {
  readonly type: "group";
  readonly id: string;
  readonly name: string;
  readonly domain: string;
  /** Null while the group is being created. */
  readonly address: string | null;
  /** As in `treasury@alice`. */
  readonly members: readonly string[];
  readonly created: string;
}

/** What `sequencer:group create` tells. */
export type CreateFact =
  | {
      readonly type: "group-creating";
      readonly id: string;
      /** The transaction that creates it. */
      readonly transaction: string;
      readonly url: string;
    }
  | GroupFact
  | {
      readonly type: "group-failed";
      readonly id: string;
      readonly reason: string;
    }
  /** It was not waited for any longer. */
  | {
      readonly type: "group-open";
      readonly id: string;
      readonly transaction: string;
    };

/** What `sequencer:group import` tells: the node takes part in the group. */
export interface GroupImportedFact {
  readonly type: "group-imported";
  readonly url: string;
  readonly id: string;
  readonly name: string;
  readonly address: string;
}

/** What `sequencer:group show` tells. */
export interface GroupDetailsFact {
  readonly type: "group-details";
  readonly url: string;
  readonly id: string;
  readonly name: string;
  readonly domain: string;
  readonly address: string;
  /** As in `treasury@alice`. */
  readonly members: readonly string[];
  /** The nodes whose endorsements count, and how many of them must endorse. */
  readonly endorsers: readonly string[];
  readonly threshold: number;
  readonly configuration: Readonly<Record<string, string>>;
  /** The node that this node hears coordinating; null if it hears none. */
  readonly coordinator: string | null;
  /** The nodes that may coordinate now, best first. */
  readonly ranking: readonly string[];
  /** Of the committee: grows with every change. */
  readonly epoch: string | null;
  readonly isMember: boolean;
  /** Why nothing can happen in the group; null if it can. */
  readonly trouble: string | null;
}
